//! Texts of trees that were read, kept for the next snapshot, which mostly has the same trees.

use std::collections::HashMap;

use manicule_format_restic::Id;

/// Texts by the ids of their trees, those that were asked for last: a half that fills, and the half
/// that was full before it.
#[derive(Debug)]
pub(super) struct Texts {
    len_max: usize,
    /// Bytes of the texts of the first half.
    len: usize,
    halves: [HashMap<Id, Box<[u8]>>; 2],
}

impl Texts {
    /// None, of this number of bytes at most.
    pub(super) fn new(len_max: usize) -> Self {
        Texts { len_max, len: 0, halves: Default::default() }
    }

    /// The text of a tree, if it is kept.
    pub(super) fn get(&mut self, tree: &Id) -> Option<&[u8]> {
        if let Some(text) = self.halves[1].remove(tree) {
            self.put(*tree, text);
        }
        self.halves[0].get(tree).map(|text| &**text)
    }

    /// Keeps a text, unless it alone takes more than a half.
    pub(super) fn keep(&mut self, tree: Id, text: &[u8]) {
        if text.len() <= self.len_max / 2 {
            self.put(tree, text.into());
        }
    }

    fn put(&mut self, tree: Id, text: Box<[u8]>) {
        if self.len + text.len() > self.len_max / 2 {
            self.halves[1] = std::mem::take(&mut self.halves[0]);
            self.len = 0;
        }
        self.len += text.len();
        self.halves[0].insert(tree, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_last_stays_within_the_bound() {
        let mut texts = Texts::new(8);
        let id = |number: u8| Id([number; 32]);
        (1..=3).for_each(|number| texts.keep(id(number), &[number; 2]));
        // 1 and 2 are the full half, 3 has begun the next; 1 is asked for.
        assert_eq!(texts.get(&id(1)), Some(&[1; 2][..]));
        texts.keep(id(4), &[4; 2]);
        assert_eq!(texts.get(&id(2)), None);
        for number in [1, 3, 4] {
            assert_eq!(texts.get(&id(number)), Some(&[number; 2][..]), "{number}");
        }
        texts.keep(id(5), &[5; 5]);
        assert_eq!(texts.get(&id(5)), None);
    }
}

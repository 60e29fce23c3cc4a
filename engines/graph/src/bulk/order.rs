//! The order of texts, eight bytes at a time: the next eight bytes of each lie beside its place
//! while they are compared.
//!
//! Texts that begin alike, as IRIs do, are compared in these bytes once for all, not in every
//! comparison.

use std::ops::Range;

use manicule_core::sorted::prefix;

use super::table::{Place, Texts};

/// A text's next eight bytes as a number that orders as they do, and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keyed {
    key: u64,
    /// The place.
    pub(super) place: Place,
}

impl Keyed {
    /// A text of which nothing has been compared.
    pub(super) fn new(place: Place) -> Keyed {
        Keyed { key: 0, place }
    }
}

/// From this number on texts are compared one by one.
const FEW: usize = 12;

/// Bytes that are compared at a time.
const STEP: usize = size_of::<u64>();

/// Sorts distinct texts by their bytes.
pub(super) fn sort_texts(items: &mut [Keyed], texts: &Texts) {
    // Ranges whose texts share their first bytes, and how many.
    let mut ranges = vec![(0..items.len(), 0)];
    while let Some((range, depth)) = ranges.pop() {
        let (start, items) = (range.start, &mut items[range]);
        if items.len() <= FEW {
            let rest = |item: &Keyed| &texts.get(item.place)[depth..];
            items.sort_unstable_by(|left, right| rest(left).cmp(rest(right)));
            continue;
        }
        let mut is_one = true;
        let mut last = None;
        for item in items.iter_mut() {
            item.key = prefix(&texts.get(item.place)[depth..]);
            is_one &= last.is_none_or(|last| last == item.key);
            last = Some(item.key);
        }
        if !is_one {
            items.sort_unstable_by_key(|item| item.key);
        }
        let mut at = 0;
        while at < items.len() {
            let key = items[at].key;
            let count = items[at..].iter().take_while(|item| item.key == key).count();
            if count > 1 {
                let group = &mut items[at..at + count];
                let ended = ended_first(group, depth + STEP, texts);
                push(start + at + ended..start + at + count, depth + STEP, &mut ranges);
            }
            at += count;
        }
    }
}

fn push(range: Range<usize>, depth: usize, ranges: &mut Vec<(Range<usize>, usize)>) {
    if range.len() > 1 {
        ranges.push((range, depth));
    }
}

/// Puts the texts that end before `depth` first, by their lengths: each begins those after it.
/// Returns how many they are.
fn ended_first(group: &mut [Keyed], depth: usize, texts: &Texts) -> usize {
    let len = |item: &Keyed| texts.get(item.place).len();
    let mut ended = 0;
    for at in 0..group.len() {
        if len(&group[at]) <= depth {
            group.swap(at, ended);
            ended += 1;
        }
    }
    group[..ended].sort_unstable_by_key(len);
    ended
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use manicule_core::sorted::HashKeys;
    use manicule_format_leaf::Tag;
    use manicule_testkit::Rng;

    use super::super::table::Terms;
    use super::*;

    #[test]
    fn the_order_is_that_of_the_bytes() {
        for seed in 0..60 {
            let mut rng = Rng::new(seed);
            let parts: [&[u8]; 7] =
                [b"http://a/", b"\0", b"", b"\xff", b"aaaaaaaa", b"aaaaaaa", b"b"];
            let mut plain = BTreeSet::new();
            let mut terms = Terms::new(HashKeys::new(1));
            for _ in 0..rng.below(600) {
                let count = rng.below(7);
                let text = (0..count).map(|_| rng.choose(&parts).to_vec()).collect::<Vec<_>>();
                let text = text.concat();
                if plain.insert(text.clone()) {
                    terms.add(Tag::IRI, &text, terms.hash(Tag::IRI, &text));
                }
            }
            let (places, texts) = terms.drain();
            let mut items: Vec<Keyed> = places.into_iter().map(Keyed::new).collect();
            sort_texts(&mut items, &texts);
            let sorted: Vec<&[u8]> = items.iter().map(|item| texts.get(item.place)).collect();
            assert_eq!(sorted, Vec::from_iter(plain.iter().map(|text| &text[..])), "seed {seed}");
        }
    }
}

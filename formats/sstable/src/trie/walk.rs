//! The entries of a trie in order, from its first or from a key on, as a walk that asks for pages.
//!
//! Bytes:   docs/formats/sstable.md, "Tries"

use manicule_core::bytes::DecodeError;

use super::node::{Node, TriePage};
use super::seek::Step;

/// Where a [`TrieWalk`] begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WalkFrom<'k> {
    /// With the first entry.
    First,
    /// With the first whose path is not before a key.
    NotBefore(&'k [u8]),
    /// With the first whose path is not before a key, or is a prefix of it: in Partitions.db such a
    /// path may be that of the key itself.
    Covering(&'k [u8]),
}

/// A walk over a trie's entries in the order of their paths.
///
/// Memory: a path, and 16 bytes for each node of the way to the present one; a path has at most
/// `path_len_max` bytes.
#[derive(Clone, Debug)]
pub struct TrieWalk<'k> {
    from: WalkFrom<'k>,
    /// Whether the path so far is that of the key the walk begins with.
    is_on_key: bool,
    path: Vec<u8>,
    /// Nodes that were entered and may have more children: offset, and the slot to go on with.
    levels: Vec<(u64, usize)>,
    entering: Option<u64>,
    path_len_max: usize,
}

impl<'k> TrieWalk<'k> {
    /// A walk over the trie with this root.
    pub fn new(root: u64, from: WalkFrom<'k>, path_len_max: usize) -> Self {
        let is_on_key = from != WalkFrom::First;
        let (path, levels) = (Vec::new(), Vec::new());
        TrieWalk { from, is_on_key, path, levels, entering: Some(root), path_len_max }
    }

    /// The page wanted next; `None` after the last entry.
    pub fn page(&self) -> Option<u64> {
        let at = self.entering.or(self.levels.last().map(|(at, _)| *at))?;
        Some(TriePage::number_of(at))
    }

    /// The path of the entry found last.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// Goes on in the page that was wanted, up to the next entry.
    pub fn step<'a>(&mut self, page: TriePage<'a>) -> Result<Step<'a>, DecodeError> {
        loop {
            match self.page() {
                None => return Ok(Step::Absent),
                Some(number) if number != page.number => return Ok(Step::Page(number)),
                Some(_) => {}
            }
            match self.entering.take() {
                Some(at) => {
                    let node = Node::open(page, at)?;
                    let is_wanted = self.enter(&node);
                    if let (Some(payload), true) = (node.payload(), is_wanted) {
                        return Ok(Step::Found(payload));
                    }
                }
                None => self.leave(page)?,
            }
        }
    }

    /// A node that is met for the first time; returns whether its own entry is one of the walk's.
    fn enter(&mut self, node: &Node<'_>) -> bool {
        let (key, is_covering) = match self.from {
            WalkFrom::First => (&[][..], true),
            WalkFrom::NotBefore(key) => (key, false),
            WalkFrom::Covering(key) => (key, true),
        };
        let next = key.get(self.path.len()).filter(|_| self.is_on_key);
        self.levels.push((node.at, next.map_or(0, |byte| node.slot_from(*byte))));
        next.is_none() || is_covering
    }

    /// The next child of the node entered last that has one; nodes without a further one are left.
    fn leave(&mut self, page: TriePage<'_>) -> Result<(), DecodeError> {
        let Some(&(at, from)) = self.levels.last() else { return Ok(()) };
        // The path has a byte for each level after the first.
        self.path.truncate(self.levels.len() - 1);
        let Some((slot, transition)) = Node::open(page, at)?.next(from)? else {
            self.levels.pop();
            self.is_on_key = false;
            return Ok(());
        };
        if self.path.len() == self.path_len_max {
            let (what, want) = ("path in a trie", self.path_len_max as u64);
            return Err(DecodeError::Corrupt { what, at, want, got: want + 1 });
        }
        let key = match self.from {
            WalkFrom::First => None,
            WalkFrom::NotBefore(key) | WalkFrom::Covering(key) => key.get(self.path.len()),
        };
        self.is_on_key &= key == Some(&transition.byte);
        self.path.push(transition.byte);
        self.entering = Some(transition.child);
        self.levels.last_mut().expect("it was looked at above").1 = slot + 1;
        Ok(())
    }
}

//! Searches in a trie that ask for pages: the way of a key down, and the greatest entry not after a
//! key.
//!
//! A search reads no file. It says which page it wants next, and goes on in it as far as its nodes
//! lie there.
//!
//! Bytes:   docs/formats/sstable.md, "Tries"

use manicule_core::bytes::DecodeError;

use super::node::{Node, Payload, TriePage};

/// What a search or a walk wants, or found.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// The page with this number, with which the next step goes on.
    Page(u64),
    /// An entry. Its path is that of the search or walk.
    Found(Payload<'a>),
    /// There is none, or no further one.
    Absent,
}

/// The way of a key: ends at the entry whose path is the longest prefix of the key.
///
/// Paths in Partitions.db are prefixes that tell a key from its neighbours: the real key decides.
#[derive(Clone, Debug)]
pub struct Lookup<'k> {
    key: &'k [u8],
    depth: usize,
    at: u64,
    /// The last node on the way that has a payload, where the way goes on below it.
    passed: Option<u64>,
    is_over: bool,
}

impl<'k> Lookup<'k> {
    /// Looks for a key in byte-comparable form in the trie with this root.
    pub fn new(root: u64, key: &'k [u8]) -> Self {
        Lookup { key, depth: 0, at: root, passed: None, is_over: false }
    }

    /// The page wanted first.
    pub fn first_page(&self) -> u64 {
        TriePage::number_of(self.at)
    }

    /// Goes on in the page that was wanted.
    pub fn step<'a>(&mut self, page: TriePage<'a>) -> Result<Step<'a>, DecodeError> {
        while TriePage::number_of(self.at) == page.number {
            let node = Node::open(page, self.at)?;
            if self.is_over {
                return Ok(node.payload().map_or(Step::Absent, Step::Found));
            }
            let byte = self.key.get(self.depth);
            let child = byte.map_or(Ok(None), |byte| node.child(*byte))?;
            match (child, node.payload()) {
                (Some(transition), payload) => {
                    self.passed = payload.map(|_| self.at).or(self.passed);
                    (self.at, self.depth) = (transition.child, self.depth + 1);
                }
                (None, Some(payload)) => return Ok(Step::Found(payload)),
                (None, None) => match self.passed {
                    Some(passed) => (self.at, self.is_over) = (passed, true),
                    None => return Ok(Step::Absent),
                },
            }
        }
        Ok(Step::Page(TriePage::number_of(self.at)))
    }
}

/// Which entry a [`Floor`] looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// The greatest whose path is not after the key.
    Including,
    /// The greatest whose path is before the key.
    Before,
}

/// The greatest entry before a key, or not after it: the block of Rows.db that a bound lies in.
#[derive(Clone, Debug)]
pub struct Floor<'k> {
    key: &'k [u8],
    until: Until,
    path: Vec<u8>,
    at: u64,
    phase: Phase,
    best: Option<Best>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// On the key's own way.
    Following,
    /// Below a subtree all of which is before the key: to its greatest entry.
    Greatest,
    /// At the node whose own payload is the answer.
    Own,
}

/// The greatest thing before the key so far.
#[derive(Clone, Copy, Debug)]
enum Best {
    /// The payload of the node at an offset, whose path has `depth` bytes.
    Own { at: u64, depth: usize },
    /// The entries below a child, to which `byte` leads from a path of `depth` bytes.
    Below { at: u64, depth: usize, byte: u8 },
}

impl<'k> Floor<'k> {
    /// Looks for the greatest entry up to a key in byte-comparable form in the trie with this root.
    pub fn new(root: u64, key: &'k [u8], until: Until) -> Self {
        Floor { key, until, path: Vec::new(), at: root, phase: Phase::Following, best: None }
    }

    /// The page wanted first.
    pub fn first_page(&self) -> u64 {
        TriePage::number_of(self.at)
    }

    /// The path of the entry found: with it a search for the one before goes on.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// Goes on in the page that was wanted.
    pub fn step<'a>(&mut self, page: TriePage<'a>) -> Result<Step<'a>, DecodeError> {
        while TriePage::number_of(self.at) == page.number {
            let node = Node::open(page, self.at)?;
            let found = match self.phase {
                Phase::Following => self.follow(&node)?,
                Phase::Greatest => match node.last_before(node.slot_count())? {
                    Some(transition) => {
                        self.path.push(transition.byte);
                        self.at = transition.child;
                        None
                    }
                    None => Some(node.payload()),
                },
                Phase::Own => Some(node.payload()),
            };
            if let Some(found) = found {
                return Ok(found.map_or(Step::Absent, Step::Found));
            }
        }
        Ok(Step::Page(TriePage::number_of(self.at)))
    }

    /// One node further on the key's way; `Some(None)` where nothing is before the key.
    fn follow<'a>(&mut self, node: &Node<'a>) -> Result<Option<Option<Payload<'a>>>, DecodeError> {
        let depth = self.path.len();
        let Some(byte) = self.key.get(depth) else {
            // The whole key: this node's entry is equal to it, everything below it is after.
            if let (Some(payload), Until::Including) = (node.payload(), self.until) {
                return Ok(Some(Some(payload)));
            }
            return Ok(self.turn());
        };
        if node.payload().is_some() {
            self.best = Some(Best::Own { at: node.at, depth });
        }
        if let Some(transition) = node.last_before(node.slot_from(*byte))? {
            self.best = Some(Best::Below { at: transition.child, depth, byte: transition.byte });
        }
        match node.child(*byte)? {
            Some(transition) => {
                self.path.push(*byte);
                self.at = transition.child;
                Ok(None)
            }
            None => Ok(self.turn()),
        }
    }

    /// The key's way has ended: to the best entry that was passed.
    fn turn<'a>(&mut self) -> Option<Option<Payload<'a>>> {
        match self.best {
            None => return Some(None),
            Some(Best::Own { at, depth }) => {
                self.path.truncate(depth);
                (self.at, self.phase) = (at, Phase::Own);
            }
            Some(Best::Below { at, depth, byte }) => {
                self.path.truncate(depth);
                self.path.push(byte);
                (self.at, self.phase) = (at, Phase::Greatest);
            }
        }
        None
    }
}

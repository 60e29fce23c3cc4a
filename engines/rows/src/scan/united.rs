//! Which of several SSTables have the next partition, in the order of all of them.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use manicule_format_sstable::{Partitioner, Token};

use crate::RowsError;
use crate::table::Sstable;

/// The next partition of each SSTable, smallest first: a heap, so that a partition costs the
/// logarithm of their number.
#[derive(Debug)]
pub(crate) struct United {
    heap: BinaryHeap<Reverse<Next>>,
    partitioner: Partitioner,
    spare: Vec<Vec<u8>>,
}

/// The next partition of an SSTable.
#[derive(Debug)]
struct Next {
    /// Of partitioners that have no tokens the same for all keys.
    token: Token,
    key: Vec<u8>,
    source: usize,
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> Ordering {
        let keys = || self.key.cmp(&other.key);
        let sources = || self.source.cmp(&other.source);
        self.token.cmp(&other.token).then_with(keys).then_with(sources)
    }
}

impl United {
    /// Of SSTables that are ordered alike.
    ///
    /// # Errors
    /// Several SSTables of different partitioners, or of one whose order only the files know.
    pub(crate) fn new(sstables: &[Sstable]) -> Result<Self, RowsError> {
        let partitioner = sstables.first().map_or(Partitioner::Murmur3, Sstable::partitioner);
        let is_other = |sstable: &&Sstable| {
            let is_unknown = matches!(partitioner, Partitioner::Random | Partitioner::Other);
            is_unknown || sstable.partitioner() != partitioner
        };
        match sstables.iter().skip(1).find(is_other) {
            None => Ok(United { heap: BinaryHeap::new(), partitioner, spare: Vec::new() }),
            Some(sstable) => {
                let what = "its partitions have another order than those of the SSTables beside it, \
                            or one that is not known: name the data of one SSTable";
                let file = sstable.path().to_owned();
                Err(RowsError::Unsupported { file, what: what.to_owned() })
            }
        }
    }

    /// Notes the next partition of an SSTable.
    pub(crate) fn push(&mut self, key: &[u8], source: usize) {
        let token = match self.partitioner {
            Partitioner::Murmur3 => Token::of(key),
            Partitioner::ByteOrdered | Partitioner::Random | Partitioner::Other => Token(0),
        };
        let mut own = self.spare.pop().unwrap_or_default();
        own.clear();
        own.extend_from_slice(key);
        self.heap.push(Reverse(Next { token, key: own, source }));
    }

    /// Takes the SSTables that have the next partition, in the order in which they were given; none
    /// after the last.
    pub(crate) fn take(&mut self, sources: &mut Vec<usize>) {
        sources.clear();
        let Some(Reverse(first)) = self.heap.pop() else { return };
        sources.push(first.source);
        while self.heap.peek().is_some_and(|Reverse(next)| next.key == first.key) {
            let Some(Reverse(next)) = self.heap.pop() else { break };
            sources.push(next.source);
            self.spare.push(next.key);
        }
        self.spare.push(first.key);
    }
}

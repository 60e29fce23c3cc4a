//! Which partitions of a table are meant: by their keys or tokens, or all but those.

use std::ops::RangeInclusive;

use manicule_format_sstable::{Component, Partitioner, Token};

use crate::RowsError;
use crate::table::Sstable;

/// Partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// Those with these keys, as they lie in the file. Keys that aren't there mean nothing.
    Keys(Vec<Vec<u8>>),
    /// Those with tokens in these ranges; of tables with Murmur3Partitioner.
    Tokens(Vec<RangeInclusive<i64>>),
}

/// Whether they are what is taken, or what is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// They are taken.
    These,
    /// All others are.
    Others,
}

/// Which partitions are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The partitions that are meant.
    pub meant: Meant,
    /// Whether these are taken or the others.
    pub taken: Taken,
}

impl Chosen {
    /// All partitions: all others than none.
    pub const ALL: Chosen = Chosen { meant: Meant::Keys(Vec::new()), taken: Taken::Others };

    /// Whether the partition with a key is taken.
    pub(crate) fn takes(&self, key: &[u8]) -> bool {
        let is_meant = match &self.meant {
            Meant::Keys(keys) => keys.iter().any(|other| other == key),
            Meant::Tokens(ranges) => {
                let Token(token) = Token::of(key);
                ranges.iter().any(|range| range.contains(&token))
            }
        };
        is_meant == (self.taken == Taken::These)
    }

    /// The token after which no partition is taken, of tables whose partitions are in the order of
    /// tokens; `None` if there is no such.
    pub(crate) fn last_token(&self, sstable: &Sstable) -> Option<i64> {
        if sstable.partitioner() != Partitioner::Murmur3 || self.taken == Taken::Others {
            return None;
        }
        match &self.meant {
            Meant::Keys(keys) => keys.iter().map(|key| Token::of(key).0).max(),
            Meant::Tokens(ranges) => ranges.iter().map(|range| *range.end()).max(),
        }
    }

    /// Refuses tokens of an SSTable whose partitions have no such.
    pub(crate) fn check(&self, sstable: &Sstable) -> Result<(), RowsError> {
        let is_unordered = sstable.partitioner() != Partitioner::Murmur3;
        if is_unordered && matches!(self.meant, Meant::Tokens(_)) {
            let what = "its partitioner is not Murmur3Partitioner, by which tokens are ranges";
            let name = sstable.descriptor().file_name(&Component::Statistics);
            let file = sstable.path().with_file_name(name);
            return Err(RowsError::Unsupported { file, what: what.to_owned() });
        }
        Ok(())
    }
}

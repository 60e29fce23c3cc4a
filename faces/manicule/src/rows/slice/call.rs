//! What of a partition is asked for.

use std::ops::Bound;
use std::path::PathBuf;

use manicule_rows::slice::Direction;

/// Arguments of a slice.
#[derive(Clone, Debug)]
pub struct SliceCall {
    /// The partition key as CQL writes it, one value, or several as `(value, value, ..)` or
    /// `value, value, ..`; or as sstabledump takes it.
    pub key: String,
    /// Where the slice starts, in the order of the table: `(value, value, ..)` of the first
    /// clustering columns, or one value.
    /// A bound stands for everything that begins with its values.
    pub start: Bound<String>,
    /// Where it ends.
    pub end: Bound<String>,
    /// Its direction.
    pub direction: Direction,
    /// Number of rows after which it ends; `None`: all. Of [`View::Own`] each SSTable's.
    pub row_count_max: Option<u64>,
    /// What of the rows is wanted.
    pub view: View,
    /// Whether the partition's index is searched.
    pub search: Search,
    /// A CQL file with the names of the key's columns; `None`: a `schema.cql` beside the SSTables,
    /// if it is there.
    pub schema: Option<PathBuf>,
}

/// What of the rows is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// What a reader sees at a time, in seconds since 1970: SSTables merged by timestamps, without
    /// what is deleted or has expired.
    Live {
        /// The time.
        now: i64,
    },
    /// What each SSTable has, one after the other: rows and tombstones, hidden or not.
    Own,
}

/// Whether the index of a partition's blocks is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// It is.
    Index,
    /// It isn't: the partition is read from its start. For comparison.
    Scan,
}

impl SliceCall {
    /// All that a reader sees at `now`, in seconds since 1970, of a partition.
    pub fn new(key: String, now: i64) -> Self {
        SliceCall {
            key,
            start: Bound::Unbounded,
            end: Bound::Unbounded,
            direction: Direction::Forward,
            row_count_max: None,
            view: View::Live { now },
            search: Search::Index,
            schema: None,
        }
    }
}

//! What a source of a merge is at.
//!
//! Callers: own, places, source, walked

use manicule_format_sstable::{Deletion, PrefixBuf};

use super::row::MergedRow;

/// A row or marker.
#[derive(Debug)]
pub(super) enum At {
    Row(MergedRow),
    Marker { prefix: PrefixBuf, closes: Option<Deletion>, opens: Option<Deletion> },
}

impl At {
    pub(super) fn prefix(&self) -> &PrefixBuf {
        match self {
            At::Row(row) => &row.clustering,
            At::Marker { prefix, .. } => prefix,
        }
    }
}

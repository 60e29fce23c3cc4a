//! A fact that is to be written, and what it may not say.

use manicule_format_sstable::{
    Deletion, Header, KEY_LEN_MAX, Liveness, NO_LOCAL_TIME, Shards, Type, Value,
};

use super::super::load::{check_clustering, check_value};
use super::super::table::check_time;
use crate::RowsError;
use crate::fact::FactKind;
use crate::merge::{element_type, path_type};

/// A fact.
#[derive(Clone, Copy, Debug)]
pub struct NewFact<'f> {
    /// Its kind.
    pub kind: FactKind,
    /// Key of its partition as it lies in the file.
    pub key: &'f [u8],
    /// Whether it is of the static row.
    pub is_static: bool,
    /// The clustering of its row, or of the bound of a range, which may be shorter; of the
    /// partition and its static row none.
    pub clustering: &'f [Value<'f>],
    /// The column, of cells and collections, by the header's list.
    pub column: Option<usize>,
    /// Which element of a column of many cells it is.
    pub path: Option<&'f [u8]>,
    /// The value, of cells; of a counter its shards.
    pub value: &'f [u8],
    /// When it was written, in microseconds since 1970, by the writer.
    pub timestamp: i64,
    /// Seconds to live; 0: it doesn't expire.
    pub ttl: i32,
    /// When it was deleted or expires, in seconds since 1970; `NO_LOCAL_TIME`: neither.
    pub local_time: i64,
}

impl FactKind {
    /// Whether it is of a column.
    pub(super) fn has_column(self) -> bool {
        matches!(self, FactKind::CollectionDeletion | FactKind::Cell | FactKind::CellDeletion)
    }

    fn is_cell(self) -> bool {
        matches!(self, FactKind::Cell | FactKind::CellDeletion)
    }

    pub(super) fn is_bound(self) -> bool {
        matches!(self, FactKind::RangeStart { .. } | FactKind::RangeEnd { .. })
    }
}

/// Length in bytes of the path of a list's element, and of a user type's field.
const UUID_LEN: usize = 16;
const FIELD_LEN: usize = 2;

impl NewFact<'_> {
    pub(super) fn deletion(&self) -> Deletion {
        Deletion { marked_at: self.timestamp, local_time: self.local_time }
    }

    pub(super) fn liveness(&self) -> Liveness {
        Liveness { timestamp: self.timestamp, ttl: self.ttl, expires: self.local_time }
    }

    /// Whether it has a place in a table.
    pub(super) fn check(&self, header: &Header) -> Result<(), RowsError> {
        let unwritable = |why: &str| Err(RowsError::Unwritable { why: why.to_owned() });
        if self.key.is_empty() || self.key.len() > KEY_LEN_MAX {
            return unwritable("a partition key has 1 to 65,535 bytes");
        }
        check_time(self.local_time, header.version.local_time_max())?;
        let (count, want) = (self.clustering.len(), header.clustering.len());
        let is_whole = match self.kind {
            FactKind::PartitionDeletion => count == 0 && !self.is_static,
            kind if kind.is_bound() => count <= want && !self.is_static,
            _ if self.is_static => count == 0 && !header.statics.is_empty(),
            _ => count == want,
        };
        if !is_whole {
            return unwritable("its clustering is not one of its kind of fact");
        }
        for (kind, value) in header.clustering.iter().zip(self.clustering) {
            // Also of types that have no empty value: facts are written as they were found.
            let value = value.filter(|value| !value.is_empty());
            value.map_or(Ok(()), |value| check_clustering(kind, value))?;
        }
        let may_live = matches!(self.kind, FactKind::Row | FactKind::Cell);
        if self.ttl < 0 || self.ttl > 0 && (!may_live || self.local_time == NO_LOCAL_TIME) {
            return unwritable("what lives for some seconds is a row or a cell, and expires");
        }
        if may_live && self.ttl == 0 && self.local_time != NO_LOCAL_TIME {
            return unwritable("what expires lives for some seconds before");
        }
        let column = self.column.and_then(|column| header.columns(self.is_static).get(column));
        match (column, self.kind.has_column()) {
            (Some(column), true) => self.check_cell(&column.kind),
            (None, false) => Ok(()),
            _ => unwritable("cells and deletions of collections have a column, and nothing else"),
        }
    }

    fn check_cell(&self, kind: &Type) -> Result<(), RowsError> {
        let unwritable = |why: &str| Err(RowsError::Unwritable { why: why.to_owned() });
        if kind.is_complex() != (self.path.is_some() || !self.kind.is_cell()) {
            return unwritable("cells of collections have a path, and no others");
        }
        if let Some(path) = self.path {
            let is_path = match kind {
                Type::List { .. } => path.len() == UUID_LEN,
                Type::User(_) => {
                    path.len() == FIELD_LEN && element_type(kind, Some(path)).is_some()
                }
                _ => path.is_empty() || path_type(kind).is_some_and(|kind| kind.holds(path)),
            };
            if !is_path {
                return unwritable("its path is no element of its column");
            }
        }
        if self.kind != FactKind::Cell {
            return if self.value.is_empty() { Ok(()) } else { unwritable("it has a value") };
        }
        match element_type(kind, self.path) {
            None if self.value.is_empty() => Ok(()),
            None => unwritable("an element of a set has no value"),
            Some(Type::Counter) if Shards::open(self.value, 0).is_ok() => Ok(()),
            Some(Type::Counter) => unwritable("a counter's value is its shards"),
            // Also of types that have no empty value: facts are written as they were found.
            Some(_) if self.value.is_empty() => Ok(()),
            Some(kind) => check_value(kind, self.value),
        }
    }
}

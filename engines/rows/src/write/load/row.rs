//! A row that is to be written.

use manicule_format_sstable::{Deletion, Header, KEY_LEN_MAX, Liveness, Type, Value};

use super::super::table::check_time;
use crate::RowsError;

/// A row with the static values of its partition.
#[derive(Clone, Copy, Debug)]
pub struct NewRow<'r> {
    /// Key of its partition as it lies in the file.
    pub key: &'r [u8],
    /// Its clustering, a value for each clustering column; `None`: the static values alone.
    pub clustering: Option<&'r [Value<'r>]>,
    /// When it was written.
    pub stamp: Stamp,
    /// Whether its primary key was written, as by an INSERT; an UPDATE writes its cells alone.
    pub has_liveness: bool,
    /// Its deletion; live if there is none.
    pub deletion: Deletion,
    /// Static values and their columns, by the header's lists, in their order.
    pub statics: &'r [(usize, NewValue<'r>)],
    /// Regular values and their columns.
    pub regulars: &'r [(usize, NewValue<'r>)],
}

/// A value of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewValue<'r> {
    /// These bytes, of collections and user types as a frozen one has them: all elements before
    /// them are deleted.
    Set(&'r [u8]),
    /// Null, which deletes the value before it.
    Deleted,
}

/// When a row was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// Microseconds since 1970, by the writer.
    pub timestamp: i64,
    /// Seconds to live; 0: it doesn't expire.
    pub ttl: i32,
    /// When it expires, in seconds since 1970; `NO_LOCAL_TIME`: never.
    pub expires: i64,
    /// The present, in seconds since 1970: when what it deletes was deleted.
    pub now: i64,
}

impl Stamp {
    /// Of a primary key.
    pub(super) fn liveness(&self) -> Liveness {
        Liveness { timestamp: self.timestamp, ttl: self.ttl, expires: self.expires }
    }
}

impl NewRow<'_> {
    /// Whether it has a place in a table.
    pub(super) fn check(&self, header: &Header) -> Result<(), RowsError> {
        let unwritable = |why: String| Err(RowsError::Unwritable { why });
        if self.key.is_empty() {
            return unwritable("the partition key is empty".to_owned());
        }
        if self.key.len() > KEY_LEN_MAX {
            let len = self.key.len();
            return unwritable(format!("a partition key has {len} bytes, and 65,535 at most fit"));
        }
        let max = header.version.local_time_max();
        for time in [self.stamp.expires, self.stamp.now, self.deletion.local_time] {
            check_time(time, max)?;
        }
        if let Some(values) = self.clustering {
            if values.len() != header.clustering.len() {
                let (want, got) = (header.clustering.len(), values.len());
                return unwritable(format!("a row has {got} clustering values: wanted {want}"));
            }
            for (kind, value) in header.clustering.iter().zip(values) {
                let Some(value) = value else {
                    return unwritable("a clustering value is null".to_owned());
                };
                check_clustering(kind, value)?;
            }
        }
        for (is_static, values) in [(true, self.statics), (false, self.regulars)] {
            let columns = header.columns(is_static);
            for (column, value) in values {
                if let NewValue::Set(value) = value {
                    check_value(&columns[*column].kind, value)?;
                }
            }
        }
        Ok(())
    }
}

/// Greatest length in bytes of a clustering value: Cassandra takes no longer one.
const CLUSTERING_LEN_MAX: usize = u16::MAX as usize;

/// Whether a value is one of its type and can be a part of a clustering.
pub(in super::super) fn check_clustering(kind: &Type, value: &[u8]) -> Result<(), RowsError> {
    if value.len() > CLUSTERING_LEN_MAX {
        let why = format!("a clustering value has {} bytes, and 65,535 at most fit", value.len());
        return Err(RowsError::Unwritable { why });
    }
    check_value(kind, value)
}

/// Whether a value is one of its type.
pub(in super::super) fn check_value(kind: &Type, value: &[u8]) -> Result<(), RowsError> {
    if kind.holds(value) {
        return Ok(());
    }
    let why = format!("a value of {} bytes is none of the type {}", value.len(), kind.cql());
    Err(RowsError::Unwritable { why })
}

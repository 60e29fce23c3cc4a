//! The partitions that a pass over data or index has met, compared at its end with what the table
//! says of them elsewhere: so a file that was cut between two partitions is no shorter table.
//!
//! Bytes:   docs/formats/sstable.md, "What proves that a table is whole"

use std::cmp::Ordering;
use std::path::Path;

use manicule_format_sstable::Component;
use manicule_store::pages::Reading;

use super::ends::{FirstLast, shown};
use super::footer::trie_ends;
use super::sstable::{IndexFiles, Sstable};
use crate::RowsError;

/// The partitions of a data file or an index that were passed, from the first on.
#[derive(Debug, Default)]
pub(crate) struct Met {
    count: u64,
    first: Option<Vec<u8>>,
    last: Vec<u8>,
    has_last: bool,
}

impl Met {
    /// Notes a partition; its key where it was read.
    pub(crate) fn pass(&mut self, key: Option<&[u8]>) {
        if self.count == 0 {
            self.first = key.map(<[u8]>::to_vec);
        }
        self.count += 1;
        self.has_last = key.is_some();
        self.last.clear();
        self.last.extend_from_slice(key.unwrap_or_default());
    }

    /// Whether a key may be the next one by the order of the table, as far as that is known.
    pub(crate) fn may_precede(&self, key: &[u8], sstable: &Sstable) -> bool {
        let order = sstable.partitioner().compare(&self.last, key);
        !self.has_last || order.is_none_or(Ordering::is_lt)
    }

    /// All of `file` was passed: it has as many partitions as the table, from its first key to its
    /// last.
    pub(crate) fn check(
        &self,
        sstable: &Sstable,
        file: &Path,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let differs = |what: String| {
            let what = format!("{what}: one of the two is cut or damaged");
            Err(RowsError::Contradicted { file: file.to_owned(), what })
        };
        if let Some(count) = sstable.ends().count.filter(|count| *count != self.count) {
            return differs(format!(
                "it has {} partitions, and by Statistics.db there are {count}",
                self.count
            ));
        }
        let Some((component, (first, last))) = keys(sstable, reading)? else { return Ok(()) };
        let header = sstable.header();
        let known = [
            ("first", self.first.as_ref(), &first),
            ("last", self.has_last.then_some(&self.last), &last),
        ];
        for (side, got, want) in known {
            if let Some(got) = got.filter(|got| *got != want) {
                let (got, want) = (shown(header, got), shown(header, want));
                return differs(format!(
                    "its {side} partition is {got}, and by {component} it is {want}"
                ));
            }
        }
        Ok(())
    }
}

/// First and last key, and the component that has them.
fn keys(
    sstable: &Sstable,
    reading: &mut Reading<'_>,
) -> Result<Option<(Component, FirstLast)>, RowsError> {
    if let Some(keys) = &sstable.ends().keys {
        return Ok(Some((Component::Statistics, keys.clone())));
    }
    match sstable.index() {
        IndexFiles::Big { summary: Some(file), .. } => {
            Ok(Some((Component::Summary, file.keys().clone())))
        }
        IndexFiles::Tries { partitions, .. } => {
            let (_, keys) = trie_ends(partitions, reading)?;
            Ok(Some((Component::Partitions, keys)))
        }
        IndexFiles::Big { summary: None, .. } | IndexFiles::Missing => Ok(None),
    }
}

//! What a table says of its partitions beside its data and its index: their number, the first and the last key. Who has passed over
//! all of data or index compares it, so that a file that was cut between two partitions is no shorter table.
//!
//! Bytes:   docs/formats/sstable.md, "What proves that a table is whole"
//! Callers: sstable, scan, write

use std::cmp::Ordering;
use std::path::Path;

use manicule_format_sstable::{Component, FOOTER_LEN, Footer, Header, Statistics, Summary};
use manicule_store::pages::{Keep, Reading};

use super::file::OpenFile;
use super::sstable::{IndexFiles, Sstable};
use super::stats::FirstLast;
use crate::RowsError;

/// What Statistics.db says.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    /// Number of partitions: each is in the histogram of their sizes.
    pub(super) count: Option<u64>,
    /// First and last key, from `oa` on.
    keys: Option<FirstLast>,
}

impl Ends {
    /// Of statistics that could be read.
    pub(super) fn of(statistics: Option<&Statistics>) -> Self {
        Ends {
            count: statistics.map(|statistics| statistics.partition_sizes.count()),
            keys: statistics.and_then(|statistics| statistics.keys.clone()),
        }
    }
}

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

    /// All of `file` was passed: it has as many partitions as the table, from its first key to its last.
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
            let summary = Summary::open(file.bytes()).map_err(|error| file.damaged(error))?;
            let keys = (summary.first_key.to_vec(), summary.last_key.to_vec());
            Ok(Some((Component::Summary, keys)))
        }
        IndexFiles::Tries { partitions, .. } => {
            let (_, keys) = trie_ends(partitions, reading)?;
            Ok(Some((Component::Partitions, keys)))
        }
        IndexFiles::Big { summary: None, .. } | IndexFiles::Missing => Ok(None),
    }
}

/// What Partitions.db ends with, and the first and the last key before it.
pub(crate) fn trie_ends(
    partitions: &OpenFile,
    reading: &mut Reading<'_>,
) -> Result<(Footer, FirstLast), RowsError> {
    let footer = trie_footer(partitions, reading)?;
    let footer_at = partitions.len().saturating_sub(FOOTER_LEN as u64);
    let bytes = partitions.get(footer.keys_at..footer_at, Keep::Shared, reading)?;
    let (first, last) = footer.keys(&bytes).map_err(|error| partitions.damaged(error))?;
    Ok((footer, (first.to_vec(), last.to_vec())))
}

/// What Partitions.db ends with.
pub(crate) fn trie_footer(
    partitions: &OpenFile,
    reading: &mut Reading<'_>,
) -> Result<Footer, RowsError> {
    let len = partitions.len();
    let at = len.saturating_sub(FOOTER_LEN as u64);
    let bytes = partitions.get(at..at + FOOTER_LEN as u64, Keep::Shared, reading)?;
    let bytes = *bytes.first_chunk().expect("as many bytes were read");
    Footer::read(bytes, len).map_err(|error| partitions.damaged(error))
}

/// Number of characters of a key that are shown.
const SHOWN_MAX: usize = 80;

/// A key as CQL writes it, shortened.
pub(crate) fn shown(header: &Header, key: &[u8]) -> String {
    let mut text = String::new();
    header.key.put_literal(Some(key), &mut text);
    if let Some((end, _)) = text.char_indices().nth(SHOWN_MAX) {
        text.truncate(end);
        text.push_str("..");
    }
    text
}

//! What Statistics.db says of a table's partitions, and keys for people.
//!
//! Bytes:   docs/formats/sstable.md, "What proves that a table is whole"

use manicule_format_sstable::{Header, Statistics};

/// First and last partition key.
pub type FirstLast = (Vec<u8>, Vec<u8>);

/// What Statistics.db says.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    /// Number of partitions: each is in the histogram of their sizes.
    pub(super) count: Option<u64>,
    /// First and last key, from `oa` on.
    pub(super) keys: Option<FirstLast>,
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

//! Report of an index run, and the counts that it is made of.

use std::path::PathBuf;

use manicule_format_zoekt::{Skip, Text};

use super::intake::Document;

/// Report of an index run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexReport {
    /// The index already was what would have been written, and stays.
    pub is_unchanged: bool,
    /// Source that the replaced index names, if that is another folder.
    pub replaced: Option<Text>,
    /// The shards of the index.
    pub shards: Vec<ShardReport>,
    /// Compound shards in which the repository has got a tombstone.
    pub tombstones: Vec<PathBuf>,
    /// All documents, skipped ones too.
    pub document_count: u64,
    /// Bytes of contents that are indexed.
    pub text_len: u64,
    /// Number of documents stored without content, by reason.
    pub skipped: Vec<(Skip, u64)>,
    /// Number of symbols.
    pub symbol_count: u64,
    /// Number of documents that ctags failed on: they have no symbols.
    pub without_symbols: u64,
    /// Why it failed on the first of them.
    pub first_failure: Option<String>,
}

/// A shard of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardReport {
    /// Path of the shard.
    pub path: PathBuf,
    /// Its bytes.
    pub len: u64,
    /// Its documents.
    pub document_count: u64,
    /// Its postings: places where a trigram of a document stands.
    pub posting_count: u64,
    /// In how many windows its posting lists were built: more than one where memory was short.
    pub window_count: usize,
}

/// Counts of a run.
#[derive(Default)]
pub(super) struct Tally {
    document_count: u64,
    text_len: u64,
    skipped: std::collections::BTreeMap<Skip, u64>,
    symbol_count: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, documents: &[Document]) {
        self.document_count += documents.len() as u64;
        for document in documents {
            self.symbol_count += document.symbols.list.len() as u64;
            match document.skip {
                Some(skip) => *self.skipped.entry(skip).or_default() += 1,
                None => self.text_len += u64::from(document.len),
            }
        }
    }

    pub(crate) fn report(self) -> IndexReport {
        IndexReport {
            document_count: self.document_count,
            text_len: self.text_len,
            skipped: self.skipped.into_iter().collect(),
            symbol_count: self.symbol_count,
            ..IndexReport::default()
        }
    }
}

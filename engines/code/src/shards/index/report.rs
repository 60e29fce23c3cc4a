//! Report of an index run, and the counts that it is made of.

use std::path::PathBuf;

use manicule_format_zoekt::{Skip, Text};

use super::document::Document;

/// Report of an index run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexReport {
    /// The index already was what would have been written, and stays.
    pub is_unchanged: bool,
    /// It was told unchanged by a look at each file: none was read.
    pub is_unread: bool,
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
pub(in crate::shards) struct Tally {
    document_count: u64,
    text_len: u64,
    skipped: std::collections::BTreeMap<Skip, u64>,
    symbol_count: u64,
}

impl Tally {
    /// Counts a document of `len` bytes, or why it is stored without them.
    pub(in crate::shards) fn add(&mut self, skip: Option<Skip>, len: usize, symbol_count: usize) {
        self.document_count += 1;
        self.symbol_count += symbol_count as u64;
        match skip {
            Some(skip) => *self.skipped.entry(skip).or_default() += 1,
            None => self.text_len += len as u64,
        }
    }

    pub(super) fn add_all(&mut self, documents: &[Document]) {
        for Document { skip, len, symbols, .. } in documents {
            self.add(*skip, *len as usize, symbols.list.len());
        }
    }

    pub(in crate::shards) fn report(self) -> IndexReport {
        IndexReport {
            document_count: self.document_count,
            text_len: self.text_len,
            skipped: self.skipped.into_iter().collect(),
            symbol_count: self.symbol_count,
            ..IndexReport::default()
        }
    }
}

//! Repositories of shards.

use manicule_code::shards::Branch;
use manicule_code::shards::find::RepositoryEntry;

use crate::json::{Json, TextOrBytes, list, report};

report!(of: RepositoryEntry {
    name: Json(TextOrBytes(&of.repository.name.0)), id: of.repository.derived_id(),
    url: of.repository.url, branches: list(of.repository.branches.iter().flatten()),
    rank: of.repository.derived_rank(), has_symbols: of.repository.has_symbols,
    index_time: of.metadata.index_time, shards, documents, lines: of.lines.all, content_bytes = content_len, index_bytes = index_len,
});

report!(of: Branch { name, version });

/// Sums of all repositories.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListTotals {
    /// Number of repositories.
    pub repositories: usize,
    /// Number of documents.
    pub documents: u64,
    /// Length of their contents in bytes.
    pub content_len: u64,
    /// Length of their shards in bytes.
    pub index_len: u64,
}

impl ListTotals {
    /// The sums of these.
    pub fn of(entries: &[RepositoryEntry]) -> Self {
        let mut all = ListTotals { repositories: entries.len(), ..ListTotals::default() };
        for entry in entries {
            all.documents += entry.documents;
            all.content_len += entry.content_len;
            all.index_len += entry.index_len;
        }
        all
    }
}

report!(of: ListTotals {
    repositories, documents, content_bytes = content_len, index_bytes = index_len,
});

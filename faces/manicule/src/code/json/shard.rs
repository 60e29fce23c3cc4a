//! zoekt shards, as `inspect` shows them.

use std::path::Path;

use manicule_code::shards::{
    Count, DenseList, Lists, RepositoryInspection, SectionInspection, ShardDocuments,
    ShardInspection, ShardSummary,
};

use super::Percentiles;
use crate::json::{Entry, Json, list, report};

report!(of: ShardInspection {
    path: of.path.to_string_lossy(), len, format_version, feature_version, min_reader_version,
    made_at, writer, id, plain_ascii, documents = document_count, text_len, name_len,
    lines = line_count, symbols = symbol_count, sidecar = has_sidecar,
    languages: list(&of.languages), categories: list(&of.categories), skipped: list(&of.skipped),
    sections: list(of.sections.iter().map(|section| Section { section, all: of.len })),
    postings: Json(&of.postings), name_postings: Json(&of.name_postings),
    repositories: list(&of.repositories),
});

/// A section, and the length of the whole shard.
struct Section<'s> {
    section: &'s SectionInspection,
    all: u64,
}

report!(of: Section<'_> {
    share: of.section.len as f64 / of.all.max(1) as f64; of.section,
});

report!(of: SectionInspection { name, offset, len, index_len, items = item_count, about });

report!(of: RepositoryInspection {
    id, name, source, url,
    branches: list(of.branches.iter().map(|(name, version)| Branch { name, version })),
    sub_repositories, rank, has_symbols, tombstone = is_tombstone,
    file_tombstones = file_tombstone_count, documents = document_count, text_len,
});

pub(super) struct Branch<'b> {
    pub(super) name: &'b str,
    pub(super) version: &'b str,
}

report!(of: Branch<'_> { name, version });

report!(of: Count { name, documents = document_count, text_len });

report!(of: Lists {
    lists = list_count, postings = posting_count, len,
    list_postings: Json(Percentiles(of.lengths)), densest: list(&of.densest),
});

report!(of: DenseList { trigram, postings = posting_count, len });

report!(of: ShardSummary {
    path: of.path.to_string_lossy(), len;
    of.documents.as_ref().ok(), Entry("error", of.documents.as_ref().err()),
});

report!(of: ShardDocuments {
    format_version, made_at, documents = document_count, text_len, repositories,
    tombstones = tombstone_count,
});

/// Sums of the shards of a folder.
#[derive(Clone, Copy, Debug)]
pub struct ShardFolder<'f> {
    /// The folder.
    pub path: &'f Path,
    /// Its shards.
    pub shards: &'f [ShardSummary],
}

impl ShardFolder<'_> {
    /// The shards that could be read.
    fn read(&self) -> impl Iterator<Item = &ShardDocuments> {
        self.shards.iter().flat_map(|shard| &shard.documents)
    }
}

report!(of: ShardFolder<'_> {
    path: of.path.to_string_lossy(), shards: of.shards.len(),
    shards_damaged: of.shards.len() - of.read().count(),
    len: of.shards.iter().map(|shard| shard.len).sum::<u64>(),
    documents: of.read().map(|own| own.document_count).sum::<u64>(),
    text_len: of.read().map(|own| own.text_len).sum::<u64>(),
});

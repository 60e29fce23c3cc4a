//! Shards that were made.

use std::borrow::Cow;
use std::path::PathBuf;

use manicule_code::shards::{
    GitReport, IndexReport, NewShard, ShardReport, ShardsReport, Skip, Text,
};

use crate::code::index::IndexCall;
use crate::json::{Keyed, Shown, report};

/// Index of a folder or a repository.
#[derive(Clone, Copy, Debug)]
pub struct Indexed<'i> {
    /// Name of the repository.
    pub repository: &'i str,
    /// Where the index came from, and where it went.
    pub call: &'i IndexCall,
    /// The report.
    pub report: &'i IndexReport,
}

report!(of: Indexed<'_> {
    repository, folder: of.call.folder.to_string_lossy(), output: of.call.output.to_string_lossy();
    of.report,
});

report!(of: IndexReport {
    unchanged = is_unchanged, replaces: of.replaced.as_ref().map(Shown), shards: of.shards.len(),
    tombstones: paths(&of.tombstones), len: of.shards.iter().map(|shard| shard.len).sum::<u64>(),
    documents = document_count, text_len,
    skipped: Keyed(of.skipped.iter().map(|(skip, count)| (word(*skip), count))),
    symbols = symbol_count, without_symbols,
});

/// What commits of a repository add to the report of an index.
#[derive(Clone, Copy, Debug)]
pub struct OfCommits<'c>(pub &'c GitReport);

report!(of: OfCommits<'_> { kept: of.0.kept, delta: of.0.is_delta });

fn word(skip: Skip) -> &'static str {
    match skip {
        Skip::TooLarge => "too_large",
        Skip::TooSmall => "too_small",
        Skip::Binary => "binary",
        Skip::TooManyTrigrams => "too_many_trigrams",
    }
}

/// A shard of an index.
#[derive(Clone, Copy, Debug)]
pub struct IndexedShard<'s> {
    /// Name of the repository.
    pub repository: &'s str,
    /// The shard.
    pub shard: &'s ShardReport,
}

report!(of: IndexedShard<'_> { repository; of.shard });

report!(of: ShardReport {
    path: of.path.to_string_lossy(), len, documents = document_count, postings = posting_count,
    windows = window_count,
});

report!(of: NewShard {
    path: of.path.to_string_lossy(), len, documents = document_count,
    repositories: names(&of.repositories),
});

report!(of: ShardsReport {
    shards: of.shards.len(), replaced: paths(&of.replaced), left_out: names(&of.left_out),
});

fn paths(paths: &[PathBuf]) -> Vec<Cow<'_, str>> {
    paths.iter().map(|path| path.to_string_lossy()).collect()
}

fn names(names: &[Text]) -> Vec<Shown<&Text>> {
    names.iter().map(Shown).collect()
}

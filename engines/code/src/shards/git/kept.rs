//! Documents that the shards of the last run still have: of the same blob at the same path.

use std::collections::HashMap;

use manicule_format_zoekt::{FEATURE_VERSION, Repository, Shard};

use super::super::index::{Document, IndexOptions, LargeFiles, Limits, TrigramCounter};
use super::super::last_run::{LastRun, alive, are_alike};
use super::super::stored::StoredDocuments;
use super::gather::{Gathered, GitFile};

/// What a document that is stored without its content begins with.
const NOT_INDEXED: &[u8] = b"NOT-INDEXED: ";

/// Place of a document of the last run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeptAt {
    shard: usize,
    number: usize,
}

/// The repository that the first of the shards is of, as its readers have it.
pub(super) fn repository_of(shards: &[Shard<'_>]) -> Option<Repository> {
    let repository = shards.first()?.repositories().first()?.as_read();
    (!repository.tombstone).then_some(repository)
}

/// Whether the shards are what a run for `repository` would write: of the same options and commits,
/// and described alike.
pub(super) fn is_unchanged(shards: &[Shard<'_>], repository: &Repository) -> bool {
    let Some(before) = repository_of(shards) else { return false };
    let raw = |repository: &Repository, key: &str| repository.config(key).map(str::to_owned);
    let keys = repository.raw_config.iter().flat_map(|raw| raw.keys());
    let mut keys = keys.filter(|key| !matches!(key.as_str(), "name" | "id"));
    shards.iter().all(|shard| shard.metadata().index_feature_version == FEATURE_VERSION)
        && before.id == repository.id
        && before.name == repository.name
        && before.index_options == repository.index_options
        && before.branches == repository.branches
        && before.url == repository.url
        && before.commit_url_template == repository.commit_url_template
        && before.file_url_template == repository.file_url_template
        && before.line_fragment_template == repository.line_fragment_template
        && keys.all(|key| raw(&before, key) == raw(repository, key))
}

/// For each file of `now`, the document that the shards have of it, if they are of the options of
/// this run and their commits had the same blob at its path; `then` are the files of these commits.
pub(super) fn kept(
    shards: &[Shard<'_>],
    then: &Gathered,
    now: &Gathered,
    repository: &Repository,
    options: &IndexOptions<'_>,
) -> Vec<Option<KeptAt>> {
    if !are_alike(shards, repository, &options.zoekt_version) {
        return vec![None; now.files.len()];
    }
    let mut by_name: HashMap<&[u8], Vec<(KeptAt, u64)>> = HashMap::new();
    for (index, shard) in shards.iter().enumerate() {
        for number in alive(shard) {
            let texts = (shard.names().text(number), shard.contents().text(number));
            if let (Ok(name), Ok(content)) = texts
                // Why it was skipped may not hold any more.
                && !content.starts_with(NOT_INDEXED)
            {
                let document = KeptAt { shard: index, number };
                by_name.entry(name).or_default().push((document, shard.branch_mask(number)));
            }
        }
    }
    let before: HashMap<(&[u8], &[u8]), &GitFile> =
        then.files.iter().map(|file| ((&file.name[..], file.id.as_bytes()), file)).collect();
    let kept = now.files.iter().map(|file| {
        let before = before.get(&(&file.name[..], file.id.as_bytes()))?;
        let found = by_name.get(&file.name[..])?.iter();
        found.filter(|(_, mask)| mask & before.branches != 0).map(|(document, _)| *document).next()
    });
    kept.collect()
}

/// The documents of the last run, to be taken into new shards.
pub(super) struct KeptDocuments<'s> {
    stored: Vec<StoredDocuments<'s>>,
    shards: &'s [Shard<'s>],
    /// Of each file of the run, the document that is taken.
    kept: Vec<Option<KeptAt>>,
    limits: Limits,
    large_files: LargeFiles,
}

impl<'s> KeptDocuments<'s> {
    /// Those of `shards`, which are of `last`; none where one is damaged.
    pub(super) fn new(
        last: &LastRun,
        shards: &'s [Shard<'s>],
        kept: Vec<Option<KeptAt>>,
        options: &IndexOptions<'_>,
    ) -> Option<Self> {
        let stored = last.opened.iter().zip(shards);
        let stored = stored.map(|(last, shard)| StoredDocuments::new(&last.bytes, shard));
        Some(KeptDocuments {
            stored: stored.collect::<Result<_, _>>().ok()?,
            shards,
            kept,
            limits: options.limits,
            large_files: LargeFiles::new(options.large_files.iter().map(String::as_str)),
        })
    }

    /// The document of the file at an index, if it is whole and what the limits of this run let in.
    pub(super) fn document(&self, index: usize, counter: &mut TrigramCounter) -> Option<Document> {
        let KeptAt { shard, number } = (*self.kept.get(index)?)?;
        let content = self.shards[shard].contents().text(number).ok()?;
        let document = self.stored[shard].document(number, 0).ok()?;
        let allowance = self.large_files.allowance(&document.name);
        self.limits.skip(content, allowance, counter).is_none().then_some(document)
    }
}

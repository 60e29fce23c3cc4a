//! The repositories of shards: which there are, and what each holds.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use manicule_core::watch::Watch;
use manicule_format_zoekt::{IndexMetadata, Repository, name_checksum};

use super::super::open::ShardError;
use super::admit::Admit;
use super::bring;
use super::files::OpenShard;
use super::query::{self, Query};
use super::receipt::Receipt;
use super::run::{Order, Request, Skipped};
use crate::tree::Look;

/// A repository, in all shards that have documents of it.
#[derive(Clone, Debug)]
pub struct RepositoryEntry {
    /// The repository, as the last shard's sidecar or the shard itself has it.
    pub repository: Repository,
    /// What that shard says of itself.
    pub metadata: IndexMetadata,
    /// The checksum of the name of the first repository in it: what zoekt makes an id of where a
    /// shard has none.
    pub first_name_checksum: [u8; 8],
    /// Number of shards.
    pub shards: u64,
    /// Number of documents, those with a tombstone included.
    pub documents: u64,
    /// Bytes of their contents and names.
    pub content_len: u64,
    /// Lines of their contents: line feeds.
    pub lines: BranchLines,
    /// Bytes of the shards; of a shared one the share that its documents have of all bytes.
    pub index_len: u64,
}

/// Lines of documents, by the branches that they are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BranchLines {
    /// All.
    pub all: u64,
    /// Those of documents on the first branch.
    pub first: u64,
    /// Those of documents on other branches, once for each.
    pub others: u64,
}

impl BranchLines {
    /// Adds the lines of a document on the branches of `mask`.
    fn add_document(&mut self, count: u64, mask: u64) {
        self.add(BranchLines {
            all: count,
            first: count * (mask & 1),
            others: count * u64::from((mask >> 1).count_ones()),
        });
    }

    /// Adds others.
    pub fn add(&mut self, other: BranchLines) {
        self.all += other.all;
        self.first += other.first;
        self.others += other.others;
    }
}

/// The repositories for which a query holds, or has a document for which it does; all without a
/// query. They are in the order of their names; those with a tombstone are left out.
pub fn list(
    shards: &[OpenShard<'_>],
    query: Option<&Query>,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Vec<RepositoryEntry>, ShardError> {
    bring::newlines(shards)?;
    let mut entries = BTreeMap::new();
    for open in shards {
        add(open, &mut entries)?;
    }
    if let Some(query) = query {
        let (look, admit) = (Look::Contents, Admit::all());
        let request = Request {
            look: &look,
            admit: &admit,
            order: Order::Any,
            skipped: Skipped::Kept,
            threads,
            watch,
        };
        let mut receipt = Receipt::default();
        let names = query::repositories(shards, query, &request, &mut receipt)?;
        entries.retain(|name, _| names.contains(name));
    }
    Ok(entries.into_values().collect())
}

/// What a shard has of one of its repositories.
#[derive(Clone, Copy, Debug, Default)]
pub struct RepositoryShare {
    /// Number of documents, those with a tombstone included.
    pub documents: u64,
    /// Bytes of their contents and names.
    pub content_len: u64,
    /// Bytes of the shard; of a shared one the share that its documents have of all bytes.
    pub index_len: u64,
}

/// What a shard has of each of its repositories, in their order. Of its documents only the lengths
/// are read.
pub fn repository_shares(open: &OpenShard<'_>) -> Result<Vec<RepositoryShare>, ShardError> {
    let shard = open.shard();
    let mut shares = vec![RepositoryShare::default(); shard.repositories().len()];
    let mut all_len = 0;
    for document in 0..shard.document_count() {
        let damaged = |error| open.damaged(error);
        let len = shard.contents().texts().range(document).map_err(damaged)?.len()
            + shard.names().texts().range(document).map_err(damaged)?.len();
        all_len += len as u64;
        let share = &mut shares[shard.repository_of(document)];
        share.documents += 1;
        share.content_len += len as u64;
    }
    let (file_len, is_only) = (u128::from(shard.file_len()), shares.len() == 1);
    for share in &mut shares {
        let part = u128::from(share.content_len) * file_len / u128::from(all_len.max(1));
        share.index_len = if is_only { file_len as u64 } else { part as u64 };
    }
    Ok(shares)
}

/// Adds the repositories of a shard.
fn add(
    open: &OpenShard<'_>,
    entries: &mut BTreeMap<Vec<u8>, RepositoryEntry>,
) -> Result<(), ShardError> {
    let shard = open.shard();
    let mut lines = vec![BranchLines::default(); shard.repositories().len()];
    for document in 0..shard.document_count() {
        let number = shard.repository_of(document);
        if !shard.repositories()[number].tombstone {
            let newlines = shard.newlines(document).map_err(|error| open.damaged(error))?;
            lines[number].add_document(newlines.len() as u64, shard.branch_mask(document));
        }
    }
    let shares = repository_shares(open)?;
    let first_name = shard.repositories().first().map_or(&[][..], |first| &first.name.0);
    let first_name_checksum = name_checksum(first_name);
    for ((repository, share), lines) in shard.repositories().iter().zip(shares).zip(lines) {
        if repository.tombstone {
            continue;
        }
        let RepositoryShare { documents, content_len, index_len } = share;
        let entry = RepositoryEntry {
            repository: repository.clone(),
            metadata: shard.metadata().clone(),
            first_name_checksum,
            shards: 1,
            documents,
            content_len,
            lines,
            index_len,
        };
        match entries.entry(entry.repository.name.0.clone()) {
            Entry::Vacant(vacant) => drop(vacant.insert(entry)),
            Entry::Occupied(mut occupied) => join(occupied.get_mut(), entry),
        }
    }
    Ok(())
}

/// Adds what a further shard has of a repository.
fn join(all: &mut RepositoryEntry, mut further: RepositoryEntry) {
    further.lines.add(all.lines);
    *all = RepositoryEntry {
        shards: all.shards + further.shards,
        documents: all.documents + further.documents,
        content_len: all.content_len + further.content_len,
        index_len: all.index_len + further.index_len,
        ..further
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_further_shard_adds_to_a_repository() {
        let entry = |name: &str, count: u64| RepositoryEntry {
            repository: Repository { name: name.into(), ..Repository::default() },
            first_name_checksum: [0; 8],
            metadata: IndexMetadata { id: count.to_string(), ..IndexMetadata::default() },
            shards: 1,
            documents: count,
            content_len: count,
            lines: BranchLines { all: count, first: 0, others: 0 },
            index_len: count,
        };
        let mut all = entry("a", 1);
        join(&mut all, entry("a", 5));
        assert_eq!((all.shards, all.documents, all.metadata.id.as_str()), (2, 6, "5"));
        assert_eq!(all.lines.all, 6);
    }
}

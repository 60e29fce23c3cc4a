//! How much of a repository is used, and what a prune would do.

mod packs;
mod plan;

use std::fmt;

use manicule_core::ErrorClass;
use manicule_core::watch::Watch;
use manicule_format_restic::{BlobKind, FileKind, Id};

use crate::error::RepoError;
use crate::index::{Blobs, Index, PackNo};
use crate::repository::Repository;
use crate::snapshots::Snapshots;
use crate::storage::Listed;
use crate::trees::{Forest, TreeNo, gap_in_words, gather};
use packs::{Entry, PackUses};
use plan::{Plan, PlanError};

pub use packs::Amount;
pub use plan::{Fate, PruneOptions, PruneSums, UnusedMax};

/// Why a prune can't be planned: with it, restic's would end before it does anything.
#[derive(Debug)]
pub enum UsageError {
    /// The repository can't be read.
    Repo(RepoError),
    /// Blobs can't be compressed in a repository of version 1.
    Version1,
    /// A snapshot, or a tree or blob that one needs, can't be read or is not there.
    Incomplete {
        /// What it is, as sentences.
        gaps: Vec<String>,
    },
    /// A pack with used blobs has another length than its blobs make.
    PackLen {
        /// The pack.
        pack: Id,
        /// Length that the index makes it.
        want: u64,
        /// Length of the file.
        got: u64,
    },
    /// Packs with used blobs are not in storage.
    MissingPacks {
        /// The packs.
        packs: Vec<Id>,
    },
}

impl UsageError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            UsageError::Repo(error) => error.class(),
            UsageError::Version1 => ErrorClass::Unsupported,
            UsageError::Incomplete { .. }
            | UsageError::PackLen { .. }
            | UsageError::MissingPacks { .. } => ErrorClass::Damaged,
        }
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UsageError::Repo(error) => error.fmt(f),
            UsageError::Version1 => f.write_str(
                "blobs that are not compressed can't be repacked: that takes a repository of version 2, this one is of version 1",
            ),
            UsageError::Incomplete { gaps } => {
                let first = gaps.first().map_or("", String::as_str);
                match gaps.len() {
                    0 | 1 => f.write_str(first),
                    count => write!(f, "{first}; and {} more of the kind", count - 1),
                }
            }
            UsageError::PackLen { pack, want, got } => write!(
                f,
                "pack {pack}: length by the index {want} bytes, of the file {got}; `restic repair index` reads it again"
            ),
            UsageError::MissingPacks { packs } => {
                let (count, first) = (packs.len(), packs[0]);
                write!(f, "{count} packs of the index are not in storage, {first} is one of them")
            }
        }
    }
}

impl std::error::Error for UsageError {}

impl<E: Into<RepoError>> From<E> for UsageError {
    fn from(error: E) -> Self {
        UsageError::Repo(error.into())
    }
}

/// What a prune would do, pack by pack.
#[derive(Debug)]
pub struct PrunePlan {
    /// Blobs and bytes in all.
    pub sums: PruneSums,
    /// Size from which on a pack is not small.
    pub small_below: u64,
    /// Packs of the index with their fate and use, by their numbers.
    pub packs: Vec<PackRow>,
    /// Packs in storage that no index file names: they go first.
    pub unreferenced: Vec<Listed>,
}

/// A pack of the index in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackRow {
    /// The pack.
    pub pack: PackNo,
    /// What becomes of it.
    pub fate: Fate,
    /// Used blobs, without the header.
    pub used_bytes: u64,
    /// The header, and the length behind it.
    pub header_bytes: u64,
    /// Blobs that are not used, or used from another pack.
    pub unused: Amount,
}

impl PrunePlan {
    /// Plans a prune, writing nothing. Each distinct tree is read once. Memory beside the index:
    /// 4 bytes for each subtree and blob of each distinct tree, 2 a blob, 64 a pack.
    pub fn new(
        repository: &Repository,
        index: &Index,
        snapshots: &Snapshots,
        options: &PruneOptions,
        threads: usize,
        watch: &Watch<'_>,
    ) -> Result<PrunePlan, UsageError> {
        if options.uncompressed && options.version < 2 {
            return Err(UsageError::Version1);
        }
        let listed = repository.storage().list(FileKind::Pack)?;
        let is_used = used_blobs(repository, index, snapshots, threads, watch)?;
        let headers = index.packs().iter().map(|pack| pack.header_len);
        let uses = PackUses::of(headers, || entries(index), &is_used);
        let mut lens = vec![None; index.packs().len()];
        let mut unreferenced = Vec::new();
        for file in listed {
            match index.find_pack(&file.id) {
                Some(pack) => lens[pack.0 as usize] = Some(file.len),
                None => unreferenced.push(file),
            }
        }
        let extra = unreferenced.iter().map(|file| file.len);
        let plan = Plan::new(&uses, &lens, extra, options).map_err(|error| named(index, error))?;
        let rows = (0..).zip(plan.fates).zip(&uses.packs).map(|((pack, fate), use_of)| PackRow {
            pack: PackNo(pack),
            fate,
            used_bytes: use_of.used_bytes - index.pack(PackNo(pack)).header_len,
            header_bytes: index.pack(PackNo(pack)).header_len,
            unused: Amount { blobs: use_of.unused_blobs, bytes: use_of.unused_bytes },
        });
        Ok(PrunePlan {
            sums: plan.sums,
            small_below: plan.target,
            packs: rows.collect(),
            unreferenced,
        })
    }
}

fn named(index: &Index, error: PlanError) -> UsageError {
    let id = |pack: u32| index.pack(PackNo(pack)).id;
    match error {
        PlanError::Size { pack, want, got } => UsageError::PackLen { pack: id(pack), want, got },
        PlanError::Missing { packs } => {
            UsageError::MissingPacks { packs: packs.into_iter().map(id).collect() }
        }
    }
}

/// A flag for each blob that a snapshot needs, as [`used_flags`] has them.
fn used_blobs(
    repository: &Repository,
    index: &Index,
    snapshots: &Snapshots,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Vec<bool>, UsageError> {
    let mut gaps: Vec<String> = snapshots.broken.iter().map(RepoError::to_string).collect();
    let mut roots = Vec::new();
    for kept in &snapshots.kept {
        roots.extend(kept.root(index).map_err(|gap| gaps.push(gap)));
    }
    let gathered = gather(repository, index, &roots, threads, watch)?;
    gaps.extend(gathered.gaps.iter().map(|gap| gap_in_words(index, gap)));
    if gaps.is_empty() {
        Ok(used_flags(index, &gathered.forest))
    } else {
        Err(UsageError::Incomplete { gaps })
    }
}

/// A flag for each blob that the trees of a forest name, and for each of these trees: data blobs by
/// their numbers, then trees.
pub(crate) fn used_flags(index: &Index, forest: &Forest) -> Vec<bool> {
    let data_end = index.of(BlobKind::Data).numbers_end();
    let mut is_used = vec![false; data_end + index.of(BlobKind::Tree).numbers_end()];
    for tree in forest.trees() {
        let TreeNo(number) = tree;
        is_used[data_end + number as usize] = true;
        forest.blobs(tree).iter().for_each(|blob| is_used[blob.0 as usize] = true);
    }
    is_used
}

/// All entries of the index: data blobs, then trees.
fn entries(index: &Index) -> impl Iterator<Item = Entry> {
    let data_end = index.of(BlobKind::Data).numbers_end() as u32;
    let of = |kind: BlobKind, start: u32| {
        let blobs: &Blobs = index.of(kind);
        blobs.entries_by_blob().map(move |(first, _, _, stored)| Entry {
            kind,
            blob: start + first,
            pack: stored.pack.0,
            len: stored.place.len,
            is_compressed: stored.place.is_compressed(),
        })
    };
    of(BlobKind::Data, 0).chain(of(BlobKind::Tree, data_end))
}

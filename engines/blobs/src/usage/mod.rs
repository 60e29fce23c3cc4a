//! How much of a repository is used, and what a prune would do.

mod error;
mod packs;
mod plan;
mod used;

use manicule_core::watch::Watch;
use manicule_format_restic::FileKind;

use crate::index::{Index, PackNo};
use crate::repository::Repository;
use crate::snapshots::Snapshots;
use crate::storage::Listed;
use packs::PackUses;
use plan::{Plan, PlanError};
use used::entries;

pub use error::UsageError;
pub use packs::Amount;
pub use plan::{Fate, PruneOptions, PruneSums, UnusedMax};
pub use used::UsedBlobs;
pub(crate) use used::used_flags;

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
    /// Number of used blobs.
    pub used_blobs: u64,
    /// Their bytes, without the header.
    pub used_bytes: u64,
    /// The header, and the length behind it.
    pub header_bytes: u64,
    /// Blobs that are not used, or used from another pack.
    pub unused: Amount,
    /// Bytes of those that are used from another pack.
    pub duplicate_bytes: u64,
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
        let used = UsedBlobs::of(repository, index, snapshots, threads, watch)?;
        let headers = index.packs().iter().map(|pack| pack.header_len);
        let uses = PackUses::of(headers, || entries(index), used.flags());
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
            used_blobs: use_of.used_blobs,
            used_bytes: use_of.used_bytes - index.pack(PackNo(pack)).header_len,
            header_bytes: index.pack(PackNo(pack)).header_len,
            unused: Amount { blobs: use_of.unused_blobs, bytes: use_of.unused_bytes },
            duplicate_bytes: use_of.duplicate_bytes,
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

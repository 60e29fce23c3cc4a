//! How much snapshots hold, counted in the four ways of `restic stats`.

mod contents;
mod counted;
mod restored;

use manicule_core::watch::Watch;
use manicule_format_restic::{BlobKind, ENVELOPE_LEN, Version};

use crate::error::RepoError;
use crate::index::Index;
use crate::repository::Repository;
use crate::snapshots::Kept;
use crate::trees::{TreeNo, gap_in_words, gather};
use crate::usage::used_flags;

pub use counted::{Stats, StatsMode};

/// Counts some snapshots, in this order.
pub fn stats(
    repository: &Repository,
    index: &Index,
    snapshots: &[&Kept],
    mode: StatsMode,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Stats, RepoError> {
    let mut stats = Stats { snapshots: snapshots.len() as u64, ..Stats::default() };
    let mut roots = Vec::new();
    for kept in snapshots {
        match kept.root(index) {
            Ok(root) => roots.push(root),
            Err(gap) => stats.gaps.push(gap),
        }
    }
    match mode {
        StatsMode::RestoreSize => {
            restored::count(repository, index, &roots, threads, watch, &mut stats)?;
        }
        StatsMode::FilesByContents | StatsMode::BlobsPerFile => {
            contents::count(repository, index, &roots, mode, watch, &mut stats)?;
        }
        StatsMode::RawData => raw(repository, index, &roots, threads, watch, &mut stats)?,
    }
    stats.gaps.sort_unstable();
    stats.gaps.dedup();
    Ok(stats)
}

/// Each blob once, however often it is stored; restic 0.19.1 counts it once for each place.
fn raw(
    repository: &Repository,
    index: &Index,
    roots: &[TreeNo],
    threads: usize,
    watch: &Watch<'_>,
    stats: &mut Stats,
) -> Result<(), RepoError> {
    let gathered = gather(repository, index, roots, threads, watch)?;
    stats.gaps.extend(gathered.gaps.iter().map(|gap| gap_in_words(index, gap)));
    let is_used = used_flags(index, &gathered.forest);
    let (data, trees) = is_used.split_at(index.of(BlobKind::Data).numbers_end());
    let is_compressible = repository.config().version >= Version::V2;
    for (kind, is_used) in [(BlobKind::Data, data), (BlobKind::Tree, trees)] {
        for (first, number, _, stored) in index.of(kind).entries_by_blob() {
            if first != number || !is_used[number as usize] {
                continue;
            }
            let len = u64::from(stored.place.len);
            stats.size += len;
            stats.blobs += 1;
            if is_compressible {
                let plain = u64::from(stored.place.plain_len()) + ENVELOPE_LEN as u64;
                stats.uncompressed_size += plain;
                if stored.place.is_compressed() {
                    stats.compressed_size += len;
                    stats.compressed_uncompressed_size += plain;
                }
            }
        }
    }
    Ok(())
}

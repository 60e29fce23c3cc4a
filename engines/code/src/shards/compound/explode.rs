//! A compound shard taken apart into shards of its repositories.

use std::path::Path;

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_zoekt::COMPOUND_VERSION;
use manicule_store::Disk;

use super::super::family::{ENDING, Family};
use super::super::index::{Document, Repositories};
use super::super::stored::StoredShard;
use super::document::documents;
use super::error::CompoundError;
use super::exchanged::{Exchanged, prefix_of};
use super::folder::folder_of;
use super::{CompoundOptions, ShardsReport};

/// Explodes a compound shard: each of its repositories that is alive gets a shard of its own, which
/// together take its place. After `Err` it is there, whole.
pub fn explode(
    path: &Path,
    options: &CompoundOptions,
    watch: &Watch<'_>,
) -> Result<ShardsReport, CompoundError> {
    let path = path.to_owned();
    let folder = folder_of(std::slice::from_ref(&path))?;
    let prefix = prefix_of(&path)?;
    let input = StoredShard::open(&path)?;
    let shard = input.shard()?;
    if shard.metadata().index_format_version != COMPOUND_VERSION {
        return Err(CompoundError::NotCompound { path });
    }
    let files = Disk::shared();
    let mut exchanged = Exchanged::begin(&folder, &prefix, &files, options);
    exchanged.remove(&path)?;
    let len = input.bytes.len() as u64;
    let meter = watch.phase(Phase::Indexing, Unit::Bytes, len);
    let count = shard.repositories().len();
    for (number, repository) in shard.repositories().iter().enumerate() {
        if repository.tombstone {
            exchanged.leave_out(repository);
            continue;
        }
        let family = Family::new(&folder, &repository.name.0);
        let its_own = family.path(0, ENDING);
        if its_own.exists() {
            return Err(CompoundError::Exists { path: its_own });
        }
        let numbers: Vec<_> = (0..count).map(|one| (one == number).then_some(0)).collect();
        let all = documents(&input, &shard, &numbers, options.threads)?;
        let all: Vec<&Document> = all.iter().collect();
        let repository = repository.as_read();
        exchanged.write(&family, Repositories::One(&repository), &all, &meter)?;
    }
    meter.end();
    exchanged.publish(watch)
}

//! Shards of single repositories, or of several, merged into one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_zoekt::{Repository, Shard};
use manicule_store::Disk;

use super::super::family::{ENDING, Family, hex_sha1};
use super::super::index::{Document, Repositories};
use super::super::stored::StoredShard;
use super::super::tombstones::COMPOUND;
use super::document::documents;
use super::error::CompoundError;
use super::exchanged::Exchanged;
use super::folder::folder_of;
use super::{CompoundOptions, ShardsReport};

/// Merges shards of a folder into a compound shard, which takes their place: repositories of a high
/// priority first, then as they are given. After `Err` the shards that were there are, whole.
pub fn merge(
    paths: &[PathBuf],
    options: &CompoundOptions,
    watch: &Watch<'_>,
) -> Result<ShardsReport, CompoundError> {
    let folder = folder_of(paths)?;
    let inputs: Vec<StoredShard> =
        paths.iter().map(|path| StoredShard::open(path)).collect::<Result<_, _>>()?;
    let mut opened: Vec<(&StoredShard, Shard<'_>)> = inputs
        .iter()
        .map(|input| Ok((input, input.shard()?)))
        .collect::<Result<_, CompoundError>>()?;
    opened.sort_by(|(_, left), (_, right)| {
        let priority = |shard: &Shard<'_>| shard.repositories()[0].priority();
        priority(right).total_cmp(&priority(left))
    });
    for (input, _) in &opened {
        refuse_several(&input.path)?;
    }
    let mut merged = Merged::default();
    for (_, shard) in &opened {
        merged.take(shard)?;
    }
    if merged.repositories.is_empty() {
        return Err(CompoundError::Nothing);
    }
    let family = Family::with_prefix(&folder, &merged.prefix());
    let files = Disk::shared();
    let mut exchanged = Exchanged::begin(&folder, &family.prefix, &files, options);
    for (input, _) in &opened {
        exchanged.remove(&input.path)?;
    }
    let mut all: Vec<Document> = Vec::new();
    for ((input, shard), numbers) in opened.iter().zip(&merged.numbers) {
        watch.check().map_err(|_| CompoundError::Stopped)?;
        all.extend(documents(input, shard, numbers, options.threads)?);
    }
    let all: Vec<&Document> = all.iter().collect();
    let len = all.iter().map(|document| u64::from(document.len)).sum();
    let meter = watch.phase(Phase::Indexing, Unit::Bytes, len);
    exchanged.write(&family, Repositories::Several(&merged.repositories), &all, &meter)?;
    meter.end();
    merged.left_out.iter().for_each(|repository| exchanged.leave_out(repository));
    exchanged.publish(watch)
}

/// Refuses a shard whose repository has others: its documents would be found twice, or their
/// tombstones in the others not at all.
fn refuse_several(path: &Path) -> Result<(), CompoundError> {
    let no_shard = || CompoundError::NoShard(path.to_owned());
    let (family, number) = Family::of(path).ok_or_else(no_shard)?;
    if number > 0 || family.path(1, ENDING).exists() {
        return Err(CompoundError::Several { path: path.to_owned() });
    }
    Ok(())
}

/// The repositories of a compound shard.
#[derive(Default)]
struct Merged {
    repositories: Vec<Repository>,
    /// Of each input, the new number of each repository that is kept.
    numbers: Vec<Vec<Option<u16>>>,
    left_out: Vec<Repository>,
    names: BTreeSet<Vec<u8>>,
}

impl Merged {
    /// Takes the repositories of an input that are alive and have documents.
    fn take(&mut self, shard: &Shard<'_>) -> Result<(), CompoundError> {
        let mut has_documents = vec![false; shard.repositories().len()];
        for document in 0..shard.document_count() {
            has_documents[shard.repository_of(document)] = true;
        }
        let mut numbers = Vec::with_capacity(has_documents.len());
        for (repository, has_documents) in shard.repositories().iter().zip(has_documents) {
            if repository.tombstone || !has_documents {
                self.left_out.push(repository.clone());
                numbers.push(None);
                continue;
            }
            let count = self.repositories.len();
            let number = u16::try_from(count).ok().filter(|number| *number < u16::MAX);
            let too_many = || CompoundError::Repositories { count: count + 1 };
            numbers.push(Some(number.ok_or_else(too_many)?));
            if !self.names.insert(repository.name.0.clone()) {
                return Err(CompoundError::Twice { name: repository.name.clone() });
            }
            self.repositories.push(repository.as_read());
        }
        self.numbers.push(numbers);
        Ok(())
    }

    /// Prefix of the compound shard's name, which its repositories decide.
    fn prefix(&self) -> String {
        let names: Vec<u8> =
            self.repositories.iter().flat_map(|one| [&one.name.0[..], b"\0"].concat()).collect();
        format!("{COMPOUND}{}_v17", hex_sha1(&names))
    }
}

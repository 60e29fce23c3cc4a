//! Repair of the index: every pack in storage is listed, as its header has it, and nothing else.
//!
//! In this order, so that no blob is lost at any moment: index files are read; packs in storage are
//! compared with them, and headers read where they differ; new index files are put, each synced
//! before the next; then the old ones are removed that could not be read or that list something
//! else by now. Files of the index that need no change stay as they are. Whatever ends a run
//! between two steps leaves entries that are listed twice at worst, and the next run mends that.
//!
//! A dry run takes the same way and puts and removes nothing.
//!
//! Bytes:   docs/formats/restic.md, "Repair of the index"

mod options;
mod output;
mod packs;
mod report;
mod rewrite;
mod salvage;
mod survey;

use manicule_core::watch::Watch;
use manicule_format_restic::Id;

use crate::lock::Exclusive;
use crate::repository::Repository;
use output::Output;
use survey::Survey;

pub use options::{ReadPacks, RepairOptions};
pub use report::{ChangedPack, PackChange, RemovedIndex, RepairError, RepairReport};

/// Repairs the index of a repository that nobody else writes into.
///
/// Reads all index files, and a range of each pack that is looked at. An index file that can't be
/// read from its storage, as opposed to a damaged one, is an error, and nothing is changed then;
/// after an error before the first removal everything is as it was.
pub fn repair_index(
    lock: &mut Exclusive<'_>,
    options: &RepairOptions,
    watch: &Watch<'_>,
) -> Result<RepairReport, RepairError> {
    let repository = lock.repository();
    if repository.config().is_append_only {
        return Err(RepairError::AppendOnly { place: repository.storage().place() });
    }
    run(repository, Some(lock), options, watch)
}

/// What a repair would do. Writes nothing, and takes no lock.
pub fn plan_repair(
    repository: &Repository,
    options: &RepairOptions,
    watch: &Watch<'_>,
) -> Result<RepairReport, RepairError> {
    run(repository, None, options, watch)
}

fn run(
    repository: &Repository,
    lock: Option<&mut Exclusive<'_>>,
    options: &RepairOptions,
    watch: &Watch<'_>,
) -> Result<RepairReport, RepairError> {
    if repository.config().is_hot {
        return Err(RepairError::HotHalf { place: repository.storage().place() });
    }
    let mut output = Output::new(lock);
    let (mut report, old) = match write(repository, options, &mut output, watch) {
        Ok(written) => written,
        Err(error) => {
            output.undo();
            return Err(error);
        }
    };
    report.written.clone_from(&output.written);
    output.remove(&old)?;
    Ok(report)
}

/// Everything up to the first removal; the files to remove come back.
fn write(
    repository: &Repository,
    options: &RepairOptions,
    output: &mut Output<'_, '_>,
    watch: &Watch<'_>,
) -> Result<(RepairReport, Vec<Id>), RepairError> {
    let mut survey = Survey::read(repository, options.threads, watch, || output.keep())?;
    let mut looked = packs::look(repository, &mut survey, options, output, watch)?;
    salvage::salvage(repository, &mut survey, &mut looked, options.threads, output, watch)?;
    let changing = rewrite::rewrite(repository, &survey, &looked, output, watch)?;
    let index_read = (survey.files.len() + survey.damaged.len()) as u64;
    let index_kept = (survey.files.len() - changing.len()) as u64;
    let mut index_removed = survey.damaged;
    index_removed.extend(changing.into_iter().map(|id| RemovedIndex { id, error: None }));
    index_removed.sort_unstable_by_key(|removed| removed.id);
    looked.changed.sort_unstable();
    let old = index_removed.iter().map(|removed| removed.id).collect();
    let report = RepairReport {
        index_read,
        index_kept,
        index_removed,
        index_written: output.count,
        written: Vec::new(),
        packs: looked.count,
        headers_read: looked.headers_read,
        changed: looked.changed,
        entries_written: output.entry_count,
        marked: looked.marked.len() as u64,
    };
    Ok((report, old))
}

//! Output folder of new blocks: when a block is written there, and the blocks beside it.

use std::path::Path;

use manicule_series::{Block, ExternalLabels, LeftOut, Target};
use manicule_store::publish::Upload;

use super::error::Error;
use crate::place::{remote, scratch};

/// Folder of the cache for blocks on their way to a bucket.
const SCRATCH: &str = "series";

/// Condition under which a block is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// The block is written, whatever it lacks.
    Always,
    /// The block is written, unless there is a reason to look at the report first; the job is then
    /// done twice.
    IfSound,
    /// Nothing is written: the report is that of the real job.
    Never,
}

/// Result of a job that makes a block.
#[derive(Debug)]
pub struct Made<R> {
    /// Report of the job.
    pub report: R,
    /// Damaged parts that were left out.
    pub salvage: manicule_series::Salvage,
    /// Number of blocks that were read.
    pub block_count: u64,
    /// Number of these that lie beside the new one, if there is one: Prometheus removes such
    /// blocks.
    pub parents_beside: u64,
    /// Whether nothing was written because of [`Writes::IfSound`].
    pub is_refused: bool,
    /// Blocks of addresses that were not read, as they are marked for deletion.
    pub left_out: Vec<LeftOut>,
}

/// Maximum number of damaged parts that are listed; more are counted.
const DAMAGE_LIST_MAX: usize = 10_000;

/// An empty list of damaged parts, for a job that leaves them out.
pub fn salvage() -> manicule_series::Salvage {
    manicule_series::Salvage::new(DAMAGE_LIST_MAX)
}

/// Where new blocks go.
#[derive(Debug)]
pub(super) struct Output<'c> {
    path: &'c Path,
    /// What puts them into a bucket; `None` for a local folder.
    upload: Option<Upload>,
    labels: &'c ExternalLabels,
}

impl<'c> Output<'c> {
    /// A folder or an address, and external labels for the blocks; of none they have those of the
    /// blocks that they are made of. Nothing is made or asked yet: an address where nothing can be
    /// put is refused.
    pub(super) fn at(path: &'c Path, labels: &'c ExternalLabels) -> Result<Self, Error> {
        let failed = |error| Error::output(path, error);
        let upload = remote(path).map_err(failed)?.map(|remote| remote.upload());
        Ok(Output { path, upload: upload.transpose().map_err(failed)?, labels })
    }

    /// The folder, made if it doesn't exist. One in a bucket is listed.
    ///
    /// # Errors
    /// Among others a bucket whose system would not take blocks that are made of these.
    pub(super) fn open(&self, blocks: &[Block]) -> Result<Target, Error> {
        let failed = |source| Error::Output { path: self.path.to_owned(), source };
        let target = match &self.upload {
            None => Target::open(self.path),
            Some(upload) => {
                let scratch =
                    scratch(SCRATCH, self.path).map_err(|error| Error::output(self.path, error))?;
                Target::elsewhere(&scratch, upload.clone())
            }
        };
        let target = target.map_err(failed)?.with_labels(self.labels.clone());
        let untaken = target.check_owner(&labels_of(blocks))?;
        untaken.map_or(Ok(target), |untaken| Err(Error::Untaken(untaken)))
    }
}

/// The external labels that all blocks have.
fn labels_of(blocks: &[Block]) -> ExternalLabels {
    let of_block = |block: &Block| block.meta().map(|meta| meta.external_labels());
    let mut labels = blocks.iter().map(|block| of_block(block).unwrap_or_default());
    let Some(first) = labels.next() else { return ExternalLabels::new() };
    if labels.all(|other| other == first) { first } else { ExternalLabels::new() }
}

/// Number of blocks that lie in a folder. Prometheus removes the parents of a block that lies
/// beside them.
pub(super) fn count_beside(folder: &Path, blocks: &[Block]) -> u64 {
    let Ok(folder) = folder.canonicalize() else { return 0 };
    let is_beside = |block: &&Block| {
        let path = block.path().canonicalize();
        path.is_ok_and(|path| path.parent() == Some(&folder))
    };
    blocks.iter().filter(is_beside).count() as u64
}

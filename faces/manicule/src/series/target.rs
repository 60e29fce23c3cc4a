//! Output folder of new blocks: when a block is written there, and the blocks beside it.

use std::path::Path;

use manicule_series::{Block, Target};

use super::error::Error;

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
}

/// Maximum number of damaged parts that are listed; more are counted.
const DAMAGE_LIST_MAX: usize = 10_000;

/// An empty list of damaged parts, for a job that leaves them out.
pub fn salvage() -> manicule_series::Salvage {
    manicule_series::Salvage::new(DAMAGE_LIST_MAX)
}

/// The folder for new blocks, made if it doesn't exist.
pub(super) fn open_target(folder: &Path) -> Result<Target, Error> {
    Target::open(folder).map_err(|source| Error::Output { path: folder.to_owned(), source })
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

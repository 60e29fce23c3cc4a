//! The index of a block written again, with the files that other systems keep beside it.

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_series::Block;
pub use manicule_series::ReindexOptions;
pub use manicule_series::write::{SymbolChoice, Written};
use manicule_store::context::Context;

use super::MERGE_MEMORY;
use super::error::Error;

/// Arguments of a reindexing.
#[derive(Clone, Debug)]
pub struct ReindexCall {
    /// The block, or an index by itself.
    pub block: PathBuf,
    /// Output folder of the files; those of their names are replaced.
    pub output: PathBuf,
    /// Options of the writer.
    pub options: ReindexOptions,
}

impl ReindexCall {
    /// The index alone, with all its symbols, on all cores.
    pub fn new(block: PathBuf, output: PathBuf) -> Self {
        let options = ReindexOptions {
            memory: MERGE_MEMORY,
            symbols: SymbolChoice::All,
            label_indices: false,
            index_header: false,
            sparse_header: false,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        };
        ReindexCall { block, output, options }
    }
}

/// Writes the index of a block from its own series, as Prometheus's writer would.
///
/// ```
/// use manicule::series::{ReindexCall, reindex};
/// use manicule::watch::Watch;
///
/// # let folder = tempfile::tempdir()?;
/// # let (text, data) = (folder.path().join("up.txt"), folder.path().join("data"));
/// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
/// # let inputs = vec![manicule::series::build::Input::File(text)];
/// # let built = manicule::series::build(&manicule::series::BuildCall::new(inputs, data.clone()), &Watch::none())?;
/// # let block = built.blocks[0].path.clone();
/// let output = folder.path().join("index-of-it");
/// let written = reindex(&ReindexCall::new(block.clone(), output.clone()), &Watch::none())?;
/// assert_eq!(written.series, 2);
/// assert_eq!(std::fs::read(output.join("index"))?, std::fs::read(block.join("index"))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reindex(call: &ReindexCall, watch: &Watch<'_>) -> Result<Written, Error> {
    let _held = Context::current().hold(call.options.memory).map_err(Error::Memory)?;
    let block = Block::open(&call.block)?;
    block.prove()?;
    Ok(manicule_series::reindex(&block, &call.output, &call.options, watch)?)
}

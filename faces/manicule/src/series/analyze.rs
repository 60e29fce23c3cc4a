//! What a block's space is spent on, and what grew since another.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
pub use manicule_series::growth::{Change, Grown, GrownList, Growth, Lens, growth};
pub use manicule_series::{
    Analysis, AnalyzeOptions, Bytes, ChunkAnalysis, Chunks, Count, Distribution, LabelCost, Matrix,
    MetricOfValue, MetricRow, SampleBytes, ValueRow,
};
use manicule_series::{Block, BlockError, LeftOut, Opened, Why, block_paths, open_newest};

use super::blocks::open_block;
use super::data::{is_broken, open_remote};
use super::error::Error;
use crate::place::remote;

/// The block that is analysed, and the data folder it was picked from.
#[derive(Debug)]
pub struct Picked {
    /// The block.
    pub block: Block,
    /// The data folder and its number of blocks, if the block was picked from one.
    pub folder: Option<(PathBuf, usize)>,
    /// Blocks of an address that it was not picked from.
    pub left_out: Vec<LeftOut>,
}

/// Opens the selected block: the newest of a folder, or the one that is named. The others are not
/// opened, but for those of an address.
pub fn pick(path: &Path, name: Option<&str>) -> Result<Picked, Error> {
    if let Some(remote) = remote(path).map_err(BlockError::from)? {
        return pick_among(path, name, open_remote(&remote, None, None)?);
    }
    let Some(name) = name else {
        let (block, count) = open_newest(path)?;
        let folder = (block.path() != path).then(|| (path.to_owned(), count));
        return Ok(Picked { block, folder, left_out: Vec::new() });
    };
    let paths = block_paths(path)?;
    let named = paths.iter().find(|path| path.file_name().is_some_and(|file| file == name));
    let no_block = || Error::NoBlock { folder: path.to_owned(), name: name.to_owned() };
    let named = named.ok_or_else(no_block)?;
    let folder = (named != path).then(|| (path.to_owned(), paths.len()));
    Ok(Picked { block: Block::open(named)?, folder, left_out: Vec::new() })
}

/// Picks of the blocks of an address, which are by the first time that is in them. One that is
/// named is read though it is marked for deletion.
fn pick_among(path: &Path, name: Option<&str>, opened: Opened) -> Result<Picked, Error> {
    let Opened { mut blocks, mut left_out, .. } = opened;
    let count = blocks.len();
    let block = match name {
        None => {
            let is_damage =
                |out: &LeftOut| matches!(&out.why, Why::Failed(error) if is_broken(error));
            if let Some(broken) = left_out.iter().position(is_damage)
                && let Why::Failed(error) = left_out.swap_remove(broken).why
            {
                return Err(error.into());
            }
            blocks.pop()
        }
        Some(name) => {
            let is_named = |path: &Path| path.file_name() == Some(OsStr::new(name));
            let marked = left_out.iter().find(|out| is_named(&out.path)).map(|out| &out.path);
            match blocks.iter().position(|block| is_named(block.path())) {
                Some(at) => Some(blocks.swap_remove(at)),
                None => marked.map(|path| open_block(path)).transpose()?,
            }
        }
    };
    let no_block =
        || Error::NoBlock { folder: path.to_owned(), name: name.unwrap_or_default().to_owned() };
    let block = block.ok_or_else(no_block)?;
    let folder = (block.path() != path).then(|| (path.to_owned(), count));
    if name.is_some() {
        left_out.clear();
    }
    Ok(Picked { block, folder, left_out })
}

/// Options of an analysis that reads no chunks: lists of 20 rows, over all series.
pub const LISTS: AnalyzeOptions<'_> = AnalyzeOptions {
    matchers: &[],
    limit: 20,
    matrix: Matrix::LeaveOut,
    chunks: Chunks::LeaveOut,
    bytes: Bytes::LeaveOut,
    by: None,
};

/// Analyses a block.
///
/// ```
/// use manicule::series::analyze::{AnalyzeOptions, LISTS, analyze, pick};
/// use manicule::watch::Watch;
///
/// # let folder = tempfile::tempdir()?;
/// # let (text, data) = (folder.path().join("up.txt"), folder.path().join("data"));
/// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
/// # let inputs = vec![manicule::series::build::Input::File(text)];
/// # let built = manicule::series::build(&manicule::series::BuildCall::new(inputs, data.clone()), &Watch::none())?;
/// # let block = built.blocks[0].path.clone();
/// let picked = pick(&data, None)?;
/// let options = AnalyzeOptions { by: Some(b"job"), ..LISTS };
/// let analysis = analyze(&picked.block, &options, &Watch::none())?;
/// assert_eq!(analysis.matched_count, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn analyze(
    block: &Block,
    options: &AnalyzeOptions<'_>,
    watch: &Watch<'_>,
) -> Result<Analysis, Error> {
    Ok(manicule_series::analyze(block, options, watch)?)
}

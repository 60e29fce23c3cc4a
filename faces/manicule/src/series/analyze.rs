//! What a block's space is spent on, and what grew since another.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
pub use manicule_series::growth::{Change, Grown, GrownList, Growth, Lens, growth};
pub use manicule_series::{
    Analysis, AnalyzeOptions, Bytes, ChunkAnalysis, Chunks, Count, Distribution, LabelCost, Matrix,
    MetricOfValue, MetricRow, SampleBytes, ValueRow,
};
use manicule_series::{Block, BlockError, Opened, Why, block_paths, open_newest};

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
}

/// Opens the selected block: the newest of a folder, or the one that is named. The others are not
/// opened, but for those of an address.
pub fn pick(path: &Path, name: Option<&str>) -> Result<Picked, Error> {
    if let Some(remote) = remote(path).map_err(BlockError::from)? {
        let Opened { blocks, left_out, .. } = open_remote(&remote, None, None)?;
        let broken = left_out.into_iter().find_map(|left_out| match left_out.why {
            Why::Failed(error) if is_broken(&error) => Some(error),
            _ => None,
        });
        return match broken.filter(|_| name.is_none()) {
            Some(error) => Err(error.into()),
            None => pick_among(path, name, blocks),
        };
    }
    let Some(name) = name else {
        let (block, count) = open_newest(path)?;
        let folder = (block.path() != path).then(|| (path.to_owned(), count));
        return Ok(Picked { block, folder });
    };
    let paths = block_paths(path)?;
    let named = paths.iter().find(|path| path.file_name().is_some_and(|file| file == name));
    let no_block = || Error::NoBlock { folder: path.to_owned(), name: name.to_owned() };
    let named = named.ok_or_else(no_block)?;
    let folder = (named != path).then(|| (path.to_owned(), paths.len()));
    Ok(Picked { block: Block::open(named)?, folder })
}

/// Picks of the blocks that a path has, by the first time that is in them.
fn pick_among(path: &Path, name: Option<&str>, mut blocks: Vec<Block>) -> Result<Picked, Error> {
    let count = blocks.len();
    let is_named = |block: &Block| block.path().file_name() == name.map(OsStr::new);
    let at = match name {
        None => count.checked_sub(1),
        Some(_) => blocks.iter().position(is_named),
    };
    let no_block =
        || Error::NoBlock { folder: path.to_owned(), name: name.unwrap_or_default().to_owned() };
    let block = blocks.swap_remove(at.ok_or_else(no_block)?);
    let folder = (block.path() != path).then(|| (path.to_owned(), count));
    Ok(Picked { block, folder })
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

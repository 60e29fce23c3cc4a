//! A block cut into several.

use std::collections::VecDeque;
use std::iter;
use std::path::{Path, PathBuf};
use std::slice;

use manicule_core::watch::Watch;
use manicule_series::split as engine;
pub use manicule_series::split::{
    IndexLens, IndexMax, PARTS_MAX, SplitBy, SplitPart, parts_below, time_parts,
};
pub use manicule_series::write::WriteError;
use manicule_series::{Block, ExternalLabels, LeftOut, block_paths};
use manicule_store::context::Context;

use super::WRITE_MEMORY;
use super::blocks::open_blocks;
use super::error::Error;
use super::names::fresh_names;
use super::target::{Output, count_beside};
use crate::place::is_address;

/// Arguments of a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitCall {
    /// Output folder of the parts, or an address of one.
    pub output: PathBuf,
    /// External labels for the meta files, as Thanos has them; of none those of the block stay.
    pub external_labels: ExternalLabels,
    /// Rule of the cut.
    pub by: SplitBy,
    /// Memory of posting lists in bytes, approximate.
    pub memory: u64,
}

impl SplitCall {
    /// A split that writes one index at a time.
    pub fn new(output: PathBuf, by: SplitBy) -> Self {
        SplitCall { output, external_labels: ExternalLabels::new(), by, memory: WRITE_MEMORY }
    }
}

/// Result of a split.
#[derive(Clone, Debug)]
pub struct Split {
    /// The parts that have samples.
    pub parts: Vec<SplitPart>,
    /// Whether the block lies beside its parts: Prometheus removes it then.
    pub is_beside: bool,
}

/// The blocks of inputs, in their order: each is opened only when it is reached. Those of an
/// address are opened at once; the ones of it that are marked for deletion are handed to
/// `left_out`.
pub fn each_block<'i>(
    inputs: &'i [PathBuf],
    mut left_out: impl FnMut(&[LeftOut]) + 'i,
) -> impl Iterator<Item = Result<Block, Error>> + 'i {
    inputs.iter().flat_map(move |input| -> Box<dyn Iterator<Item = Result<Block, Error>>> {
        if !is_address(input) {
            let (waiting, given, is_listed_again) = (None, Vec::new(), false);
            return Box::new(BlocksOf { input, waiting, given, is_listed_again });
        }
        match open_blocks(input, None) {
            Ok((blocks, marked)) => {
                left_out(&marked);
                Box::new(blocks.into_iter().map(Ok))
            }
            Err(error) => Box::new(iter::once(Err(error))),
        }
    })
}

/// The blocks of an input, opened one after the other.
struct BlocksOf<'p> {
    input: &'p Path,
    /// Those of the listing that are left; `None` before it.
    waiting: Option<VecDeque<PathBuf>>,
    given: Vec<PathBuf>,
    /// Whether one was gone, and the input was listed once more.
    is_listed_again: bool,
}

impl Iterator for BlocksOf<'_> {
    type Item = Result<Block, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.waiting.is_none() {
                let listed = match block_paths(self.input) {
                    Ok(listed) => listed,
                    Err(error) => {
                        self.waiting = Some(VecDeque::new());
                        return Some(Err(error.into()));
                    }
                };
                let is_new = |path: &PathBuf| !self.given.contains(path);
                self.waiting = Some(listed.into_iter().filter(is_new).collect());
            }
            let path = self.waiting.as_mut()?.pop_front()?;
            match Block::open(&path) {
                Err(error) if error.is_missing() && !self.is_listed_again => {
                    (self.waiting, self.is_listed_again) = (None, true);
                }
                opened => {
                    self.given.push(path);
                    return Some(opened.map_err(Error::from));
                }
            }
        }
    }
}

/// Cuts a block, which stays. Parts made before an error stay, too.
///
/// ```
/// use manicule::series::split::SplitBy;
/// use manicule::series::{Block, SplitCall, split};
/// use manicule::watch::Watch;
///
/// # let folder = tempfile::tempdir()?;
/// # let (text, data) = (folder.path().join("up.txt"), folder.path().join("data"));
/// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
/// # let inputs = vec![manicule::series::build::Input::File(text)];
/// # let built = manicule::series::build(&manicule::series::BuildCall::new(inputs, data.clone()), &Watch::none())?;
/// # let block = built.blocks[0].path.clone();
/// let call = SplitCall::new(folder.path().join("parts"), SplitBy::Time { range: 60_000 });
/// let split = split(&Block::open(&block)?, &call, &Watch::none())?;
/// assert_eq!(split.parts.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn split(block: &Block, call: &SplitCall, watch: &Watch<'_>) -> Result<Split, Error> {
    let _held = Context::current().hold(call.memory).map_err(Error::Memory)?;
    let target = Output::at(&call.output, &call.external_labels)?.open(slice::from_ref(block))?;
    block.prove()?;
    let names = fresh_names()?;
    let parts = engine::split(block, &target, call.by, call.memory, names, watch)?;
    let is_beside = !parts.is_empty() && count_beside(&call.output, slice::from_ref(block)) > 0;
    Ok(Split { parts, is_beside })
}

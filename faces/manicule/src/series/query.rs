//! Blocks opened for queries: their series, labels and samples.

use std::path::{Path, PathBuf};

pub use manicule_series::query::{Blocks, MergedRow, Occurrence, ShownValue, Work, occurrences};
use manicule_series::{
    Block, BlockError, Interval, Salvage, open_sound, open_sound_among, open_within, signs,
    unread_log,
};

use super::error::Error;
use super::target::salvage;
use crate::kinds::Deal;

/// Arguments of opening blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenCall {
    /// Blocks, indexes and data folders.
    pub paths: Vec<PathBuf>,
    /// Time range of the query, both ends included; all times if there is none. Blocks outside it
    /// stay closed.
    pub times: Option<Interval>,
    /// Whether blocks, series and chunks that are damaged are left out.
    pub skip_damaged: bool,
}

/// Blocks that are queried as one.
#[derive(Debug)]
pub struct Open {
    blocks: Vec<Block>,
    times: Option<Interval>,
    /// Damaged parts that were left out; `None` if they are errors.
    pub salvage: Option<Salvage>,
}

/// Opens blocks. Write-ahead logs with samples in the range that no block has are handed to
/// `unread`.
///
/// ```
/// use manicule::series::query::Work;
/// use manicule::series::{OpenCall, Selector, open};
/// # use manicule::watch::Watch;
///
/// # let folder = tempfile::tempdir()?;
/// # let (text, data) = (folder.path().join("up.txt"), folder.path().join("data"));
/// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
/// # let inputs = vec![manicule::series::build::Input::File(text)];
/// # let built = manicule::series::build(&manicule::series::BuildCall::new(inputs, data.clone()), &Watch::none())?;
/// # let block = built.blocks[0].path.clone();
/// let call = OpenCall { paths: vec![data], ..OpenCall::default() };
/// let open = open(&call, &mut |log| eprintln!("{} is not read", log.display()))?;
/// let (blocks, mut work) = (open.blocks(), Work::default());
/// let selectors = [Selector::parse(r#"up{job=~"a|c"}"#)?];
/// assert_eq!(blocks.label_values(b"job", &selectors, &mut work)?, [b"a"]);
///
/// let mut series = blocks.series(&selectors, &mut work)?;
/// assert_eq!(series.next()?.expect("a series").labels.len(), 2);
/// assert!(series.next()?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(call: &OpenCall, unread: &mut dyn FnMut(&Path)) -> Result<Open, Error> {
    if call.times.is_some_and(|times| times.max_time < times.min_time) {
        return Err(Error::Times);
    }
    let salvage = call.skip_damaged.then(salvage);
    let mut blocks = Vec::new();
    for path in &call.paths {
        let opened = open_within(path, call.times, salvage.as_ref())?;
        let end = call.times.map_or(i64::MAX, |times| times.max_time);
        // The log goes on where the blocks end.
        if opened.end.is_none_or(|last| end >= last) {
            unread_log(path).iter().for_each(|log| unread(log));
        }
        blocks.extend(opened.blocks);
    }
    Ok(Open { blocks, times: call.times, salvage })
}

/// Opens the blocks of a path that was dealt out: its folder is not listed again. Those that can't
/// be opened are handed to `failed`.
pub fn open_dealt(
    deal: &Deal,
    path: &Path,
    failed: &mut dyn FnMut(BlockError),
) -> Result<Vec<Block>, BlockError> {
    match deal.listed(path) {
        Some(entries) => open_sound_among(path, entries, failed),
        None => open_sound(path, failed),
    }
}

/// The write-ahead log of a data folder that a search leaves out as text, and whose labels nothing
/// reads.
pub fn log_left_out(path: &Path) -> Option<PathBuf> {
    let is_servers =
        |log: &PathBuf| log.file_name().is_some_and(|name| signs::is_servers_of_data(path, name));
    unread_log(path).filter(is_servers)
}

impl Open {
    /// Time range for which they were opened.
    pub fn times(&self) -> Option<Interval> {
        self.times
    }

    /// The blocks as one.
    pub fn blocks(&self) -> Blocks<'_> {
        Blocks::new(&self.blocks, self.times).skip_damaged(self.salvage.as_ref())
    }
}

//! Blocks that are open to be queried as one, of any number of threads at once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use manicule_series::query::Blocks;
use manicule_series::{
    Block, BlockError, Interval, LeftOut, META_NAME, Opened, SaidBy, Salvage, Why,
    open_within_again, open_within_in, unread_log,
};

use super::error::Error;
use super::target::salvage;
use crate::place::{Remote, fetched, remote};
use crate::same::Stamp;

/// Arguments of opening blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenCall {
    /// Blocks, indexes and data folders; or addresses of blocks and of folders of them.
    pub paths: Vec<PathBuf>,
    /// Time range of the query, both ends included; all times if there is none. Blocks outside it
    /// stay closed.
    pub times: Option<Interval>,
    /// Whether blocks, series and chunks that are damaged are left out.
    pub skip_damaged: bool,
}

/// Blocks, indexes and data folders, open to be read beside the server that writes them.
///
/// It shows the moment at which it was opened, or last [looked again](Data::look_again). Blocks
/// stay mapped from call to call.
///
/// ```
/// use manicule::series::query::Work;
/// use manicule::series::{Data, OpenCall, Selector};
/// # use manicule::watch::Watch;
///
/// # let folder = tempfile::tempdir()?;
/// # let (text, place) = (folder.path().join("up.txt"), folder.path().join("data"));
/// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
/// # let inputs = vec![manicule::series::build::Input::File(text)];
/// # let call = manicule::series::BuildCall::new(inputs, place.clone());
/// # manicule::series::build(&call, &Watch::none())?;
/// let call = OpenCall { paths: vec![place], ..OpenCall::default() };
/// let data = Data::open(&call, &mut |log| eprintln!("{} is not read", log.display()))?;
/// let (moment, mut work) = (data.moment(), Work::default());
/// let (blocks, selectors) = (moment.blocks(), [Selector::parse(r#"up{job=~"a|c"}"#)?]);
/// assert_eq!(blocks.label_values(b"job", &selectors, &mut work)?, [b"a"]);
///
/// let mut series = blocks.series(&selectors, &mut work)?;
/// assert_eq!(series.next()?.expect("a series").labels.len(), 2);
/// assert!(series.next()?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Data {
    call: OpenCall,
    seen: RwLock<Arc<Moment>>,
    /// Held by who lists the folders: what is seen never goes back.
    looking: Mutex<()>,
}

/// The blocks as they were at a moment: what is asked of them borrows it.
#[derive(Debug)]
pub struct Moment {
    blocks: Vec<Block>,
    /// Of each path that was opened what tells its files from others.
    stamps: HashMap<PathBuf, Vec<Option<Stamp>>>,
    times: Option<Interval>,
    /// Damaged parts that were left out so far; `None` if they are errors.
    pub salvage: Option<Salvage>,
    /// Blocks of addresses that are not read: marked for deletion, without all of their files as
    /// those that are being put, or damaged.
    pub left_out: Vec<LeftOut>,
    /// Of each address, what has said which blocks there are.
    pub said_by: Vec<(PathBuf, SaidBy)>,
}

impl Data {
    /// Opens blocks as they are now. Write-ahead logs with samples in the range that no block has
    /// are handed to `unread`.
    pub fn open(call: &OpenCall, unread: &mut dyn FnMut(&Path)) -> Result<Self, Error> {
        if call.times.is_some_and(|times| times.max_time < times.min_time) {
            return Err(Error::Times);
        }
        let seen = RwLock::new(Arc::new(Moment::of(call, None, unread)?));
        Ok(Data { call: call.clone(), seen, looking: Mutex::new(()) })
    }

    /// Time range for which they were opened.
    pub fn times(&self) -> Option<Interval> {
        self.call.times
    }

    /// Shows the blocks as they are now from here on: those that a server has written since, or
    /// removed. Calls that have begun go on with what they have. Costs a listing of each folder,
    /// and a look at four files of each block; those that are still the same stay mapped.
    pub fn look_again(&self) -> Result<(), Error> {
        let _looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Moment::of(&self.call, Some(&self.moment()), &mut |_| {})?;
        *self.seen.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(now);
        Ok(())
    }

    /// The blocks as they were last seen.
    pub fn moment(&self) -> Arc<Moment> {
        Arc::clone(&self.seen.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Moment {
    /// The blocks as one.
    pub fn blocks(&self) -> Blocks<'_> {
        Blocks::new(&self.blocks, self.times).skip_damaged(self.salvage.as_ref())
    }

    /// The blocks that have some of these times as one: series without samples then are left out,
    /// labels are those of whole blocks. Times for which they were not opened are not among them.
    /// Damage is an error: nothing of a block that is open is left out.
    pub fn within(&self, times: Interval) -> Blocks<'_> {
        let opened = self.times.unwrap_or(times);
        let min_time = times.min_time.max(opened.min_time);
        let times = Interval { min_time, max_time: times.max_time.min(opened.max_time) };
        Blocks::new(&self.blocks, Some(times))
    }

    /// The blocks, in the order of the paths, each path's by the first time that is in them.
    pub fn all(&self) -> &[Block] {
        &self.blocks
    }

    /// Time range for which they were opened.
    pub fn times(&self) -> Option<Interval> {
        self.times
    }

    /// The errors of damaged blocks that were left out: what is asked of the others lacks what they
    /// have.
    pub fn broken(&self) -> impl Iterator<Item = &BlockError> {
        self.left_out.iter().filter_map(|left_out| match &left_out.why {
            Why::Failed(error) if is_broken(error) => Some(error),
            _ => None,
        })
    }

    fn of(
        call: &OpenCall,
        before: Option<&Moment>,
        unread: &mut dyn FnMut(&Path),
    ) -> Result<Self, Error> {
        let times = call.times;
        let salvage = call.skip_damaged.then(salvage);
        let (mut blocks, mut stamps) = (Vec::new(), HashMap::new());
        let (mut left_out, mut said_by) = (Vec::new(), Vec::new());
        let mut kept = |path: &Path| {
            let now = stamps_of(path);
            let same = before.filter(|before| before.stamps.get(path) == Some(&now));
            stamps.insert(path.to_owned(), now);
            same?.blocks.iter().find(|block| block.path() == path).cloned()
        };
        for path in &call.paths {
            if let Some(remote) = remote(path).map_err(BlockError::from)? {
                let opened = open_remote(&remote, times, salvage.as_ref())?;
                blocks.extend(opened.blocks);
                left_out.extend(opened.left_out);
                said_by.push((path.clone(), opened.said_by));
                continue;
            }
            let opened = open_within_again(path, times, salvage.as_ref(), &mut kept)?;
            let end = times.map_or(i64::MAX, |times| times.max_time);
            // The log goes on where the blocks end.
            if opened.end.is_none_or(|last| end >= last) {
                unread_log(path).iter().for_each(|log| unread(log));
            }
            blocks.extend(opened.blocks);
        }
        Ok(Moment { blocks, stamps, times, salvage, left_out, said_by })
    }
}

/// The blocks at an address: the one that it names, or those of the folder. Blocks that are damaged
/// or lack a file are left out; with a salvage damaged ones are added to that.
///
/// # Errors
/// Among others a block whose files can't be read now.
pub(super) fn open_remote(
    remote: &Remote,
    times: Option<Interval>,
    salvage: Option<&Salvage>,
) -> Result<Opened, BlockError> {
    let mut opened = open_within_in(&fetched(remote.folder())?, times)?;
    for left_out in std::mem::take(&mut opened.left_out) {
        match (left_out, salvage) {
            (LeftOut { path, why: Why::Failed(error) }, Some(salvage)) if is_broken(&error) => {
                salvage.block(&path, &error);
            }
            (LeftOut { why: Why::Failed(error), .. }, _)
                if !is_broken(&error) && !error.is_missing() =>
            {
                return Err(error);
            }
            (left_out, _) => opened.left_out.push(left_out),
        }
    }
    Ok(opened)
}

/// Whether a block is damaged; one that lacks a file may be on its way.
pub(super) fn is_broken(error: &BlockError) -> bool {
    error.is_damage() && !error.is_missing()
}

/// Of the files of a block, or of an index by itself, those that are there.
fn stamps_of(path: &Path) -> Vec<Option<Stamp>> {
    let parts = [META_NAME, "index", "tombstones", "chunks"];
    let parts = parts.map(|name| Stamp::of(&path.join(name)).ok());
    parts.into_iter().chain([Stamp::of(path).ok()]).collect()
}

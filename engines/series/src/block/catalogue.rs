//! The blocks in a folder of a store: which there are, which are read, and which are left out.
//!
//! A folder of Mimir's has an index of its blocks, which is believed, as its queriers do: it may be
//! older than what lies there. Any other folder is listed with all that lies in its blocks, some
//! hundred blocks by one request; then the meta files of all are read side by side, with the marks
//! that there are. They are kept, and not read again in the same version. What one request lists is
//! asked beside what says what the folder is: of some hundred blocks that is everything.
//!
//! A block that is marked for deletion is left out from the moment of the mark on: whoever marks it
//! has put what replaces it there before. Thanos' gateways go on for a day, as they see new blocks
//! late; who lists sees both at once.

use std::collections::BTreeSet;

use manicule_format_prometheus::{
    BUCKET_INDEX_NAME, BucketIndex, Interval, MARKERS_NAME, META_NAME, Mark, MarkKind, Meta,
    TENANT_MARK_NAME, tenant_mark_time,
};
use manicule_store::store::{Answer, Ask, Fetched, Listed, Name, Store, StoreError, listings};

use super::data_folder::by_time;
use super::elsewhere::{Wanted, open_each};
use super::error::BlockError;
use super::folders::{Seen, shown};
use super::found::{Found, FoundBlock, by_block, if_there};
use super::open::{decode_meta, no_meta, part};
use super::opened::{LeftOut, Marked, Opened, SaidBy, Why};
use super::tenants::tenants_in;

/// Length of the longest index of blocks: some 200 bytes a block.
const INDEX_LEN_MAX: u64 = 1 << 30;

/// A block that a folder has.
pub(super) struct Row {
    pub(super) folder: Name,
    /// Where it is whole as far as is known.
    pub(super) known: Result<Known, BlockError>,
    pub(super) marks: Vec<Mark>,
    /// What lies in it, where it was listed.
    pub(super) seen: Option<Seen>,
}

/// What is known of a block before it is opened.
pub(super) struct Known {
    pub(super) times: Interval,
    /// Its meta file, where that was read and the block is wanted.
    pub(super) meta: Option<Meta>,
}

impl Known {
    fn of(meta: Meta, is_wanted: &dyn Fn(Interval) -> bool) -> Self {
        let times = Interval { min_time: meta.min_time, max_time: meta.max_time };
        Known { times, meta: is_wanted(times).then_some(meta) }
    }
}

/// Opens the blocks in a store's own folder, or the block that this is, as far as they have
/// something of `times`; without those that are marked for deletion.
///
/// What is partial or damaged is left out, and named; if nothing else is there that is an error.
pub fn open_within_in(files: &Fetched, times: Option<Interval>) -> Result<Opened, BlockError> {
    open_listed_in(files, times, Marked::LeaveOut)
}

/// As [`open_within_in`], with those that are marked, or without.
///
/// Cost elsewhere than in a local folder: a round that says what the folder is, with what lies in
/// it and its blocks if one request lists that; without Mimir's index else one for what lies in the
/// blocks; one for meta files and marks that were not read before; with the index one for what lies
/// in those that are opened. Then what their indexes take, if that was not brought before.
pub fn open_listed_in(
    files: &Fetched,
    times: Option<Interval>,
    marked: Marked,
) -> Result<Opened, BlockError> {
    let (store, root) = (files.store(), Name::root());
    let tenant_mark = part(&part(&root, MARKERS_NAME), TENANT_MARK_NAME);
    let small = [part(&root, META_NAME), part(&root, BUCKET_INDEX_NAME), tenant_mark];
    let Looked { small: [meta, index, tenant], listed, below } = look(files, &small)?;
    if let Some(json) = meta {
        let meta = decode_meta(store, &small[0], &json)?;
        let known = Ok(Known::of(meta, &|_| true));
        let seen = match below {
            None => None,
            Some(below) => {
                let mut found = Found::one(below, json);
                found.read_all(files)?;
                found.blocks.pop().map(|block| block.seen)
            }
        };
        let row = Row { folder: root, known, marks: Vec::new(), seen };
        return open(files, vec![row], SaidBy::default(), times, Marked::Read);
    }
    let tenant = tenant.and_then(|json| tenant_mark_time(&json).ok());
    if let Some(time) = tenant.filter(|_| marked == Marked::LeaveOut) {
        let left_out = vec![LeftOut { path: store.show(&root), why: Why::TenantMarked { time } }];
        return Ok(Opened { left_out, ..Opened::default() });
    }
    let listing = |below| {
        let is_wanted = |own| times.is_none_or(|asked| overlap(own, asked));
        let listed = listed.unwrap_or_else(|| store.list(&Name::root()))?;
        of_listing(files, listed, below, &[MarkKind::Deletion], &is_wanted)
    };
    let index = index.map(|gzip| BucketIndex::decode(&gzip, INDEX_LEN_MAX));
    let (rows, said_by) = match index {
        Some(Ok(index)) => {
            let updated_at = index.updated_at;
            (of_index(index, below), SaidBy::Index { updated_at })
        }
        Some(Err(error)) => (listing(below)?, SaidBy::Listing { index_error: Some(error) }),
        None => (listing(below)?, SaidBy::default()),
    };
    open(files, rows, said_by, times, marked)
}

/// What a round says of a folder.
struct Looked {
    /// The files that say what it is.
    small: [Option<Vec<u8>>; 3],
    /// Its entries, elsewhere than in a local folder.
    listed: Option<Result<Vec<Listed>, StoreError>>,
    /// All files below it, where one request lists them.
    below: Option<Vec<Listed>>,
}

fn look(files: &Fetched, small: &[Name; 3]) -> Result<Looked, BlockError> {
    let mut asked: Vec<Ask> = Vec::with_capacity(small.len() + 2);
    asked.extend(small.iter().map(|file| Ask::Whole { file: file.clone(), len_max: u64::MAX }));
    if !files.is_in_place() {
        asked.extend([Ask::Entries(Name::root()), Ask::Below(Name::root())]);
    }
    let mut answers = files.store().ask_all(&asked).into_iter();
    let read = answers.by_ref().take(small.len());
    let read: Result<Vec<_>, _> =
        read.map(|answer| if_there(answer.map(Answer::into_bytes))).collect();
    let listed = answers.next().map(|answer| answer.map(Answer::into_entries));
    let below = match answers.next() {
        Some(Ok(Answer::Below { files, is_whole: true })) => Some(files),
        _ => None,
    };
    Ok(Looked { small: <[_; 3]>::try_from(read?).expect("one for each"), listed, below })
}

/// The blocks that an index has; `below` are all files below their folder, if they were listed.
fn of_index(index: BucketIndex, below: Option<Vec<Listed>>) -> Vec<Row> {
    let mut seen = below.map(|files| shown([Answer::Below { files, is_whole: true }]));
    let mut marks = by_block(index.deletion_marks);
    let rows = index.blocks.into_iter().filter_map(|block| {
        let times = Interval { min_time: block.min_time, max_time: block.max_time };
        let marks = marks.remove(&block.id).into_iter().collect();
        let known = Ok(Known { times, meta: None });
        let seen = seen.as_mut().map(|seen| seen.remove(&block.id).unwrap_or_default());
        Some(Row { folder: Name::new(&block.id)?, known, marks, seen })
    });
    rows.collect()
}

/// The blocks among the entries of a store's own folder, with their marks of some kinds; `below`
/// are all files below it, if they were listed. The meta files of those that are not wanted are not
/// held.
pub(super) fn of_listing(
    files: &Fetched,
    listed: Vec<Listed>,
    below: Option<Vec<Listed>>,
    kinds: &[MarkKind],
    is_wanted: &dyn Fn(Interval) -> bool,
) -> Result<Vec<Row>, BlockError> {
    let mut found = match below {
        Some(below) => Found::of(&listed, below, kinds),
        None => Found::list(files.store(), &listed, kinds)?,
    };
    let mut marks = found.read_all(files)?;
    let mut rows = Vec::with_capacity(found.blocks.len());
    for (place, FoundBlock { folder, seen, meta }) in found.blocks.into_iter().enumerate() {
        let (store, file) = (files.store(), part(&folder, META_NAME));
        let known = match meta.map(if_there).transpose()?.flatten() {
            Some(json) => decode_meta(store, &file, &json).map(|meta| Known::of(meta, is_wanted)),
            None => Err(no_meta(store.show(&file))),
        };
        let mut own = std::mem::take(&mut marks.of_blocks[place]);
        own.extend(marks.of_tenant.remove(folder.as_str()));
        rows.push(Row { folder, known, marks: own, seen: Some(seen) });
    }
    Ok(rows)
}

/// Lists what lies in blocks that are wanted of a folder in which there are `all`.
fn see_wanted(
    store: &dyn Store,
    all: &BTreeSet<&str>,
    wanted: &mut [Wanted],
) -> Result<(), BlockError> {
    let unseen = wanted.iter().filter(|wanted| wanted.seen.is_none());
    let names: BTreeSet<&str> = unseen.map(|wanted| wanted.folder.as_str()).collect();
    // One by itself is listed as it is opened.
    if names.len() < 2 {
        return Ok(());
    }
    let answers: Result<Vec<Answer>, _> =
        store.ask_all(&listings(&Name::root(), all, &names)).into_iter().collect();
    let mut seen = shown(answers?);
    for wanted in wanted.iter_mut().filter(|wanted| wanted.seen.is_none()) {
        wanted.seen = Some(seen.remove(wanted.folder.as_str()).unwrap_or_default());
    }
    Ok(())
}

fn open(
    files: &Fetched,
    rows: Vec<Row>,
    said_by: SaidBy,
    asked: Option<Interval>,
    marked: Marked,
) -> Result<Opened, BlockError> {
    let path = |folder: &Name| files.store().show(folder);
    let all: Vec<Name> = rows.iter().map(|row| row.folder.clone()).collect();
    let mut opened = Opened { said_by, ..Opened::default() };
    let (mut wanted, mut failed, mut is_other_time) = (Vec::new(), Vec::new(), false);
    for Row { folder, known, marks, seen } in rows {
        let mut marks = marks.into_iter().filter(|mark| mark.kind == MarkKind::Deletion);
        match (known, marks.next().filter(|_| marked == Marked::LeaveOut)) {
            (Err(error), _) => failed.push((folder, error)),
            (Ok(_), Some(mark)) => {
                opened.left_out.push(LeftOut { path: path(&folder), why: Why::Marked(mark) });
            }
            (Ok(Known { times, meta }), None) => {
                opened.end = opened.end.max(Some(times.max_time));
                if asked.is_none_or(|asked| overlap(times, asked)) {
                    wanted.push(Wanted { folder, meta, seen });
                } else {
                    is_other_time = true;
                }
            }
        }
    }
    if !files.is_in_place() {
        see_wanted(files.store(), &all.iter().map(Name::as_str).collect(), &mut wanted)?;
    }
    let folders: Vec<Name> = wanted.iter().map(|wanted| wanted.folder.clone()).collect();
    let mut blocks = Vec::with_capacity(wanted.len());
    for (folder, block) in folders.into_iter().zip(open_each(files, wanted)) {
        match block {
            Ok(block) => blocks.push(block),
            Err(error) if error.is_damage() || error.is_missing() => failed.push((folder, error)),
            Err(error) => return Err(error),
        }
    }
    opened.blocks = by_time(blocks);
    if opened.blocks.is_empty() && opened.left_out.is_empty() && !is_other_time {
        // Nothing would be answered, and nothing said but errors.
        return Err(match failed.into_iter().next() {
            Some((_, error)) => error,
            None => nothing(files),
        });
    }
    let failed = failed.into_iter();
    let failed =
        failed.map(|(folder, error)| LeftOut { path: path(&folder), why: Why::Failed(error) });
    opened.left_out.extend(failed);
    opened.left_out.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(opened)
}

/// Whether a block may have samples of the times asked for: the end of its own is not in it.
fn overlap(block: Interval, asked: Interval) -> bool {
    block.min_time <= asked.max_time && asked.min_time < block.max_time
}

/// Error of a folder that has no block.
pub(super) fn nothing(files: &Fetched) -> BlockError {
    let path = files.store().show(&Name::root());
    match tenants_in(files.store()) {
        Err(error) if !error.is_missing() => error,
        Ok(tenants) if !tenants.is_empty() => {
            let names = tenants.into_iter().map(|tenant| tenant.name).collect();
            BlockError::Tenants { path, names }
        }
        _ => BlockError::Missing { path },
    }
}

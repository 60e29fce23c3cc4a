//! The blocks in a folder of a store: which there are, which are read, and which are left out.
//!
//! A folder of Mimir's has an index of its blocks, which is believed, as its queriers do: it may be
//! older than what lies there. Any other folder is listed, and the meta files of all blocks are
//! read side by side, with the marks. A block that is marked for deletion is left out from the
//! moment of the mark on: whoever marks it has put what replaces it there before. Thanos' gateways
//! go on for a day, as they see new blocks late; who lists sees both at once.

use manicule_format_prometheus::{
    BUCKET_INDEX_NAME, BucketIndex, Interval, MARKERS_NAME, META_NAME, Mark, MarkKind, Meta,
    TENANT_MARK_NAME, marked_block, tenant_mark_time,
};
use manicule_store::store::{Fetched, Listed, Name, Store, StoreError};

use super::data_folder::by_time;
use super::elsewhere::{Wanted, open_each};
use super::error::BlockError;
use super::open::{decode_meta, no_meta, part};
use super::opened::{LeftOut, Marked, Opened, SaidBy, Why};
use super::tenants::{is_block_folder, tenants_in};

/// Length of the longest index of blocks: some 200 bytes a block.
const INDEX_LEN_MAX: u64 = 1 << 30;

/// A block that a folder has.
struct Row {
    folder: Name,
    /// Where it is whole as far as is known.
    known: Result<Known, BlockError>,
    mark: Option<Mark>,
}

/// What is known of a block before it is opened.
struct Known {
    times: Interval,
    meta: Option<Meta>,
}

impl Known {
    fn of(meta: Meta) -> Self {
        let times = Interval { min_time: meta.min_time, max_time: meta.max_time };
        Known { times, meta: Some(meta) }
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
/// Cost elsewhere than in a local folder: a round that says what the folder is; without Mimir's
/// index one for the listing and one for all meta files; one for the folders of the blocks that are
/// opened, and what their indexes take, if that was not brought before.
pub fn open_listed_in(
    files: &Fetched,
    times: Option<Interval>,
    marked: Marked,
) -> Result<Opened, BlockError> {
    let (store, root) = (files.store(), Name::root());
    let tenant_mark = part(&part(&root, MARKERS_NAME), TENANT_MARK_NAME);
    let small = [part(&root, META_NAME), part(&root, BUCKET_INDEX_NAME), tenant_mark];
    let read: Result<Vec<_>, _> = store.read_all(&small, u64::MAX).into_iter().map(found).collect();
    let [meta, index, tenant] = <[_; 3]>::try_from(read?).expect("one for each");
    if let Some(json) = meta {
        let meta = decode_meta(store, &small[0], &json)?;
        let row = Row { folder: root, known: Ok(Known::of(meta)), mark: None };
        return open(files, vec![row], SaidBy::default(), times, Marked::Read);
    }
    let tenant = tenant.and_then(|json| tenant_mark_time(&json).ok());
    if let Some(time) = tenant.filter(|_| marked == Marked::LeaveOut) {
        let left_out = vec![LeftOut { path: store.show(&root), why: Why::TenantMarked { time } }];
        return Ok(Opened { left_out, ..Opened::default() });
    }
    let index = index.map(|gzip| BucketIndex::decode(&gzip, INDEX_LEN_MAX));
    let (rows, said_by) = match index {
        Some(Ok(index)) => {
            let updated_at = index.updated_at;
            (of_index(index), SaidBy::Index { updated_at })
        }
        Some(Err(error)) => (of_listing(store)?, SaidBy::Listing { index_error: Some(error) }),
        None => (of_listing(store)?, SaidBy::default()),
    };
    open(files, rows, said_by, times, marked)
}

/// What was read of a file; `None` where it is missing.
fn found(read: Result<Vec<u8>, StoreError>) -> Result<Option<Vec<u8>>, StoreError> {
    match read {
        Err(error) if error.is_missing() => Ok(None),
        read => read.map(Some),
    }
}

fn of_index(index: BucketIndex) -> Vec<Row> {
    let mut marks = index.deletion_marks;
    let rows = index.blocks.into_iter().filter_map(|block| {
        let mark = marks.iter().position(|mark| mark.id == block.id);
        let times = Interval { min_time: block.min_time, max_time: block.max_time };
        let mark = mark.map(|place| marks.swap_remove(place));
        Some(Row { folder: Name::new(&block.id)?, known: Ok(Known { times, meta: None }), mark })
    });
    rows.collect()
}

fn of_listing(store: &dyn Store) -> Result<Vec<Row>, BlockError> {
    let listed = store.list(&Name::root())?;
    let has_markers = listed.iter().any(|entry| entry.name == MARKERS_NAME);
    let names = listed.iter().filter(|entry| is_block_folder(entry));
    let folders: Vec<Name> = names.filter_map(|entry| Name::new(&entry.name)).collect();
    let marks = if has_markers {
        marks_of_tenant(store)?
    } else {
        let mark = |folder| part(folder, MarkKind::Deletion.file_name());
        folders.iter().map(mark).collect()
    };
    let metas = folders.iter().map(|folder| part(folder, META_NAME));
    let files: Vec<Name> = metas.chain(marks).collect();
    let mut read = store.read_all(&files, u64::MAX);
    let marks = read.split_off(folders.len());
    let mut found_marks = Vec::new();
    for json in marks {
        // One that can't be read marks nothing: it is being written.
        let json = found(json)?;
        found_marks.extend(json.and_then(|json| Mark::decode(MarkKind::Deletion, &json).ok()));
    }
    let mut rows = Vec::with_capacity(folders.len());
    for ((folder, file), json) in folders.into_iter().zip(&files).zip(read) {
        let known = match found(json)? {
            Some(json) => decode_meta(store, file, &json).map(Known::of),
            None => Err(no_meta(store.show(file))),
        };
        let place = found_marks.iter().position(|mark| mark.id == folder.as_str());
        let mark = place.map(|place| found_marks.swap_remove(place));
        rows.push(Row { folder, known, mark });
    }
    Ok(rows)
}

/// The marks for deletion that a tenant's folder of marks has.
fn marks_of_tenant(store: &dyn Store) -> Result<Vec<Name>, BlockError> {
    let folder = part(&Name::root(), MARKERS_NAME);
    let listed = match store.list(&folder) {
        Err(error) if error.is_missing() => Vec::new(),
        listed => listed?,
    };
    let is_mark = |entry: &&Listed| marked_block(&entry.name, MarkKind::Deletion).is_some();
    Ok(listed.iter().filter(is_mark).map(|entry| part(&folder, &entry.name)).collect())
}

fn open(
    files: &Fetched,
    rows: Vec<Row>,
    said_by: SaidBy,
    asked: Option<Interval>,
    marked: Marked,
) -> Result<Opened, BlockError> {
    let shown = |folder: &Name| files.store().show(folder);
    let mut opened = Opened { said_by, ..Opened::default() };
    let (mut wanted, mut failed, mut is_other_time) = (Vec::new(), Vec::new(), false);
    for Row { folder, known, mark } in rows {
        match (known, mark.filter(|_| marked == Marked::LeaveOut)) {
            (Err(error), _) => failed.push((folder, error)),
            (Ok(_), Some(mark)) => {
                opened.left_out.push(LeftOut { path: shown(&folder), why: Why::Marked(mark) });
            }
            (Ok(Known { times, meta }), None) => {
                opened.end = opened.end.max(Some(times.max_time));
                if asked.is_none_or(|asked| overlap(times, asked)) {
                    wanted.push(Wanted { folder, meta });
                } else {
                    is_other_time = true;
                }
            }
        }
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
        failed.map(|(folder, error)| LeftOut { path: shown(&folder), why: Why::Failed(error) });
    opened.left_out.extend(failed);
    opened.left_out.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(opened)
}

/// Whether a block may have samples of the times asked for: the end of its own is not in it.
fn overlap(block: Interval, asked: Interval) -> bool {
    block.min_time <= asked.max_time && asked.min_time < block.max_time
}

/// Error of a folder that has no block.
fn nothing(files: &Fetched) -> BlockError {
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

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

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use manicule_format_prometheus::{
    BUCKET_INDEX_NAME, BucketIndex, INDEX_NAME, Interval, MARKERS_NAME, META_NAME, Mark, MarkKind,
    Meta, TENANT_MARK_NAME, index_ends, marked_block, tenant_mark_time,
};
use manicule_store::store::{
    Answer, Ask, Fetched, Listed, Name, RangedFile, Store, StoreError, Version, listings,
};
use manicule_store::threads;

use super::data_folder::by_time;
use super::elsewhere::{Wanted, open_each};
use super::error::BlockError;
use super::folders::{Seen, shown};
use super::open::{TOMBSTONES, decode_meta, no_meta, part};
use super::opened::{LeftOut, Marked, Opened, SaidBy, Why};
use super::tenants::{is_block_folder, tenants_in};

/// Length of the longest index of blocks: some 200 bytes a block.
const INDEX_LEN_MAX: u64 = 1 << 30;

/// Number of blocks up to which meta files are read beside the listing: it is a round less, and of
/// more it is worth to know first which of them were read before.
const FEW: usize = 16;

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
        read.map(|answer| found(answer.map(Answer::into_bytes))).collect();
    let listed = answers.next().map(|answer| answer.map(Answer::into_entries));
    let below = match answers.next() {
        Some(Ok(Answer::Below { files, is_whole: true })) => Some(files),
        _ => None,
    };
    Ok(Looked { small: <[_; 3]>::try_from(read?).expect("one for each"), listed, below })
}

/// What was read of a file; `None` where it is missing.
fn found(read: Result<Vec<u8>, StoreError>) -> Result<Option<Vec<u8>>, StoreError> {
    match read {
        Err(error) if error.is_missing() => Ok(None),
        read => read.map(Some),
    }
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

/// Marks by the names of their blocks, of several of a block the first.
fn by_block(marks: Vec<Mark>) -> HashMap<String, Mark> {
    marks.into_iter().rev().map(|mark| (mark.id.clone(), mark)).collect()
}

/// A file of a mark.
struct MarkFile {
    kind: MarkKind,
    file: Name,
    version: Option<Version>,
    /// The block in whose folder it lies, by its place; of a tenant's it names its block.
    of: Option<usize>,
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
        let known = match meta.map(self::found).transpose()?.flatten() {
            Some(json) => decode_meta(store, &file, &json).map(|meta| Known::of(meta, is_wanted)),
            None => Err(no_meta(store.show(&file))),
        };
        let mut own = std::mem::take(&mut marks.of_blocks[place]);
        own.extend(marks.of_tenant.remove(folder.as_str()));
        rows.push(Row { folder, known, marks: own, seen: Some(seen) });
    }
    Ok(rows)
}

/// What listings of a folder show of its blocks.
struct Found {
    blocks: Vec<FoundBlock>,
    marks: Vec<MarkFile>,
    /// The meta files were read beside the listings.
    has_metas: bool,
}

struct FoundBlock {
    folder: Name,
    seen: Seen,
    /// What was read of its meta file, if it was asked for.
    meta: Option<Result<Vec<u8>, StoreError>>,
}

/// Marks of blocks.
struct Marks {
    /// By the places of their blocks.
    of_blocks: Vec<Vec<Mark>>,
    /// By the names of their blocks.
    of_tenant: HashMap<String, Mark>,
}

/// The names of the blocks among some entries.
fn names_of(listed: &[Listed]) -> BTreeSet<&str> {
    let names = listed.iter().filter(|entry| is_block_folder(entry));
    names.map(|entry| &*entry.name).collect()
}

fn folders_of(names: &BTreeSet<&str>) -> Vec<Name> {
    names.iter().map(|name| Name::new(name).expect("a ULID is a name")).collect()
}

/// Whether a tenant's marks for deletion lie in a folder of their own among some entries.
fn has_tenant_marks(listed: &[Listed], kinds: &[MarkKind]) -> bool {
    kinds == [MarkKind::Deletion] && listed.iter().any(|entry| entry.name == MARKERS_NAME)
}

impl Found {
    /// The one block that a folder is, whose meta file was read, from what lies below it.
    fn one(below: Vec<Listed>, meta: Vec<u8>) -> Self {
        let (folder, seen, meta) = (Name::root(), Seen::of(below), Some(Ok(meta)));
        let blocks = vec![FoundBlock { folder, seen, meta }];
        Found { blocks, marks: Vec::new(), has_metas: false }
    }

    /// Takes the blocks among some entries from what lies below all of them.
    fn of(listed: &[Listed], below: Vec<Listed>, kinds: &[MarkKind]) -> Self {
        let of_tenant = has_tenant_marks(listed, kinds).then(|| {
            let mark = |file: &Listed| {
                let name = file.name.strip_prefix(MARKERS_NAME)?.strip_prefix('/')?.to_owned();
                Some(Listed { name, ..file.clone() })
            };
            below.iter().filter_map(mark).collect()
        });
        let mut seen = shown([Answer::Below { files: below, is_whole: true }]);
        let blocks = folders_of(&names_of(listed)).into_iter().map(|folder| {
            let seen = seen.remove(folder.as_str()).unwrap_or_default();
            FoundBlock { folder, seen, meta: None }
        });
        let blocks: Vec<_> = blocks.collect();
        let marks = match of_tenant {
            Some(listed) => marks_of_tenant(listed),
            None => marks_of_blocks(&blocks, kinds),
        };
        Found { blocks, marks, has_metas: false }
    }

    /// Lists what lies in the blocks among some entries; of few their meta files come beside it.
    fn list(store: &dyn Store, listed: &[Listed], kinds: &[MarkKind]) -> Result<Self, BlockError> {
        let names = names_of(listed);
        let folders = folders_of(&names);
        let has_metas = folders.len() <= FEW;
        let tenant_marks = part(&Name::root(), MARKERS_NAME);
        let has_tenant_marks = has_tenant_marks(listed, kinds);
        let mut asked = listings(&Name::root(), &names, &names);
        let listing_count = asked.len();
        asked.extend(has_tenant_marks.then(|| Ask::Entries(tenant_marks.clone())));
        if has_metas {
            let whole = |folder| Ask::Whole { file: part(folder, META_NAME), len_max: u64::MAX };
            asked.extend(folders.iter().map(whole));
        }
        let answers = if asked.is_empty() { Vec::new() } else { store.ask_all(&asked) };
        let mut answers = answers.into_iter();
        let lists: Result<Vec<Answer>, _> = answers.by_ref().take(listing_count).collect();
        let mut seen = shown(lists?);
        let of_tenant = has_tenant_marks.then(|| answers.next().expect("one for each"));
        let mut blocks = Vec::with_capacity(folders.len());
        for folder in folders {
            let seen = seen.remove(folder.as_str()).unwrap_or_default();
            let meta = answers.next().and_then(|answer| match answer {
                Ok(Answer::Bytes(bytes)) => Some(Ok(bytes)),
                Ok(_) => None,
                Err(error) => Some(Err(error)),
            });
            blocks.push(FoundBlock { folder, seen, meta });
        }
        let marks = match of_tenant {
            Some(Err(error)) if error.is_missing() => Vec::new(),
            Some(answer) => marks_of_tenant(answer?.into_entries()),
            None => marks_of_blocks(&blocks, kinds),
        };
        Ok(Found { blocks, marks, has_metas })
    }

    /// Reads what is small and, beside it, the ends of the indexes of few blocks.
    fn read_all(&mut self, files: &Fetched) -> Result<Marks, BlockError> {
        let ends = self.index_ends(files);
        if ends.is_empty() {
            return self.read(files);
        }
        let ends: Vec<_> = ends.iter().map(|(file, ranges)| (file, ranges.clone())).collect();
        threads::beside(|| RangedFile::bring_all(&ends), || self.read(files)).1
    }

    /// The ends of the indexes of few blocks, whichever times they are of: they are brought beside
    /// what says that, and opening brings what fails to come.
    fn index_ends(&self, files: &Fetched) -> Vec<(RangedFile, Vec<Range<u64>>)> {
        if self.has_metas || self.blocks.len() > FEW {
            return Vec::new();
        }
        let ends = self.blocks.iter().filter_map(|block| {
            let listed = block.seen.entry(INDEX_NAME)?;
            let file = files.ranged(&part(&block.folder, INDEX_NAME), Some(listed)).ok()?;
            let ranges = index_ends(file.len() as u64).to_vec();
            Some((file, ranges))
        });
        ends.collect()
    }

    /// Reads marks, and the meta files that are there and were not read beside the listings; of few
    /// blocks the tombstones too.
    fn read(&mut self, files: &Fetched) -> Result<Marks, BlockError> {
        let (has_metas, are_few) = (self.has_metas, self.blocks.len() <= FEW);
        let deleted = self.blocks.iter().enumerate().filter_map(|(place, block)| {
            let entry = block.seen.entry(TOMBSTONES).filter(|_| are_few && !has_metas)?;
            Some((place, (part(&block.folder, TOMBSTONES), entry.version)))
        });
        let (deleted, tombstones): (Vec<usize>, Vec<_>) = deleted.unzip();
        let lacking = self.blocks.iter_mut().filter_map(|block| {
            let is_lacking = !has_metas && block.meta.is_none();
            let entry = block.seen.entry(META_NAME).filter(|_| is_lacking)?;
            Some(((part(&block.folder, META_NAME), entry.version), &mut block.meta))
        });
        let (mut small, metas): (Vec<_>, Vec<_>) = lacking.unzip();
        small.extend(tombstones);
        small.extend(self.marks.iter().map(|mark| (mark.file.clone(), mark.version)));
        let read = if small.is_empty() { Vec::new() } else { files.read_small(&small) };
        let mut read = read.into_iter();
        for (meta, bytes) in metas.into_iter().zip(read.by_ref()) {
            *meta = Some(bytes);
        }
        for (place, bytes) in deleted.into_iter().zip(read.by_ref()) {
            // What fails is read again by who opens the block, and named.
            self.blocks[place].seen.tombstones = bytes.ok();
        }
        let (mut of_blocks, mut of_tenant) = (vec![Vec::new(); self.blocks.len()], Vec::new());
        for (MarkFile { kind, of, .. }, json) in self.marks.iter().zip(read) {
            // One that can't be read marks nothing: it is being written.
            let mark = found(json)?.and_then(|json| Mark::decode(*kind, &json).ok());
            of.map_or(&mut of_tenant, |place| &mut of_blocks[place]).extend(mark);
        }
        Ok(Marks { of_blocks, of_tenant: by_block(of_tenant) })
    }
}

/// The marks for deletion among the files of a tenant's folder of marks.
fn marks_of_tenant(listed: Vec<Listed>) -> Vec<MarkFile> {
    let (folder, kind) = (part(&Name::root(), MARKERS_NAME), MarkKind::Deletion);
    let marks = listed.into_iter().filter(|entry| marked_block(&entry.name, kind).is_some());
    let file = |entry: Listed| MarkFile {
        kind,
        file: part(&folder, &entry.name),
        version: entry.version,
        of: None,
    };
    marks.map(file).collect()
}

/// The marks in the folders of blocks.
fn marks_of_blocks(blocks: &[FoundBlock], kinds: &[MarkKind]) -> Vec<MarkFile> {
    let mut marks = Vec::new();
    for (place, FoundBlock { folder, seen, .. }) in blocks.iter().enumerate() {
        for &kind in kinds {
            let entry = seen.entry(kind.file_name());
            let file = |entry: &Listed| {
                let file = part(folder, kind.file_name());
                MarkFile { kind, file, version: entry.version, of: Some(place) }
            };
            marks.extend(entry.map(file));
        }
    }
    marks
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

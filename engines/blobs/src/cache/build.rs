//! Opening the trees of a cache, and bringing them up to date: only trees that it lacks are read
//! from packs.
//!
//! Bytes:   docs/formats/blob-cache.md, "Trees"

use std::io;

use manicule_core::go::json::JsonError;
use manicule_core::watch::Watch;
use manicule_format_restic::{
    BlobKind, CacheFrame, CacheKind, FileKind, Id, Numbers, Snapshot, TreesContents,
    put_cached_tree, renumber,
};
use manicule_store::threads;

use super::order::by_paths;
use super::place::{CachePlace, CacheUse};
use super::sealed::Sealed;
use super::trees::{BLOBS, CachedTrees, IDS, PAGE_LENS, SECTIONS, SNAPSHOTS, TEXTS};
use crate::error::RepoError;
use crate::index::Index;
use crate::packs::ReadError;
use crate::repository::{Repository, SNAPSHOT_LIMITS, Unpacking};
use crate::snapshots::{Kept, Snapshots};
use crate::trees::{Next, TreeNo, VisitTrees, walk};

/// What lies in a cache.
struct Found {
    trees: CachedTrees,
    contents: TreesContents,
}

fn find(repository: &Repository, asked: &CacheUse) -> Option<Found> {
    let place = CachePlace::of(&asked.folder, repository);
    let file = place.map(CacheKind::Trees).ok()?;
    let (frame, contents) = CacheFrame::open(&file, CacheKind::Trees, repository.key()).ok()?;
    let contents = TreesContents::decode(&contents).ok()?;
    let is_section = |(number, page_len): (usize, u32)| {
        frame.section(number).is_some_and(|section| section.page_len == page_len)
    };
    if !PAGE_LENS.into_iter().enumerate().all(is_section) {
        return None;
    }
    let path = place.path_of(CacheKind::Trees);
    let sealed = Sealed::new(file, frame, SECTIONS);
    let trees = CachedTrees::new(sealed, path, asked.files.clone());
    Some(Found { trees, contents })
}

/// Whether a cache is of the index files and snapshots that the repository has now. Listings that
/// were brought stay for who loads the files.
fn is_current(contents: &TreesContents, repository: &Repository) -> Result<bool, RepoError> {
    let storage = repository.storage();
    let listed = |kind| storage.brought(kind).map_or_else(|| storage.list(kind), Ok);
    let ids = |kind| Ok::<_, RepoError>(listed(kind)?.into_iter().map(|file| file.id));
    Ok(ids(FileKind::Index)?.eq(contents.index_files.iter().copied())
        && ids(FileKind::Snapshot)?.eq(contents.snapshots.iter().copied()))
}

/// Opens the trees of a cache for what is asked of the repository from now on, if they are those of
/// its snapshots; the snapshots come with them. Otherwise `None`, and nothing has changed.
pub fn open_trees(
    repository: &Repository,
    asked: &CacheUse,
) -> Result<Option<Snapshots>, RepoError> {
    let Some(Found { mut trees, contents }) = find(repository, asked) else { return Ok(None) };
    if !contents.is_whole || !is_current(&contents, repository)? {
        return Ok(None);
    }
    let Some(texts) = trees.snapshots(contents.snapshots.len()) else { return Ok(None) };
    // The index is loaded next. Nobody loads the snapshots: what was brought of them goes.
    if repository.storage().brought(FileKind::Snapshot).is_some() {
        repository.storage().list(FileKind::Snapshot)?;
    }
    let (mut kept, mut roots) = (Vec::with_capacity(texts.len()), Vec::with_capacity(texts.len()));
    for (id, (text, root)) in contents.snapshots.into_iter().zip(texts) {
        let Ok(snapshot) = Snapshot::parse(&text) else { return Ok(None) };
        roots.extend(snapshot.tree.map(|tree| (tree, root)));
        kept.push(Kept { id, snapshot });
    }
    kept.sort_by_key(|kept| (kept.snapshot.time.moment, kept.id));
    trees.note_roots(roots);
    repository.use_trees(trees);
    Ok(Some(Snapshots { kept, broken: Vec::new() }))
}

/// Brings the trees of a cache up to date, if they aren't, and opens them. Only trees that it lacks
/// are read; those of an earlier state are taken over. Where a snapshot or tree can't be read, the
/// cache keeps nothing but that, until an index file or a snapshot comes or goes. The inner error
/// is one of the cache's folder.
///
/// Memory: all trees, in a fourth of the length of their texts.
pub fn keep_trees(
    repository: &Repository,
    index: &Index,
    asked: &CacheUse,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<io::Result<()>, RepoError> {
    if repository.cached_trees().is_some() {
        return Ok(Ok(()));
    }
    let found = find(repository, asked);
    if let Some(found) = &found
        && is_current(&found.contents, repository)?
    {
        return Ok(Ok(()));
    }
    let listed = repository.storage().list(FileKind::Snapshot)?;
    let mut contents = TreesContents {
        is_whole: true,
        tree_count: 0,
        blob_count: 0,
        index_files: index.files().iter().map(|file| file.id).collect(),
        snapshots: listed.iter().map(|file| file.id).collect(),
    };
    let old = found.filter(|found| found.contents.is_whole).map(|found| found.trees);
    let made = make(repository, index, old.as_ref(), &contents.snapshots, threads, watch)?;
    contents.is_whole = made.is_some();
    let sections = made.unwrap_or_default();
    [contents.tree_count, contents.blob_count] =
        [IDS, BLOBS].map(|section| (sections[section].len() / 32) as u32);
    let mut head = Vec::new();
    contents.encode(&mut head);
    let rows: Vec<(u32, &[u8])> =
        PAGE_LENS.into_iter().zip(&sections).map(|(len, plain)| (len, &plain[..])).collect();
    let place = CachePlace::of(&asked.folder, repository);
    let put = place.put(repository, asked, CacheKind::Trees, &head, &rows);
    if put.is_ok() && contents.is_whole {
        drop(sections);
        open_trees(repository, asked)?;
    }
    Ok(put)
}

type Sections = [Vec<u8>; SECTIONS];

/// The sections; `None` if something can't be read.
fn make(
    repository: &Repository,
    index: &Index,
    old: Option<&CachedTrees>,
    snapshots: &[Id],
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Option<Sections>, RepoError> {
    let texts = threads::map(threads, snapshots.len(), |number| {
        let mut buffers = Unpacking::default();
        let (kind, limits) = (FileKind::Snapshot, SNAPSHOT_LIMITS);
        let text = repository.read_unpacked(kind, &snapshots[number], limits, &mut buffers).ok()?;
        let tree = Snapshot::parse(text).ok()?.tree?;
        Some((text.to_vec(), index.of(BlobKind::Tree).number(&tree)?))
    });
    let Some(texts) = texts.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let roots: Vec<u32> = texts.iter().map(|(_, root)| *root).collect();
    let Some(records) = read_records(repository, index, old, &roots, threads, watch)? else {
        return Ok(None);
    };
    let record = |tree: u32| records[tree as usize].as_deref().unwrap_or(&[]);
    let Ok(order) = by_paths(&roots, records.len(), record) else { return Ok(None) };
    Ok(lay_out(index, &texts, &order, records))
}

/// Sections of trees in their order.
fn lay_out(
    index: &Index,
    texts: &[(Vec<u8>, u32)],
    order: &[u32],
    mut records: Vec<Option<Vec<u8>>>,
) -> Option<Sections> {
    let mut numbers = vec![0u32; records.len()];
    for (number, &tree) in (0..).zip(order) {
        numbers[tree as usize] = number;
    }
    let mut sections = Sections::default();
    for (text, root) in texts {
        sections[TEXTS].extend_from_slice(text);
        let end = sections[TEXTS].len() as u64;
        sections[SNAPSHOTS].extend_from_slice(&end.to_le_bytes());
        sections[SNAPSHOTS].extend_from_slice(&numbers[*root as usize].to_le_bytes());
    }
    let [_, _, ids, blobs, ends, all] = &mut sections;
    let (entries, mut blob_count) = (index.of(BlobKind::Data), 0);
    // Numbers of blobs as they are met, 0 for one that wasn't, else one more: those of a file lie
    // together.
    let mut blob_numbers = vec![0u32; entries.numbers_end()];
    for &tree in order {
        let mut record = records[tree as usize].take()?;
        let blob_of = |blob: u32| {
            let number = &mut blob_numbers[blob as usize];
            if *number == 0 {
                blob_count += 1;
                *number = blob_count;
                blobs.extend_from_slice(&entries.entry(blob).0.0);
            }
            *number - 1
        };
        renumber(&mut record, |child| numbers[child as usize], blob_of).ok()?;
        all.append(&mut record);
        ends.extend_from_slice(&(all.len() as u64).to_le_bytes());
        ids.extend_from_slice(&index.of(BlobKind::Tree).entry(tree).0.0);
    }
    Some(sections)
}

/// The records of all trees below `roots`, by the trees' numbers in the index; `None` if one can't
/// be read.
fn read_records(
    repository: &Repository,
    index: &Index,
    old: Option<&CachedTrees>,
    roots: &[u32],
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Option<Vec<Option<Vec<u8>>>>, RepoError> {
    let known = old.and_then(|old| Known::of(old, index)).unwrap_or_default();
    let visitor = || Reading {
        index,
        known: &known,
        records: Vec::new(),
        met: Vec::new(),
        has_failed: false,
    };
    let visitors = (0..threads.max(1)).map(|_| visitor()).collect();
    let (mut met, unknown): (Vec<u32>, Vec<u32>) = roots.iter().partition(|root| known.has(**root));
    let unknown: Vec<TreeNo> = unknown.into_iter().map(TreeNo).collect();
    let visitors = walk(repository, index, &unknown, visitors, watch)?;
    let mut records: Vec<Option<Vec<u8>>> = vec![None; index.of(BlobKind::Tree).numbers_end()];
    for mut visitor in visitors {
        if visitor.has_failed {
            return Ok(None);
        }
        met.append(&mut visitor.met);
        for (tree, record) in visitor.records {
            records[tree.0 as usize] = Some(record);
        }
    }
    let is_taken = old.is_none_or(|old| known.take_over(old, met, &mut records).is_some());
    Ok(is_taken.then_some(records))
}

/// Trees that the cache has already.
#[derive(Default)]
struct Known {
    /// The numbers in the index of the cache's trees and data blobs.
    trees: Vec<u32>,
    blobs: Vec<u32>,
    /// The number in the cache of each tree of the index that it has; 0 for one that it lacks, else
    /// one more.
    places: Vec<u32>,
}

impl Known {
    /// `None` if the cache is damaged, or the index has lost something of it.
    fn of(old: &CachedTrees, index: &Index) -> Option<Known> {
        let (trees, blobs) = (old.tree_numbers(index)?, old.blob_numbers(index)?);
        let mut places = vec![0; index.of(BlobKind::Tree).numbers_end()];
        for (place, tree) in (1..).zip(&trees) {
            places[*tree as usize] = place;
        }
        Some(Known { trees, blobs, places })
    }

    fn has(&self, tree: u32) -> bool {
        self.places.get(tree as usize).is_some_and(|place| *place > 0)
    }

    /// Takes over the records of `met` and of all trees below: the cache has those of every tree
    /// that it has. `None` if it is damaged.
    fn take_over(
        &self,
        old: &CachedTrees,
        mut met: Vec<u32>,
        records: &mut [Option<Vec<u8>>],
    ) -> Option<()> {
        while let Some(tree) = met.pop() {
            if records[tree as usize].is_some() {
                continue;
            }
            let mut record = old.record(self.places[tree as usize].checked_sub(1)?)?.into_owned();
            let mut is_sound = true;
            let number = |numbers: &[u32], number: u32, is_sound: &mut bool| {
                let known = numbers.get(number as usize).copied();
                *is_sound &= known.is_some();
                known.unwrap_or(0)
            };
            let mut children_are_sound = true;
            let tree_of = |child: u32| {
                let child = number(&self.trees, child, &mut children_are_sound);
                met.push(child);
                child
            };
            renumber(&mut record, tree_of, |blob| number(&self.blobs, blob, &mut is_sound)).ok()?;
            if !(is_sound && children_are_sound) {
                return None;
            }
            records[tree as usize] = Some(record);
        }
        Some(())
    }
}

/// Makes records of trees.
struct Reading<'a> {
    index: &'a Index,
    known: &'a Known,
    records: Vec<(TreeNo, Vec<u8>)>,
    /// Trees met that the cache has.
    met: Vec<u32>,
    has_failed: bool,
}

/// A tree can't be kept.
struct Unfit;

impl From<JsonError> for Unfit {
    fn from(_: JsonError) -> Self {
        Unfit
    }
}

impl VisitTrees for Reading<'_> {
    fn tree(&mut self, tree: TreeNo, text: Result<&[u8], ReadError>, next: &mut Next<'_>) {
        let Ok(text) = text else {
            self.has_failed = true;
            return;
        };
        let Reading { index, known, met, .. } = self;
        let mut numbers = Numbering { index, known, met, next };
        let mut record = Vec::new();
        match put_cached_tree(text, &mut numbers, &mut record) {
            Ok(()) => self.records.push((tree, record)),
            Err(Unfit) => self.has_failed = true,
        }
    }
}

/// Numbers by the index.
struct Numbering<'r, 'w> {
    index: &'r Index,
    known: &'r Known,
    met: &'r mut Vec<u32>,
    next: &'r mut Next<'w>,
}

impl Numbers for Numbering<'_, '_> {
    type Error = Unfit;

    fn tree(&mut self, id: Id) -> Result<u32, Unfit> {
        let child = self.index.of(BlobKind::Tree).number(&id).ok_or(Unfit)?;
        if self.known.has(child) {
            self.met.push(child)
        } else {
            self.next.tree(&id);
        }
        Ok(child)
    }

    fn blobs(&mut self, ids: &[Id], out: &mut Vec<u32>) -> Result<(), Unfit> {
        let blobs = self.index.of(BlobKind::Data);
        ids.iter().try_for_each(|id| {
            out.push(blobs.number(id).ok_or(Unfit)?);
            Ok(())
        })
    }
}

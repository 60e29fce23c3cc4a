//! The index from its cache, if that is of the same index files; otherwise from the repository, and
//! into the cache.
//!
//! Bytes:   docs/formats/blob-cache.md, "Index"

use std::io;
use std::sync::Arc;

use manicule_core::idmap::{GrowError, Seed, freeze};
use manicule_core::watch::Watch;
use manicule_format_restic::{
    BlobKind, CacheError, CacheFrame, CacheKind, CachedFile, CachedPack, FileKind, IndexContents,
    PACK_ROW_LEN,
};

use super::paged::{
    Mend, PagedMap, Pages, ROWS_PAGE_LEN, STARTS_PAGE_LEN, VALUE_LEN, encode_value,
};
use super::place::{CachePlace, CacheUse};
use super::sealed::Sealed;
use crate::error::RepoError;
use crate::index::{Index, IndexFile, Indexed, MarkedPack, Pack};
use crate::repository::Repository;
use crate::storage::Listed;

/// Sections: packs; rows and bucket starts of data blobs, of trees.
const SECTIONS: usize = 5;
const FIRST_SECTIONS: [usize; 2] = [1, 3];
const PACKS_PAGE_LEN: u32 = (PACK_ROW_LEN * 273) as u32;

/// An index, and what became of its cache.
#[derive(Debug)]
pub struct CachedIndex {
    /// The index.
    pub index: Index,
    /// Whether it came from the cache.
    pub is_cached: bool,
    /// Why the cache could not be written, if it should have been.
    pub trouble: Option<io::Error>,
}

/// Opens the index from its cache: the list of index files is compared, and pages are opened as
/// they are touched. If the cache is of other index files, damaged, or not there, they are loaded
/// as [`Index::load`] does, and the cache is written; that takes another 53 bytes an entry for the
/// time.
pub fn load_cached(
    repository: &Repository,
    asked: &CacheUse,
    seed: u64,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<CachedIndex, RepoError> {
    let place = CachePlace::of(&asked.folder, repository);
    let listed = repository.storage().list(FileKind::Index)?;
    let roots = repository.take_roots();
    if let Some(index) = open(repository, &place, asked, &listed, seed, threads)?
        && !index.lacks_any(&roots)
    {
        return Ok(CachedIndex { index, is_cached: true, trouble: None });
    }
    repository.note_roots(roots);
    let empty = Index::empty(seed, Indexed::All);
    let index = Index::load_first(repository, &listed, empty, threads, watch, &mut Err)?;
    let trouble = write(repository, &place, asked, &index, &sections(&index)?).err();
    Ok(CachedIndex { index, is_cached: false, trouble })
}

/// The index of a cache, if it is of these files. A file that can't be read or opened is none.
fn open(
    repository: &Repository,
    place: &CachePlace,
    asked: &CacheUse,
    listed: &[Listed],
    seed: u64,
    threads: usize,
) -> Result<Option<Index>, GrowError> {
    let Ok(file) = place.map(CacheKind::Index) else { return Ok(None) };
    let Ok((frame, contents)) = decode(&file, repository) else { return Ok(None) };
    let cached = contents.files.iter().map(|file| Listed { id: file.id, len: file.len });
    if !cached.eq(listed.iter().copied()) || !is_of(&frame, &contents) {
        return Ok(None);
    }
    let Some(packs) = packs_of(&file, &frame) else { return Ok(None) };
    let mend = mend(repository, place, asked, listed, seed, threads);
    let pages = Arc::new(Pages::new(Sealed::new(file, frame, SECTIONS), mend));
    let map = |kind: usize| {
        let count = contents.entry_counts[kind];
        PagedMap::new(&pages, FIRST_SECTIONS[kind], count, threads)
    };
    let files = contents.files.iter().map(file_of).collect();
    let marked = contents.marked.into_iter().map(|(id, time)| MarkedPack { id, time }).collect();
    let repeats = contents.repeat_count;
    Index::of_cache(Seed::new(seed), packs, [map(0), map(1)], files, marked, repeats).map(Some)
}

/// The packs; `None` if a page of them doesn't open.
fn packs_of(file: &[u8], frame: &CacheFrame) -> Option<Vec<Pack>> {
    let page_count = frame.section(0)?.page_count();
    let mut packs = Vec::new();
    for page in 0..page_count {
        let rows = frame.open_page(file, 0, page).ok()?;
        for row in rows.chunks(PACK_ROW_LEN) {
            packs.push(pack_of(CachedPack::decode(row).ok()?));
        }
    }
    Some(packs)
}

fn decode(file: &[u8], repository: &Repository) -> Result<(CacheFrame, IndexContents), CacheError> {
    let (frame, contents) = CacheFrame::open(file, CacheKind::Index, repository.key())?;
    Ok((frame, IndexContents::decode(&contents)?))
}

/// Whether the sections are as long as the counts make them.
fn is_of(frame: &CacheFrame, contents: &IndexContents) -> bool {
    let is = |section: usize, page_len: u32, len: u64| {
        frame.section(section).is_some_and(|got| got.page_len == page_len && got.len == len)
    };
    let packs_len = u64::from(contents.pack_count) * PACK_ROW_LEN as u64;
    is(0, PACKS_PAGE_LEN, packs_len)
        && FIRST_SECTIONS.iter().zip(contents.entry_counts).all(|(&section, count)| {
            let [rows_len, starts_len] = PagedMap::lens(count);
            is(section, ROWS_PAGE_LEN, rows_len) && is(section + 1, STARTS_PAGE_LEN, starts_len)
        })
}

/// How a broken page comes by its bytes again: they follow from the index files. The cache is
/// written again as well; should that fail, the next call tries it.
fn mend(
    repository: &Repository,
    place: &CachePlace,
    asked: &CacheUse,
    listed: &[Listed],
    seed: u64,
    threads: usize,
) -> Mend {
    let (repository, place, asked) = (repository.clone(), place.clone(), asked.clone());
    let listed = listed.to_vec();
    Box::new(move || {
        let watch = Watch::none();
        let empty = Index::empty(seed, Indexed::All);
        let load = Index::load_listed(&repository, &listed, empty, threads, &watch, &mut Err);
        let index = load.map_err(|error| error.to_string())?;
        let sections = sections(&index).map_err(|error| error.to_string())?;
        let _ = write(&repository, &place, &asked, &index, &sections);
        Ok(sections.into())
    })
}

/// Writes an index that was loaded, with its sections.
fn write(
    repository: &Repository,
    place: &CachePlace,
    asked: &CacheUse,
    index: &Index,
    sections: &[Vec<u8>; SECTIONS],
) -> io::Result<()> {
    let mut contents = Vec::new();
    contents_of(index).encode(&mut contents);
    let lens = [PACKS_PAGE_LEN, ROWS_PAGE_LEN, STARTS_PAGE_LEN, ROWS_PAGE_LEN, STARTS_PAGE_LEN];
    let rows: Vec<(u32, &[u8])> =
        lens.into_iter().zip(sections).map(|(len, plain)| (len, plain.as_slice())).collect();
    place.put(repository, asked, CacheKind::Index, &contents, &rows)
}

/// Plaintexts of the sections: the same for the same index files, whatever the threads.
fn sections(index: &Index) -> Result<[Vec<u8>; SECTIONS], GrowError> {
    let mut packs = Vec::with_capacity(index.packs().len() * PACK_ROW_LEN);
    index.packs().iter().for_each(|pack| row_of(pack).encode(&mut packs));
    let [data, data_starts] = frozen(index, BlobKind::Data)?;
    let [trees, tree_starts] = frozen(index, BlobKind::Tree)?;
    Ok([packs, data, data_starts, trees, tree_starts])
}

/// Rows and bucket starts.
fn frozen(index: &Index, kind: BlobKind) -> Result<[Vec<u8>; 2], GrowError> {
    let blobs = index.of(kind);
    let count = blobs.numbers_end() - blobs.repeat_count();
    let rows = (0..).zip(blobs.grown());
    let mut bytes = freeze::<VALUE_LEN>(
        count,
        rows.map(|(order, (_, id, stored))| (id, encode_value(stored, order))),
    )?;
    let [rows_len, _] = PagedMap::lens(count as u32);
    let starts = bytes.split_off(rows_len as usize);
    Ok([bytes, starts])
}

fn contents_of(index: &Index) -> IndexContents {
    let counts = [BlobKind::Data, BlobKind::Tree].map(|kind| index.of(kind));
    IndexContents {
        pack_count: index.packs().len() as u32,
        entry_counts: counts.map(|blobs| (blobs.numbers_end() - blobs.repeat_count()) as u32),
        repeat_count: counts.iter().map(|blobs| blobs.repeat_count() as u64).sum(),
        files: index
            .files()
            .iter()
            .map(|file| CachedFile {
                id: file.id,
                len: file.len,
                pack_count: file.pack_count,
                blob_count: file.blob_count,
                form: file.form,
            })
            .collect(),
        marked: index.marked().iter().map(|pack| (pack.id, pack.time.clone())).collect(),
    }
}

fn file_of(file: &CachedFile) -> IndexFile {
    let CachedFile { id, len, pack_count, blob_count, form } = *file;
    IndexFile { id, len, pack_count, blob_count, form }
}

fn row_of(pack: &Pack) -> CachedPack {
    let Pack { id, blob_count, untyped_count, len, header_len, named } = *pack;
    CachedPack { id, blob_count, untyped_count, len, header_len, named }
}

fn pack_of(pack: CachedPack) -> Pack {
    let CachedPack { id, blob_count, untyped_count, len, header_len, named } = pack;
    Pack { id, blob_count, untyped_count, len, header_len, named }
}

//! Blocks of a store that is not local: their folders are listed, which says what of them is there
//! and in which version; small files are read side by side; of index and chunks ranges are brought.

use std::collections::HashMap;
use std::sync::Mutex;

use manicule_format_prometheus::{INDEX_NAME, Index, META_NAME, Meta, Tombstones};
use manicule_store::store::{Fetched, Listed, Name, RangedFile, Store, StoreError};
use manicule_store::{reserve_handles, threads};

use super::error::BlockError;
use super::folders::Seen;
use super::open::{
    Block, CHUNKS, TOMBSTONES, decode_meta, decode_tombstones, error_of, no_meta, no_tombstones,
    part, read_meta_in,
};
use super::segments::Segments;

impl Block {
    /// Opens a block in a folder of a store. Elsewhere than in a local folder it is listed first,
    /// and of its index the tables are brought.
    pub fn open_in(files: &Fetched, folder: &Name) -> Result<Self, BlockError> {
        if files.is_in_place() {
            return Block::open_parts(files, folder, read_meta_in(files.store(), folder)?);
        }
        let wanted = Wanted { folder: folder.clone(), meta: None, seen: None };
        open_each(files, vec![wanted]).pop().expect("one for each")
    }

    /// Opens an index that lies by itself in a store.
    pub fn open_index_in(files: &Fetched, file: &Name) -> Result<Self, BlockError> {
        Ok(Block::of_index(files.store().show(file), open_index(files, file, None)?))
    }
}

/// A block to be opened.
pub(super) struct Wanted {
    pub(super) folder: Name,
    /// Its meta file, where that was read before.
    pub(super) meta: Option<Meta>,
    /// Its folder, where that was listed before.
    pub(super) seen: Option<Seen>,
}

/// Opens blocks, each by itself: a round for all folders that were not listed yet, one for all
/// small files, and for each index those that its tables take, if they were not brought before.
pub(super) fn open_each(
    files: &Fetched,
    mut wanted: Vec<Wanted>,
) -> Vec<Result<Block, BlockError>> {
    if files.is_in_place() {
        let open = |Wanted { folder, meta, .. }| match meta {
            Some(meta) => Block::open_parts(files, &folder, meta),
            None => Block::open_in(files, &folder),
        };
        return wanted.into_iter().map(open).collect();
    }
    if wanted.is_empty() {
        return Vec::new();
    }
    let seen = see(files.store(), &mut wanted);
    let small = |(wanted, seen): (&Wanted, &Result<Seen, BlockError>)| {
        let Ok(seen) = seen else { return Vec::new() };
        let names = [(META_NAME, wanted.meta.is_none()), (TOMBSTONES, seen.tombstones.is_none())];
        let names =
            names.into_iter().filter(|(name, is_wanted)| *is_wanted && seen.entry(name).is_some());
        names.map(|(name, _)| part(&wanted.folder, name)).collect()
    };
    let small: Vec<Name> = wanted.iter().zip(&seen).flat_map(small).collect();
    let bytes = match &small[..] {
        [] => Vec::new(),
        small => files.store().read_all(small, u64::MAX),
    };
    let mut small: HashMap<Name, _> = small.into_iter().zip(bytes).collect();
    let mut take = |file: &Name| small.remove(file);
    let parts = wanted.into_iter().zip(seen).map(|(wanted, seen)| {
        let Wanted { folder, meta, .. } = wanted;
        let mut seen = seen?;
        let meta = match meta {
            Some(meta) => meta,
            None => meta_of(files.store(), &part(&folder, META_NAME), &mut take)?,
        };
        let file = part(&folder, TOMBSTONES);
        let tombstones = match seen.tombstones.take().map(Ok).or_else(|| take(&file)) {
            Some(bytes) => decode_tombstones(files.store(), &file, &bytes?)?,
            None => no_tombstones(files.store(), &file, &meta)?,
        };
        Ok(Parts { folder, meta, seen, tombstones })
    });
    let parts: Vec<Result<Parts, BlockError>> = parts.collect();
    // Each file that ranges are brought of is held open. Where that is refused opening one says so.
    let held = parts.iter().flatten().map(|parts| 1 + parts.seen.chunks.len());
    reserve_handles(held.sum());
    let parts: Vec<_> = parts.into_iter().map(|parts| Mutex::new(Some(parts))).collect();
    threads::map_waiting(parts.len(), |place| {
        threads::lock(&parts[place]).take().expect("each place is dealt once")?.open(files)
    })
}

/// What is known of a block before its index is.
struct Parts {
    folder: Name,
    meta: Meta,
    seen: Seen,
    tombstones: Tombstones,
}

/// Takes what was read of a file.
type Take<'t> = dyn FnMut(&Name) -> Option<Result<Vec<u8>, StoreError>> + 't;

fn meta_of(store: &dyn Store, file: &Name, take: &mut Take<'_>) -> Result<Meta, BlockError> {
    match take(file) {
        Some(json) => decode_meta(store, file, &json?),
        None => Err(no_meta(store.show(file))),
    }
}

impl Parts {
    fn open(self, files: &Fetched) -> Result<Block, BlockError> {
        let Parts { folder, meta, seen, tombstones } = self;
        let file = part(&folder, INDEX_NAME);
        let Some(listed) = seen.entry(INDEX_NAME) else {
            return Err(no_index(files.store(), &folder));
        };
        let index = open_index(files, &file, Some(listed))?;
        let segments = Segments::of_listed(files, &part(&folder, CHUNKS), seen.chunks)?;
        Block::of(files.store().show(&folder), meta, index, segments, tombstones)
    }
}

/// Error of a block's folder in which no index lies.
pub(super) fn no_index(store: &dyn Store, folder: &Name) -> BlockError {
    let (path, why) = (store.show(&part(folder, INDEX_NAME)), "every block has one".to_owned());
    BlockError::PartMissing { path, why }
}

/// What lies in the folders of blocks, of which those are listed that were not yet. One that is not
/// there is empty.
fn see(store: &dyn Store, wanted: &mut [Wanted]) -> Vec<Result<Seen, BlockError>> {
    let unseen = wanted.iter().filter(|wanted| wanted.seen.is_none());
    let folders = unseen.flat_map(|wanted| {
        let folder = &wanted.folder;
        [folder.clone(), part(folder, CHUNKS)]
    });
    let folders: Vec<Name> = folders.collect();
    let listed = if folders.is_empty() { Vec::new() } else { store.list_all(&folders) };
    let mut listed = listed.into_iter();
    let mut next = || match listed.next().expect("a listing for each folder") {
        Err(error) if error.is_missing() => Ok(Vec::new()),
        listed => listed,
    };
    let seen = wanted.iter_mut().map(|wanted| {
        if let Some(seen) = wanted.seen.take() {
            return Ok(seen);
        }
        let (entries, chunks) = (next(), next());
        Ok(Seen { entries: entries?, chunks: chunks?, tombstones: None })
    });
    seen.collect()
}

fn open_index(
    files: &Fetched,
    file: &Name,
    listed: Option<&Listed>,
) -> Result<Index<RangedFile>, BlockError> {
    let ranged = files.ranged(file, listed)?;
    let failures = ranged.failures();
    Index::open(ranged).map_err(|source| error_of(&failures, source, || files.store().show(file)))
}

//! What listings of a folder show of the blocks in it, and what is read beside them: meta files,
//! marks, and of few blocks tombstones and the ends of their indexes.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use manicule_format_prometheus::{
    INDEX_NAME, MARKERS_NAME, META_NAME, Mark, MarkKind, index_ends, marked_block,
};
use manicule_store::store::{
    Answer, Ask, Fetched, Listed, Name, RangedFile, Store, StoreError, Version, listings,
};
use manicule_store::threads;

use super::error::BlockError;
use super::folders::{Seen, shown};
use super::open::{TOMBSTONES, part};
use super::tenants::is_block_folder;

/// Number of blocks up to which meta files are read beside the listing: it is a round less, and of
/// more it is worth to know first which of them were read before.
const FEW: usize = 16;

/// What was read of a file; `None` where it is missing.
pub(super) fn if_there(read: Result<Vec<u8>, StoreError>) -> Result<Option<Vec<u8>>, StoreError> {
    match read {
        Err(error) if error.is_missing() => Ok(None),
        read => read.map(Some),
    }
}

/// Marks by the names of their blocks, of several of a block the first.
pub(super) fn by_block(marks: Vec<Mark>) -> HashMap<String, Mark> {
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

/// What listings of a folder show of its blocks.
pub(super) struct Found {
    pub(super) blocks: Vec<FoundBlock>,
    marks: Vec<MarkFile>,
    /// The meta files were read beside the listings.
    has_metas: bool,
}

pub(super) struct FoundBlock {
    pub(super) folder: Name,
    pub(super) seen: Seen,
    /// What was read of its meta file, if it was asked for.
    pub(super) meta: Option<Result<Vec<u8>, StoreError>>,
}

/// Marks of blocks.
pub(super) struct Marks {
    /// By the places of their blocks.
    pub(super) of_blocks: Vec<Vec<Mark>>,
    /// By the names of their blocks.
    pub(super) of_tenant: HashMap<String, Mark>,
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
    pub(super) fn one(below: Vec<Listed>, meta: Vec<u8>) -> Self {
        let (folder, seen, meta) = (Name::root(), Seen::of(below), Some(Ok(meta)));
        let blocks = vec![FoundBlock { folder, seen, meta }];
        Found { blocks, marks: Vec::new(), has_metas: false }
    }

    /// Takes the blocks among some entries from what lies below all of them.
    pub(super) fn of(listed: &[Listed], below: Vec<Listed>, kinds: &[MarkKind]) -> Self {
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
    pub(super) fn list(
        store: &dyn Store,
        listed: &[Listed],
        kinds: &[MarkKind],
    ) -> Result<Self, BlockError> {
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
    pub(super) fn read_all(&mut self, files: &Fetched) -> Result<Marks, BlockError> {
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
            let mark = if_there(json)?.and_then(|json| Mark::decode(*kind, &json).ok());
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

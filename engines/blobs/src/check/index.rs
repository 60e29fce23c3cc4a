//! Index files: whether each can be read, and what several of them say of one pack.
//!
//! What is said twice is looked at in a second reading, which only repositories with repeated packs
//! need: keeping each pack's blobs by file would cost every load.

use std::collections::BTreeMap;

use manicule_core::watch::Watch;
use manicule_format_restic::{BlobKind, Id, IndexSink, ListedPack, PackedBlob};

use super::finding::{Finding, FindingKind};
use crate::error::RepoError;
use crate::index::{Index, Indexed, PackNo, read_files};
use crate::repository::Repository;
use crate::storage::Listed;

/// Loads the index from files that were listed. Those that can't be read are findings.
pub(super) fn load(
    repository: &Repository,
    listed: &[Listed],
    seed: u64,
    threads: usize,
    watch: &Watch<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Index, RepoError> {
    let empty = Index::empty(seed, Indexed::All);
    Index::load_first(repository, listed, empty, threads, watch, &mut |error| match error {
        RepoError::Stopped(_) | RepoError::Index(_) => Err(error),
        _ => {
            findings.push(unreadable(FindingKind::IndexUnreadable, &error));
            Ok(())
        }
    })
}

/// The finding of a file that can't be read.
pub(super) fn unreadable(kind: FindingKind, error: &RepoError) -> Finding {
    let (id, what) = (error.file_id(), format!("{} {error}", kind.subject()));
    Finding { kind, id, blob: None, offset: None, what }
}

/// That somebody prunes while the repository is checked.
pub(super) fn changed() -> Finding {
    let what = "index files have come and gone while they were checked, twice: somebody prunes, and what is found may be gone; check again";
    let kind = FindingKind::IndexChanged;
    Finding { kind, id: None, blob: None, offset: None, what: what.to_owned() }
}

/// Packs of both kinds, as restic hints at them.
pub(super) fn mixed(index: &Index) -> Vec<Finding> {
    let mut has = vec![[false; 2]; index.packs().len()];
    for (at, kind) in [BlobKind::Data, BlobKind::Tree].into_iter().enumerate() {
        for (_, _, stored) in index.of(kind).entries() {
            has[stored.pack.0 as usize][at] = true;
        }
    }
    let packs = index.packs().iter().zip(has);
    packs
        .filter(|(pack, has)| *has == [true; 2] || pack.untyped_count > 0)
        .map(|(pack, _)| {
            let what = match pack.untyped_count {
                0 => "contains a mix of tree and data blobs".to_owned(),
                count => format!("{count} of its blobs have no type in the index"),
            };
            Finding::new(FindingKind::PackMixed, pack.id, what)
        })
        .collect()
}

/// What index files say of packs that are named more than once.
pub(super) fn repeated(
    repository: &Repository,
    index: &Index,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Vec<Finding>, RepoError> {
    if index.packs().iter().all(|pack| pack.named < 2) {
        return Ok(Vec::new());
    }
    let mut said: BTreeMap<Id, Vec<(Id, Vec<PackedBlob>)>> = BTreeMap::new();
    let mut differs: BTreeMap<Id, bool> = BTreeMap::new();
    let sink = || Repeats { index, packs: BTreeMap::new(), current: None };
    read_files(repository, threads, watch, sink, |file, _, read| {
        // One that can't be read is a finding already.
        let Ok((_, sink)) = read else { return Ok::<(), RepoError>(()) };
        for (pack, mut blobs) in sink.packs {
            blobs.sort_unstable();
            blobs.dedup();
            let files = said.entry(pack).or_default();
            *differs.entry(pack).or_default() |=
                files.first().is_some_and(|(_, first)| *first != blobs);
            // The blobs of the first file are enough to compare with.
            files.push((file.id, if files.is_empty() { blobs } else { Vec::new() }));
        }
        Ok(())
    })?;
    Ok(said
        .into_iter()
        .map(|(pack, files)| in_words(pack, &files, differs.get(&pack) == Some(&true)))
        .collect())
}

fn in_words(pack: Id, files: &[(Id, Vec<PackedBlob>)], differs: bool) -> Finding {
    let names: Vec<String> = files.iter().map(|(file, _)| file.short()).collect();
    let names = names.join(" ");
    let (kind, what) = match (differs, files.len()) {
        (true, _) => (FindingKind::PackDiffers, format!("has different data in indexes: {names}")),
        (false, 1) => (FindingKind::PackListedTwice, format!("listed twice in index {names}")),
        (false, _) => (FindingKind::PackRepeated, format!("contained in several indexes: {names}")),
    };
    Finding::new(kind, pack, what)
}

/// What one index file says of packs that are named more than once.
struct Repeats<'i> {
    index: &'i Index,
    packs: BTreeMap<Id, Vec<PackedBlob>>,
    /// The pack that blobs lie in, if it is one of these.
    current: Option<Id>,
}

impl IndexSink for Repeats<'_> {
    fn pack(&mut self, pack: ListedPack<'_>) {
        let is_repeated = |number: PackNo| self.index.pack(number).named > 1;
        let is_kept = !pack.is_marked && self.index.find_pack(&pack.id).is_some_and(is_repeated);
        self.current = is_kept.then_some(pack.id);
        if is_kept {
            self.packs.entry(pack.id).or_default();
        }
    }

    fn blob(&mut self, blob: PackedBlob) {
        if let Some(blobs) = self.current.and_then(|pack| self.packs.get_mut(&pack)) {
            blobs.push(blob);
        }
    }

    fn restart(&mut self) {
        self.packs.clear();
        self.current = None;
    }
}

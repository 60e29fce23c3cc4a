//! Whether a repository is sound: restic's check with all its findings, and what each broken pack
//! costs.
//!
//! In the order of restic: index files; packs of the index against those in storage; snapshots and
//! all trees below them, each once; then packs themselves, as far as that is asked for. Nothing is
//! written, no lock is taken.
//!
//! Bytes:   docs/formats/restic.md

mod broken;
mod by_pack;
mod call;
mod finding;
mod header;
mod index;
mod loss;
mod packs;
mod read;
mod subset;
mod trees;
mod window;

use manicule_core::watch::Watch;
use manicule_format_restic::{BlobKind, FileKind, Id};

use crate::error::RepoError;
use crate::index::{Index, PackNo};
use crate::repository::Repository;
use crate::snapshots::Snapshots;
use crate::storage::{Listed, Soon};
use crate::usage::used_flags;
use call::Call;
use packs::FileLens;
use read::{Depth, PacksRead, read_packs};
use trees::{CheckedTrees, check_trees};

pub use broken::{BrokenPack, DamagedFile, LostPaths, Missing, UnreadableFolder};
pub use finding::{Finding, FindingKind, Level, Step};
pub use subset::Subset;

/// What is read of packs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReadPacks {
    /// Nothing but the trees of snapshots.
    Trees,
    /// Their headers too: one small read for each pack.
    Headers,
    /// All bytes of some.
    Whole(Subset),
}

/// Arguments of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions {
    /// What is read of packs.
    pub read: ReadPacks,
    /// Maximum number of files and folders that are listed for all broken packs together.
    pub paths_max: usize,
}

manicule_core::counts! {
    /// What was checked.
    pub struct CheckCounts {
        /// Index files.
        index_files,
        /// Packs that the index names.
        packs,
        /// Blobs of the index.
        blobs,
        /// Snapshots.
        snapshots,
        /// Distinct trees below them.
        trees,
        /// Blobs that no snapshot needs.
        unused_blobs,
        /// Packs of which headers or all bytes were read.
        packs_read,
        /// Bytes that were read of these.
        bytes_read,
    }
}

/// Result of a check.
#[derive(Debug, Default)]
pub struct Checked {
    /// What was found: by steps, and in each by the ids.
    pub findings: Vec<Finding>,
    /// Broken packs by their ids, and what they cost.
    pub broken: Vec<BrokenPack>,
    /// What no index file lists, and what that costs.
    pub missing: Option<Missing>,
    /// What was checked.
    pub counts: CheckCounts,
}

impl Checked {
    /// Whether there is no error.
    pub fn is_sound(&self) -> bool {
        self.error_count() == 0
    }

    /// Number of errors, as restic counts them: those in the bytes of one pack are one.
    pub fn error_count(&self) -> u64 {
        finding::error_count(&self.findings)
    }

    /// Whether restic suggests `repair index`.
    pub fn suggests_repair_index(&self) -> bool {
        self.has(FindingKind::IndexUnreadable) || self.has(FindingKind::PackRepeated)
    }

    /// Whether restic suggests `prune`.
    pub fn suggests_prune(&self) -> bool {
        [FindingKind::PackMixed, FindingKind::PackOrphaned, FindingKind::PackMarked]
            .into_iter()
            .any(|kind| self.has(kind))
    }

    /// Packs that restic suggests to salvage by `repair packs`: those whose file is there and can't
    /// be trusted.
    pub fn packs_to_salvage(&self) -> Vec<Id> {
        let is_salvaged = |finding: &&Finding| {
            let kind = finding.kind;
            let is_of_pack =
                finding.kind.step() == Step::Data && kind != FindingKind::PackUnreadable;
            matches!(kind, FindingKind::PackDiffers | FindingKind::PackSize)
                || (is_of_pack && finding.level() == Level::Error)
        };
        let packs = self.findings.iter().filter(is_salvaged);
        let mut packs: Vec<Id> = packs.filter_map(|finding| finding.id).collect();
        packs.sort_unstable();
        packs.dedup();
        packs
    }

    fn has(&self, kind: FindingKind) -> bool {
        self.findings.iter().any(|finding| finding.kind == kind)
    }
}

/// Checks a repository. `seed` is random and secret, as for [`Index::load`].
///
/// Each distinct tree is read once, and each pack that is read whole once. Memory beside the index:
/// 4 bytes for each subtree and blob of each distinct tree; 8 an entry of packs that are read, and
/// one blob and 4 MiB for each thread.
///
/// Where there are errors and somebody has pruned meanwhile, it is all checked again, once.
pub fn check(
    repository: &Repository,
    options: &CheckOptions,
    seed: u64,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Checked, RepoError> {
    let now = || repository.storage().list(FileKind::Index);
    let (checked, before) = check_once(repository, options, seed, threads, watch)?;
    if checked.is_sound() || before == now()? {
        return Ok(checked);
    }
    let (mut checked, before) = check_once(repository, options, seed, threads, watch)?;
    if !checked.is_sound() && before != now()? {
        checked.findings.insert(0, index::changed());
    }
    Ok(checked)
}

/// Checks a repository, and says which index files it had.
fn check_once(
    repository: &Repository,
    options: &CheckOptions,
    seed: u64,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<(Checked, Vec<Listed>), RepoError> {
    let mut checked = Checked::default();
    repository
        .storage()
        .bring(&[FileKind::Snapshot, FileKind::Index, FileKind::Pack].map(Soon::List));
    let snapshots = Snapshots::load(repository, threads, watch)?;
    let files = repository.storage().list(FileKind::Index)?;
    let index = index::load(repository, &files, seed, threads, watch, &mut checked.findings)?;
    checked.findings.extend(index::repeated(repository, &index, threads, watch)?);
    checked.findings.extend(index::mixed(&index));
    checked.count_index(&index);
    let packs = repository.storage().list(FileKind::Pack)?;
    if checked.has(FindingKind::IndexUnreadable) {
        finding::sort(&mut checked.findings);
        return Ok((checked, files));
    }
    let lens = compare_packs(repository, &index, packs, &mut checked.findings)?;
    let call = Call { repository, index: &index, threads, watch };
    let trees = check_trees(&call, &snapshots.kept)?;
    let read = read(&call, &lens, options.read, &mut checked.counts)?;
    checked.count_trees(&index, &snapshots, &trees);
    for error in &snapshots.broken {
        checked.findings.push(index::unreadable(FindingKind::SnapshotUnreadable, error));
    }
    checked.findings.extend_from_slice(&trees.findings);
    checked.findings.extend(read.findings);
    finding::sort(&mut checked.findings);
    let loss = loss::loss(&index, &lens, &checked.findings, &read.bad, &trees.unreadable);
    let broken = broken::broken(&call, &snapshots, &trees, &loss, options.paths_max)?;
    (checked.broken, checked.missing) = (broken.packs, broken.missing);
    Ok((checked, files))
}

/// Compares the index with the packs that were listed.
fn compare_packs(
    repository: &Repository,
    index: &Index,
    mut listed: Vec<Listed>,
    findings: &mut Vec<Finding>,
) -> Result<FileLens, RepoError> {
    let storage = repository.storage();
    let mut is_fresh = !storage.is_far();
    loop {
        let (misplaced, before) = (storage.misplaced_packs()?, findings.len());
        let lens = packs::compare(index, &listed, &misplaced, findings);
        let mut found = findings[before..].iter();
        if is_fresh || found.all(|finding| finding.kind != FindingKind::PackMissing) {
            return Ok(lens);
        }
        findings.truncate(before);
        // Packs were listed beside the index files, and may have been a moment before.
        (listed, is_fresh) = (storage.list(FileKind::Pack)?, true);
    }
}

fn read(
    call: &Call<'_>,
    lens: &FileLens,
    what: ReadPacks,
    counts: &mut CheckCounts,
) -> Result<PacksRead, RepoError> {
    let index = call.index;
    let (depth, subset) = match what {
        ReadPacks::Trees => return Ok(PacksRead::default()),
        ReadPacks::Headers => (Depth::Header, Subset::All),
        ReadPacks::Whole(subset) => (Depth::Whole, subset),
    };
    let mut packs: Vec<(Id, PackNo)> = (0..)
        .zip(index.packs())
        .filter(|(_, pack)| pack.blob_count > 0)
        .map(|(number, pack)| (pack.id, PackNo(number)))
        .collect();
    packs.sort_unstable();
    let sizes: Vec<(Id, u64)> =
        packs.iter().map(|&(id, number)| (id, index.pack(number).len)).collect();
    let chosen: Vec<PackNo> = subset.choose(&sizes).into_iter().map(|at| packs[at].1).collect();
    let with_file = chosen.iter().filter(|&&pack| lens.of(pack).is_some());
    counts.packs_read = with_file.count() as u64;
    let read = read_packs(call, lens, chosen, depth)?;
    counts.bytes_read = read.bytes;
    Ok(read)
}

impl Checked {
    fn count_index(&mut self, index: &Index) {
        self.counts.index_files = index.files().len() as u64;
        self.counts.packs = index.packs().iter().filter(|pack| pack.blob_count > 0).count() as u64;
        self.counts.blobs = index.packs().iter().map(|pack| u64::from(pack.blob_count)).sum();
    }

    fn count_trees(&mut self, index: &Index, snapshots: &Snapshots, trees: &CheckedTrees) {
        self.counts.snapshots = (snapshots.kept.len() + snapshots.broken.len()) as u64;
        self.counts.trees = trees.forest.trees().count() as u64;
        let is_used = used_flags(index, &trees.forest);
        let (data, tree) = is_used.split_at(index.of(BlobKind::Data).numbers_end());
        for (kind, is_used) in [(BlobKind::Data, data), (BlobKind::Tree, tree)] {
            let blobs = index.of(kind).entries_by_blob();
            let unused =
                blobs.filter(|(first, number, ..)| first == number && !is_used[*number as usize]);
            self.counts.unused_blobs += unused.count() as u64;
        }
    }
}

//! Writing the cache, stopped and failed at each of its steps: what a reader finds is no cache or a
//! whole one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use manicule_blobs::cost::{Costs, Reached};
use manicule_blobs::{
    CacheUse, CachedIndex, Index, Indexed, KeyLimits, KeySearch, Repository, RepositoryFiles,
    Snapshots, keep_trees, load_cached, open_trees,
};
use manicule_core::watch::Watch;
use manicule_store::{Disk, SharedFiles};
use manicule_testkit::golden_repository;
use manicule_testkit::steps::{Publisher, Seen, at_every_step};
use tempfile::TempDir;

const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };

struct Cache {
    golden: TempDir,
    folder: TempDir,
    /// Of each writing, another.
    salt: AtomicU8,
    /// What the snapshots cost, without a cache.
    costs: String,
}

impl Cache {
    fn new() -> Self {
        let (golden, folder) = (golden_repository("fleet"), tempfile::tempdir().unwrap());
        let costs = costs(&open(golden.path()), None);
        Cache { golden, folder, salt: AtomicU8::new(0), costs }
    }

    fn asked(&self, folder: &Path, files: &SharedFiles) -> CacheUse {
        let salt = [self.salt.fetch_add(1, Relaxed); 32];
        CacheUse { folder: folder.to_owned(), files: files.clone(), salt, threads: 1 }
    }

    /// The folder of the repository's cache, if it is there.
    fn place(&self) -> Option<PathBuf> {
        fs::read_dir(self.folder.path().join("blobs"))
            .ok()?
            .next()
            .map(|entry| entry.unwrap().path())
    }
}

fn open(golden: &Path) -> Repository {
    let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
    let storage = Arc::new(RepositoryFiles::local(&golden.join("repo")));
    Repository::open(storage, b"manicule-golden", &search).unwrap().repository
}

/// What each snapshot costs, by the index of a cache if there is one.
fn costs(repository: &Repository, cached: Option<CachedIndex>) -> String {
    let watch = Watch::none();
    let snapshots = Snapshots::load(repository, 1, &watch).unwrap();
    let index = match cached {
        Some(cached) => cached.index,
        None => Index::load(repository, Indexed::All, 1, 1, &watch, &mut Err).unwrap(),
    };
    let reached = Reached::of(repository, &index, &snapshots.kept, 1, &watch).unwrap();
    let costs = format!("{:?}", Costs::of(&index, reached).each_snapshot());
    index.check_cache().unwrap();
    costs
}

impl Publisher for Cache {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        let _ = fs::remove_dir_all(self.folder.path().join("blobs"));
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        let repository = open(self.golden.path());
        let (asked, watch) = (self.asked(self.folder.path(), files), Watch::none());
        let cached = load_cached(&repository, &asked, 1, 1, &watch).unwrap();
        let kept = keep_trees(&repository, &cached.index, &asked, 1, &watch).unwrap();
        cached.trouble.map_or(kept, Err).map_err(|error| error.to_string())
    }

    /// Of a copy, as whoever looks may write.
    fn seen(&self) -> Result<Seen, String> {
        let copy = tempfile::tempdir().unwrap();
        if let Some(place) = self.place() {
            let to = copy.path().join("blobs").join(place.file_name().unwrap());
            fs::create_dir_all(&to).unwrap();
            for entry in fs::read_dir(&place).unwrap() {
                let from = entry.unwrap().path();
                fs::copy(&from, to.join(from.file_name().unwrap())).unwrap();
            }
        }
        let repository = open(self.golden.path());
        let asked = self.asked(copy.path(), &Disk::shared());
        let has_trees = open_trees(&repository, &asked).unwrap().is_some();
        let cached = load_cached(&repository, &asked, 1, 1, &Watch::none()).unwrap();
        let is_whole = has_trees && cached.is_cached;
        if costs(&repository, Some(cached)) == self.costs {
            Ok(if is_whole { Seen::New } else { Seen::Old })
        } else {
            Err("other costs than without a cache".to_owned())
        }
    }

    fn litter(&self) -> Vec<String> {
        let names = fs::read_dir(self.place().unwrap()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !["index", "trees", "lock"].contains(&name.as_str())).collect()
    }
}

#[test]
fn a_cache_is_there_whole_or_not_at_all_after_every_step() {
    at_every_step(&Cache::new());
}

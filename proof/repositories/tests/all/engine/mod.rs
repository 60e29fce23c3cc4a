//! Random repositories as the engine opens them.

use std::path::Path;
use std::sync::Arc;

use manicule_blobs::cost::{Costs, Reached, Weight};
use manicule_blobs::{
    Index, Indexed, KeyLimits, KeySearch, Repository, RepositoryFiles, Snapshots,
};
use manicule_core::watch::Watch;
use manicule_repositories::{FleetOptions, PASSWORD, write_fleet};
use manicule_testkit::Rng;

const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 28, work_max: 1 << 24 };

pub(crate) struct Engine {
    pub(crate) repository: Repository,
    pub(crate) snapshots: Snapshots,
    pub(crate) index: Index,
}

impl Engine {
    pub(crate) fn open(folder: &Path) -> Engine {
        let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
        let storage = Arc::new(RepositoryFiles::local(folder));
        let opened = Repository::open(storage, PASSWORD.as_bytes(), &search);
        let repository = opened.expect("the repository opens").repository;
        let snapshots = Snapshots::load(&repository, 2, &Watch::none()).expect("snapshots");
        let index = Index::load(&repository, Indexed::All, 1, 2, &Watch::none(), &mut Err)
            .expect("an index");
        Engine { repository, snapshots, index }
    }

    pub(crate) fn costs(&self) -> Costs {
        let kept = &self.snapshots.kept;
        let reached = Reached::of(&self.repository, &self.index, kept, 2, &Watch::none());
        let costs = Costs::of(&self.index, reached.expect("trees"));
        assert!(costs.gaps().is_empty(), "{:?}", costs.gaps());
        costs
    }
}

pub(crate) fn sums(weight: &Weight) -> (u64, u64) {
    (weight.blobs, weight.bytes)
}

/// Random small repositories, one after the other.
pub(crate) fn fleets(count: u64) -> impl Iterator<Item = (tempfile::TempDir, Rng)> {
    (1..=count).map(|seed| {
        let mut rng = Rng::new(seed);
        let options = FleetOptions {
            seed,
            data_count: 200 + rng.below(1500) as u32,
            snapshot_count: 10 + rng.below(50) as u32,
            blobs_in_pack: 20 + rng.below(100),
        };
        let folder = tempfile::tempdir().expect("a folder");
        write_fleet(folder.path(), &options).expect("written");
        (folder, rng)
    })
}

pub(crate) fn subset(rng: &mut Rng, count: usize) -> Vec<usize> {
    let one_in = 1 + rng.below(8);
    (0..count).filter(|_| rng.one_in(one_in)).collect()
}

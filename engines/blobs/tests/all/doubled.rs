//! 2^40 paths lead through 41 trees: every answer costs the trees.

use std::ops::ControlFlow;
use std::sync::Arc;

use manicule_blobs::check::{CheckOptions, ReadPacks, check};
use manicule_blobs::cost::{Costs, Reached};
use manicule_blobs::find::{Finds, Look, Patterns, State};
use manicule_blobs::history::{Entry, State as RowState, rows};
use manicule_blobs::{
    Index, Indexed, Kept, KeyLimits, KeySearch, Node, Repository, RepositoryFiles, Snapshots,
};
use manicule_core::watch::Watch;
use manicule_repositories::{DOUBLED_NAMES, PASSWORD, write_doubled};

const DEPTH: u32 = 40;
const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 28, work_max: 1 << 24 };

/// Keeps nothing of a match.
struct Names(Patterns);

impl Look for Names {
    type Kept = ();

    fn start(&self) -> State {
        self.0.start()
    }

    fn node(&self, at: State, node: &Node<'_>, kept: &mut Vec<()>) -> Option<State> {
        let after = self.0.after(at, &node.name());
        kept.extend(Patterns::is_match(after).then_some(()));
        self.0.may_match(after).then_some(after)
    }
}

#[test]
fn answers_cost_the_trees_and_not_the_paths() {
    let folder = tempfile::tempdir().unwrap();
    write_doubled(folder.path(), DEPTH).unwrap();
    let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
    let storage = Arc::new(RepositoryFiles::local(folder.path()));
    let repository = Repository::open(storage, PASSWORD.as_bytes(), &search).unwrap().repository;
    let watch = Watch::none();
    let snapshots = Snapshots::load(&repository, 2, &watch).unwrap();
    let index = Index::load(&repository, Indexed::All, 1, 2, &watch, &mut Err).unwrap();
    let kept: Vec<&Kept> = snapshots.kept.iter().collect();

    let reached = Reached::of(&repository, &index, &snapshots.kept, 2, &watch).unwrap();
    let costs = Costs::of(&index, reached);
    assert_eq!((costs.used.trees, costs.gaps()), (u64::from(DEPTH) + 1, &[][..]));

    let options = CheckOptions { read: ReadPacks::Trees, paths_max: 10 };
    let checked = check(&repository, &options, 1, 2, &watch).unwrap();
    assert_eq!((checked.counts.trees, checked.findings.len()), (u64::from(DEPTH) + 1, 0));

    let find = |pattern: &str, count_max: usize| {
        let look = Names(Patterns::parse([pattern.as_bytes()], false).unwrap());
        let finds = Finds::search(&repository, &index, &kept, &look, 2, &watch).unwrap();
        let mut count = 0;
        let _ = finds.each_distinct(|_, _, _| {
            count += 1;
            if count < count_max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        count
    };
    assert_eq!(find("nothing", 1), 0);
    assert_eq!(find(DOUBLED_NAMES[2], 1000), 1000, "of 2^40");

    let way: String = (0..DEPTH).map(|at| format!("/{}", DOUBLED_NAMES[at as usize % 2])).collect();
    let path = format!("{way}/{}", DOUBLED_NAMES[2]);
    let rows = rows(&repository, &index, &snapshots.kept, path.as_bytes(), &watch).unwrap();
    assert!(matches!(rows[0].state, RowState::Within(Entry::Is(_))), "{rows:?}");
}

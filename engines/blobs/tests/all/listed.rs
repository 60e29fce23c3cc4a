//! What tables list: paths of one snapshot after the other, used blobs, kinds of packs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use manicule_blobs::cost::Reached;
use manicule_blobs::usage::UsedBlobs;
use manicule_blobs::{
    Below, BlobKind, Id, Index, Indexed, KeyLimits, KeySearch, Node, PackKind, PathReader,
    RepoError, Repository, RepositoryFiles, Snapshots, Step, each_path,
};
use manicule_core::watch::Watch;
use manicule_testkit::golden_repository;
use tempfile::TempDir;

const PASSWORD: &[u8] = b"manicule-golden";
const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };

struct Opened {
    repository: Repository,
    snapshots: Snapshots,
    index: Index,
    _golden: TempDir,
}

fn opened(name: &str) -> Opened {
    let (golden, watch) = (golden_repository(name), Watch::none());
    let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
    let storage = Arc::new(RepositoryFiles::local(&golden.path().join("repo")));
    let repository = Repository::open(storage, PASSWORD, &search).unwrap().repository;
    let snapshots = Snapshots::load(&repository, 1, &watch).unwrap();
    let index = Index::load(&repository, Indexed::All, 1, 1, &watch, &mut Err).unwrap();
    Opened { repository, snapshots, index, _golden: golden }
}

#[test]
fn trees_are_read_once_for_all_snapshots_as_long_as_they_are_kept() {
    let of = opened("small");
    let roots = of.snapshots.kept.iter().map(|kept| kept.snapshot.tree.unwrap());
    // Each twice, as snapshots of a folder in which nothing has changed.
    let roots: Vec<Id> = roots.flat_map(|root| [root, root]).collect();
    let see = |path: &[u8], node: &Node<'_>| ((path.to_vec(), node.child()), Below::Enter);
    let (mut want, mut trees) = (Vec::new(), roots.clone());
    for &root in &roots {
        each_path::<_, RepoError>(&of.repository, &of.index, root, see, |step| {
            let Step::Row((path, child)) = step else { return Ok(()) };
            trees.extend(child);
            want.push(path);
            Ok(())
        })
        .unwrap();
    }
    let distinct = trees.iter().collect::<HashSet<_>>().len();
    assert!(distinct < trees.len(), "snapshots share trees");
    for (kept_bytes_max, count) in [(1 << 20, distinct), (0, trees.len())] {
        let mut reader = PathReader::new(&of.repository, &of.index, kept_bytes_max);
        let mut got = Vec::new();
        for &root in &roots {
            let take = |step| {
                if let Step::Row((path, _)) = step {
                    got.push(path);
                }
                Ok::<(), RepoError>(())
            };
            reader.each_path(root, see, take).unwrap();
        }
        assert_eq!(got, want, "{kept_bytes_max}");
        assert_eq!(reader.tree_count(), count as u64, "{kept_bytes_max}");
    }
}

#[test]
fn used_blobs_are_those_that_a_snapshot_reaches() {
    for (name, count) in [("unused", 43), ("fleet", 92)] {
        let (of, watch) = (opened(name), Watch::none());
        let used = UsedBlobs::of(&of.repository, &of.index, &of.snapshots, 1, &watch).unwrap();
        let kept = &of.snapshots.kept;
        let reached = Reached::of(&of.repository, &of.index, kept, 1, &watch).unwrap();
        let mut all = HashSet::new();
        for kind in [BlobKind::Data, BlobKind::Tree] {
            for (id, _) in of.index.blobs(kind).filter(|(id, _)| used.has(&of.index, kind, id)) {
                all.insert((kind.name(), id));
            }
        }
        assert_eq!(all.len(), count, "{name}");
        for (id, _) in of.index.blobs(BlobKind::Data) {
            let is_reached = reached.first_snapshot(&of.index, &id).is_some();
            assert_eq!(all.contains(&(BlobKind::Data.name(), id)), is_reached, "{id}");
        }
        assert!(!used.has(&of.index, BlobKind::Data, &Id([0; 32])));
    }
}

#[test]
fn packs_are_of_the_kind_of_their_blobs() {
    let of = opened("fleet");
    let mut kinds: HashMap<u32, HashSet<&str>> = HashMap::new();
    for kind in [BlobKind::Data, BlobKind::Tree] {
        for (_, found) in of.index.blobs(kind) {
            kinds.entry(found.pack.0).or_default().insert(kind.name());
        }
    }
    let all = of.index.pack_kinds();
    assert_eq!(all.len(), of.index.packs().len());
    for (number, kind) in (0..).zip(all) {
        let want: Vec<&str> = kinds[&number].iter().copied().collect();
        match kind {
            PackKind::Of(kind) => assert_eq!(want, [kind.name()], "{number}"),
            PackKind::Empty | PackKind::Mixed => panic!("restic mixes none: {number} {kind:?}"),
        }
    }
}

//! What the engine says of snapshots, beside a plain computation over the same random repositories.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::{Engine, fleets, subset, sums};
use crate::plain::{Plain, PlainNode};
use manicule_blobs::Id;
use manicule_blobs::history::{Entry, EntryNode, Row, State, rows, versions};
use manicule_core::watch::Watch;
use manicule_testkit::Rng;

#[test]
fn costs_of_random_repositories_are_those_of_a_walk_from_each_root() {
    for (folder, mut rng) in fleets(6) {
        let (plain, engine) = (Plain::read(folder.path()), Engine::open(folder.path()));
        let costs = engine.costs();
        let ids = |kept: &manicule_blobs::Kept| kept.id;
        let order: Vec<Id> = engine.snapshots.kept.iter().map(ids).collect();
        assert_eq!(order, plain.snapshots.iter().map(|one| one.id).collect::<Vec<_>>());
        for (at, weighed) in costs.each_snapshot().iter().enumerate() {
            let (reached, exclusive) = plain.reached(&[at]);
            assert_eq!(sums(&weighed.reached), plain.sum(&reached), "snapshot {at}");
            assert_eq!(sums(&weighed.exclusive), plain.sum(&exclusive), "snapshot {at}");
        }
        for _ in 0..25 {
            let members = subset(&mut rng, order.len());
            let weighed = costs.of_group(members.iter().copied());
            let (reached, exclusive) = plain.reached(&members);
            assert_eq!(sums(&weighed.reached), plain.sum(&reached), "{members:?}");
            assert_eq!(sums(&weighed.exclusive), plain.sum(&exclusive), "{members:?}");
        }
        let (used, _) = plain.reached(&(0..order.len()).collect::<Vec<_>>());
        let unused = plain.lens.keys().filter(|handle| !used.contains(handle));
        assert_eq!(sums(&costs.used), plain.sum(&used));
        assert_eq!(sums(&costs.unused).0, plain.sum(unused).0 + unused_copies(&plain, &used));
        let copies: u64 = used.iter().map(|handle| plain.copies[handle]).sum();
        assert_eq!(costs.copies.blobs, copies);
        assert!(copies > 0, "the repository has blobs in two packs");
    }
}

/// Further places of blobs that no snapshot reaches: to the engine they are unused as well.
fn unused_copies(plain: &Plain, used: &BTreeSet<crate::plain::Handle>) -> u64 {
    let unused = plain.copies.iter().filter(|(handle, _)| !used.contains(*handle));
    unused.map(|(_, count)| count).sum()
}

/// Paths of some nodes, and some that lead nowhere.
fn some_paths(plain: &Plain, rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut paths: Vec<Vec<u8>> = (0..60)
        .map(|_| {
            let nodes = &rng.choose(&plain.snapshots).nodes;
            nodes.keys().nth(rng.below(nodes.len())).expect("a node").clone()
        })
        .collect();
    let below: Vec<_> = paths[..5].iter().map(|path| [&path[..], b"/nothing"].concat()).collect();
    paths.extend(below);
    paths.push(b"/nowhere".to_vec());
    paths
}

fn covers(one: &crate::plain::PlainSnapshot, path: &[u8]) -> bool {
    one.snapshot.paths().iter().any(|root| {
        let root = root.as_bytes();
        path == root || path.starts_with(&[root, b"/"].concat())
    })
}

/// Whether two states are one version: all but the time.
fn is_same(one: Option<&PlainNode>, other: Option<&PlainNode>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => PlainNode { mtime: other.mtime, ..one.clone() } == *other,
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Of each host, the runs of snapshots in which a path is the same.
fn plain_versions(plain: &Plain, path: &[u8]) -> BTreeSet<Vec<usize>> {
    let mut hosts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, one) in plain.snapshots.iter().enumerate().filter(|(_, one)| covers(one, path)) {
        hosts.entry(&one.snapshot.hostname).or_default().push(at);
    }
    let state = |at: &usize| plain.snapshots[*at].nodes.get(path);
    let runs = |members: &Vec<usize>| -> Vec<Vec<usize>> {
        let runs = members.chunk_by(|one, other| is_same(state(one), state(other)));
        runs.map(<[usize]>::to_vec).collect()
    };
    hosts.values().flat_map(runs).collect()
}

/// What a path is in a row: `None` outside of the snapshot, `Some(None)` where nothing is.
fn state(row: &Row) -> Option<Option<PlainNode>> {
    let plain = |node: &EntryNode| PlainNode {
        kind: node.kind_word.clone(),
        content: node.content.clone(),
        subtree: node.subtree,
        link_target: node.link_target.clone(),
        mtime: node.mtime.moment,
    };
    match &row.state {
        State::Outside => None,
        State::Within(Entry::Absent) => Some(None),
        State::Within(Entry::Is(node)) => Some(Some(plain(node))),
        State::Within(Entry::Unknown { why }) => panic!("{why}"),
    }
}

#[test]
fn histories_in_random_repositories_are_those_of_a_walk_from_each_root() {
    for (folder, mut rng) in fleets(4) {
        let (plain, engine) = (Plain::read(folder.path()), Engine::open(folder.path()));
        let (mut present, mut changed) = (0, 0);
        for path in some_paths(&plain, &mut rng) {
            let kept = &engine.snapshots.kept;
            let rows = rows(&engine.repository, &engine.index, kept, &path, &Watch::none());
            let rows = rows.expect("rows");
            for (row, one) in rows.iter().zip(&plain.snapshots) {
                let what = String::from_utf8_lossy(&path);
                let want = covers(one, &path).then(|| one.nodes.get(&path));
                present += usize::from(want.flatten().is_some());
                assert_eq!(state(row).as_ref().map(Option::as_ref), want, "{what}, {}", one.id);
            }
            let got: BTreeSet<Vec<usize>> =
                versions(kept, &rows).into_iter().map(|version| version.snapshots).collect();
            changed += got.len();
            assert_eq!(got, plain_versions(&plain, &path), "{}", String::from_utf8_lossy(&path));
        }
        assert!(present > 200 && changed > 70, "{present} nodes, {changed} versions");
    }
}

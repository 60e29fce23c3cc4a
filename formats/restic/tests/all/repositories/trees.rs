//! Snapshots and trees of restic's and rustic's own repositories: read, written again, and listed
//! as restic lists them.

use std::collections::BTreeMap;
use std::fs;

use manicule_format_restic::{
    BlobKind, Decompressor, FileKind, Id, NodeChecks, Nodes, OwnedNode, Snapshot, encode_tree,
    open_blob, open_header, put_listed_node,
};

use crate::repositories::support::{LIMIT, Repository, repositories};

type Trees = BTreeMap<Id, Vec<u8>>;

/// All trees of a repository.
fn trees(repository: &Repository) -> Trees {
    let (mut trees, mut decompressor) = (Trees::new(), Decompressor::new());
    for (_, path) in repository.files(FileKind::Pack) {
        let mut pack = fs::read(path).unwrap();
        let len = pack.len() as u64;
        let header = open_header(&repository.key, &mut pack.clone(), len).unwrap();
        for blob in header.blobs.iter().filter(|blob| blob.kind == Some(BlobKind::Tree)) {
            let stored = &mut pack[blob.place.offset as usize..blob.place.end() as usize];
            let opened = open_blob(&repository.key, stored, blob, LIMIT, &mut decompressor);
            trees.insert(blob.id, opened.unwrap().plain.to_vec());
        }
    }
    trees
}

fn snapshots(repository: &Repository) -> Vec<(Id, Vec<u8>)> {
    let files = repository.files(FileKind::Snapshot).into_iter();
    files.map(|(id, path)| (id, repository.unpacked(id, &path))).collect()
}

fn owned_nodes(text: &[u8]) -> Vec<OwnedNode> {
    let (mut nodes, mut owned) = (Nodes::open(text).unwrap(), Vec::new());
    while let Some(node) = nodes.next_node().unwrap() {
        owned.push(node.to_owned());
    }
    owned
}

#[test]
fn trees_are_written_as_restic_does_and_nothing_is_wrong_with_them() {
    let mut tree_count = 0;
    for repository in repositories() {
        for (id, text) in trees(&repository) {
            if repository.name == "v2" {
                assert_eq!(text, repository.answer(&format!("trees/{id}.json")));
            }
            // rustic leaves fields of zero out that restic writes.
            if repository.name != "rustic" {
                let again = String::from_utf8(encode_tree(&owned_nodes(&text))).unwrap();
                assert_eq!(again, str::from_utf8(&text).unwrap(), "{}", repository.name);
            }
            let (mut checks, mut faults) = (NodeChecks::new(), Vec::new());
            let mut nodes = Nodes::open(&text).unwrap();
            while let Some(node) = nodes.next_node().unwrap() {
                checks.check(node, &mut faults);
            }
            assert_eq!(faults, [], "{}: {id}", repository.name);
            tree_count += 1;
        }
    }
    assert!(tree_count > 200, "{tree_count}");
}

/// The lines of `ls --json` for a tree and all below it.
fn list(trees: &Trees, tree: Id, path: &[u8], out: &mut Vec<u8>) {
    let mut nodes = Nodes::open(&trees[&tree]).unwrap();
    while let Some(node) = nodes.next_node().unwrap() {
        let path = [path, b"/", &node.name()].concat();
        put_listed_node(&path, node, out);
        if let Some(child) = node.child() {
            list(trees, child, &path, out);
        }
    }
}

#[test]
fn contents_of_snapshots_are_listed_as_restic_lists_them() {
    let mut line_count = 0;
    for repository in repositories() {
        let trees = trees(&repository);
        for (id, text) in snapshots(&repository) {
            let snapshot = Snapshot::parse(&text).unwrap();
            let mut out = Vec::new();
            snapshot.put_ls_line(id, &mut out);
            list(&trees, snapshot.tree.unwrap(), b"", &mut out);
            let want = String::from_utf8(repository.answer(&format!("ls-{id}.jsonl"))).unwrap();
            for (got, want) in str::from_utf8(&out).unwrap().lines().zip(want.lines()) {
                assert_eq!(got, want, "{}: {id}", repository.name);
                line_count += 1;
            }
            assert_eq!(out.len(), want.len(), "{}: {id}", repository.name);
        }
    }
    assert!(line_count > 1000, "{line_count}");
}

#[test]
fn snapshots_are_written_and_listed_as_restic_does() {
    let mut snapshot_count = 0;
    for repository in repositories() {
        let mut listed = Vec::new();
        for (id, text) in snapshots(&repository) {
            let snapshot = Snapshot::parse(&text).unwrap();
            let again = snapshot.encode();
            assert_eq!(again == text, repository.name != "rustic", "{}: {id}", repository.name);
            assert_eq!(Snapshot::parse(&again).as_ref(), Ok(&snapshot));
            listed.push((id, snapshot));
            snapshot_count += 1;
        }
        if !listed.is_empty() {
            check_listed(&listed, str::from_utf8(&repository.answer("snapshots.json")).unwrap());
        }
    }
    assert!(snapshot_count > 40, "{snapshot_count}");
}

/// Compares with what `snapshots --json` prints. It doesn't order snapshots of the same moment.
fn check_listed(snapshots: &[(Id, Snapshot)], want: &str) {
    let mut len = "[]\n".len() + snapshots.len() - 1;
    let mut order = Vec::new();
    for (id, snapshot) in snapshots {
        let mut out = Vec::new();
        snapshot.put_listed(*id, &mut out);
        let text = String::from_utf8(out).unwrap();
        let at = want.find(&text).unwrap_or_else(|| panic!("{text}"));
        order.push((at, snapshot.time.moment));
        len += text.len();
    }
    assert_eq!(len, want.len());
    order.sort_unstable();
    assert!(order.is_sorted_by_key(|(_, moment)| *moment));
}

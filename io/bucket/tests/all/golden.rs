//! Folders that real systems wrote, in a bucket: all of it as in the folder.

use std::path::Path;

use manicule_store::EntryKind;
use manicule_store::pages::{Part, ReadCounts};
use manicule_store::store::{Listed, LocalStore, Name, Store};
use manicule_testkit::{golden_repository, whole_golden_set};

use crate::{ACCESS, bucket};

/// Compares a folder with its copy in a bucket: entries, kinds, lengths, bytes, ranges.
fn check(folder: &Path) {
    let (server, bucket) = bucket("copy");
    server.bring(folder, "copy/");
    let local = LocalStore::at(folder);
    let (mut folders, mut files) = (vec![Name::root()], 0);
    while let Some(name) = folders.pop() {
        let (of_bucket, of_folder) = (listed(&bucket, &name), listed(&local, &name));
        let kinds = |entries: &[Listed]| {
            entries.iter().map(|entry| (entry.name.clone(), entry.kind)).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&of_bucket), kinds(&of_folder), "{name:?}");
        for entry in of_bucket {
            let below = entry.file_in(&name);
            match entry.kind {
                EntryKind::Folder => folders.push(below),
                _ => {
                    check_file(&bucket, &local, &name, &entry);
                    files += 1;
                }
            }
        }
    }
    assert!(files > 5, "{files} files");
}

fn listed(store: &dyn Store, folder: &Name) -> Vec<Listed> {
    let mut listed = store.list(folder).expect("a listing");
    // A bucket has no empty folders.
    listed.retain(|entry| {
        entry.kind == EntryKind::File
            || !store.list(&entry.file_in(folder)).expect("a listing").is_empty()
    });
    listed.sort_by(|left, right| left.name.cmp(&right.name));
    listed
}

fn check_file(bucket: &dyn Store, local: &dyn Store, folder: &Name, entry: &Listed) {
    let file = entry.file_in(folder);
    let whole = |store: &dyn Store| {
        let mut bytes = Vec::new();
        store.read(&file, u64::MAX, &mut bytes).expect("read");
        bytes
    };
    let bytes = whole(local);
    assert_eq!((whole(bucket), entry.len), (bytes.clone(), Some(bytes.len() as u64)), "{file:?}");
    let source = bucket.open_listed(folder, entry, ACCESS).expect("open");
    let (middle, last) = (bytes.len() / 2, bytes.len().saturating_sub(9));
    let (mut first, mut second) = (vec![0; last - last.min(middle)], vec![0; bytes.len() - last]);
    let first_at = last.min(middle);
    let parts = &mut [
        Part { at: last as u64, out: &mut second },
        Part { at: first_at as u64, out: &mut first },
    ];
    source.read_parts(parts, &mut ReadCounts::default()).expect("read");
    assert_eq!((&first[..], &second[..]), (&bytes[first_at..last], &bytes[last..]), "{file:?}");
}

#[test]
fn a_repository_of_restic() {
    check(&golden_repository("small").path().join("repo"));
}

#[test]
fn buckets_of_the_golden_set() {
    let left_out = "buckets of Thanos, Mimir, Medusa, ScyllaDB and restic";
    let Some(golden) = whole_golden_set(left_out) else { return };
    // The set is that of series; the others lie beside it.
    for system in ["thanos", "mimir", "medusa", "scylla", "restic"] {
        check(&golden.join("../buckets").join(system).join("bucket"));
    }
}

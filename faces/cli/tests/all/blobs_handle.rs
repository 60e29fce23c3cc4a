//! A repository that is opened once, asked by several threads through the façade.

use std::fs;
use std::path::Path;
use std::thread;

use manicule::blobs::stats::StatsMode;
use manicule::blobs::{
    Error, FileKind, LsCall, LsForm, LsOrder, OpenCall, Repository, SnapshotFilter, StatsCall,
};
use manicule::watch::Watch;
use manicule_testkit::golden_repository;

const THREADS: usize = 4;

fn open(path: &Path) -> Repository {
    let password = b"manicule-golden".to_vec();
    let path = path.to_owned();
    let call = OpenCall {
        path,
        password,
        key_hint: None,
        threads: 2,
        index_cache: None,
        ahead: manicule::blobs::Ahead::Nothing,
    };
    Repository::open(&call).unwrap()
}

/// Number of snapshots, the paths of the newest, and what all hold.
fn ask(repository: &Repository) -> (usize, String, String) {
    let watch = Watch::none();
    let snapshots = repository.snapshots(&watch).unwrap();
    let call = LsCall {
        below: Vec::new(),
        paths: Vec::new(),
        recursive: true,
        form: LsForm::Path,
        order: LsOrder::Name,
        reverse: false,
    };
    let mut paths = Vec::new();
    let newest = snapshots.kept.last().unwrap();
    repository
        .ls(newest, &call, &watch, |line| {
            paths.extend_from_slice(line.unwrap());
            Ok::<(), Error>(())
        })
        .unwrap();
    let filter = SnapshotFilter::any();
    let call = StatsCall { mode: StatsMode::RestoreSize, words: Vec::new(), filter };
    let stats = repository.stats(&snapshots, &call, &watch).unwrap();
    (snapshots.kept.len(), String::from_utf8(paths).unwrap(), format!("{stats:?}"))
}

#[test]
fn a_repository_is_asked_by_many_threads_and_shows_what_is_there() {
    let golden = golden_repository("small");
    let place = golden.path().join("repo");
    let repository = open(&place);
    let before = ask(&repository);
    assert!(before.0 > 1 && !before.1.is_empty(), "{before:?}");
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| assert_eq!(ask(&repository), before));
        }
    });

    // Somebody forgets a snapshot: who has read them goes on, the next verb reads them again.
    let held = repository.snapshots(&Watch::none()).unwrap();
    let files = repository.files(FileKind::Snapshot).unwrap();
    let forgotten = held.kept[0].id.to_string();
    fs::remove_file(place.join("snapshots").join(&forgotten)).unwrap();
    assert_eq!(held.kept.len(), before.0);
    let after = ask(&repository);
    assert_eq!((after.0, &after), (before.0 - 1, &ask(&open(&place))));
    assert_eq!(repository.files(FileKind::Snapshot).unwrap().len(), files.len() - 1);
}

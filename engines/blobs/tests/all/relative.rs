//! Snapshots of relative paths: their paths are absolute, and their trees begin at the folder that
//! restic was called in.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use manicule_blobs::history::{Row, rows};
use manicule_blobs::{
    Index, Indexed, KeyLimits, KeySearch, Repository, RepositoryFiles, Snapshots,
};
use manicule_core::watch::Watch;
use manicule_format_restic::{Decompressor, Id, KeyFile, Version, pack_unpacked, unpack};
use manicule_testkit::golden_repository;

const PASSWORD: &[u8] = b"manicule-golden";
const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };

/// What a path is in each snapshot.
fn states(repo: &Path, path: &str) -> Vec<String> {
    let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
    let storage = Arc::new(RepositoryFiles::local(repo));
    let repository = Repository::open(storage, PASSWORD, &search).unwrap().repository;
    let watch = Watch::none();
    let snapshots = Snapshots::load(&repository, 1, &watch).unwrap();
    let index = Index::load(&repository, Indexed::All, 1, 1, &watch, &mut Err).unwrap();
    let rows = rows(&repository, &index, &snapshots.kept, path.as_bytes(), &watch).unwrap();
    rows.iter().map(|Row { state, .. }| format!("{state:?}")).collect()
}

/// Writes each snapshot once more, as if its paths were given relative to `/home/me`.
fn make_relative(repo: &Path) {
    let key = fs::read_dir(repo.join("keys")).unwrap().next().unwrap().unwrap().path();
    let key = KeyFile::parse(&fs::read(key).unwrap()).unwrap().open(PASSWORD, &LIMITS).unwrap();
    let files: Vec<_> = fs::read_dir(repo.join("snapshots")).unwrap().collect();
    for file in files {
        let path = file.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        let plain = key.open_in_place(&mut bytes).unwrap();
        let mut decompressor = Decompressor::new();
        let json = unpack(Version::V2, plain, 1 << 20, &mut decompressor).unwrap();
        let json = String::from_utf8(json.to_vec()).unwrap();
        let moved = json.replace("\"paths\":[\"/", "\"paths\":[\"/home/me/");
        assert_ne!(moved, json);
        let mut sealed = Vec::new();
        key.seal([7; 16], &pack_unpacked(Version::V2, moved.as_bytes()), &mut sealed);
        fs::remove_file(path).unwrap();
        fs::write(repo.join("snapshots").join(Id::of(&sealed).to_string()), sealed).unwrap();
    }
}

#[test]
fn a_path_of_the_tree_has_its_history_whatever_the_snapshots_call_their_paths() {
    let golden = golden_repository("drafts");
    let repo = golden.path().join("repo");
    let history = fs::read(golden.path().join("expected/history.json")).unwrap();
    let text = String::from_utf8(history).unwrap();
    let path = text.split("\"path\": \"").nth(1).expect("a path").split('"').next().unwrap();
    let before = states(&repo, path);
    assert!(before.iter().any(|state| state.contains("Is(")), "{path}: {before:?}");
    make_relative(&repo);
    for (got, want) in states(&repo, path).iter().zip(&before) {
        // Of a tree without the first name nobody knows what it was made of.
        assert!(got == want || (got == "Outside" && want == "Within(Absent)"), "{got}, {want}");
    }
    // Where the tree has nothing of that name at its top, nobody knows of the path.
    assert!(states(&repo, "/nowhere/at/all").iter().all(|state| state == "Outside"));
}

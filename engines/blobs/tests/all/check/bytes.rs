//! A changed byte, in any file of a repository and at any place, is found.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_blobs::check::{CheckOptions, check};
use manicule_core::watch::{Phase, Watch};
use manicule_testkit::check_watched;

use super::damage::open;
use super::{DATA, repo};

fn files_in(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_in(&path, files) } else { files.push(path) }
    }
}

/// Whether the repository opens and is sound.
fn is_sound(path: &Path) -> bool {
    let Ok(repository) = open(path) else { return false };
    let options = CheckOptions { read: DATA, paths_max: 10 };
    check(&repository, &options, 1, 1, &Watch::none()).is_ok_and(|checked| checked.is_sound())
}

#[test]
fn a_changed_byte_is_found_wherever_it_is() {
    let repo = repo("keys");
    assert!(is_sound(&repo.path));
    let mut files = Vec::new();
    files_in(&repo.path, &mut files);
    assert_eq!(files.len(), 6, "{files:?}");
    for file in files {
        let sound = fs::read(&file).unwrap();
        let len = sound.len();
        let places = (0..len).step_by(1 + len / 24).chain([len - 1, len - 4, len - 5, 15, 16]);
        for at in places {
            let mut changed = sound.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(&file, changed).unwrap();
            assert!(!is_sound(&repo.path), "{}, byte {at}", file.display());
        }
        for len in [0, 1, len / 2, len - 1] {
            fs::write(&file, &sound[..len]).unwrap();
            assert!(!is_sound(&repo.path), "{}, {len} bytes", file.display());
        }
        fs::write(&file, &sound).unwrap();
    }
    assert!(is_sound(&repo.path));
}

#[test]
fn a_check_is_watched() {
    let repo = repo("small");
    let options = CheckOptions { read: DATA, paths_max: 10 };
    let phases = [Phase::Reading, Phase::Reading, Phase::Reading, Phase::Verifying];
    check_watched(
        &phases,
        &|_, watch| check(&open(&repo.path).unwrap(), &options, 1, 2, watch).map(drop),
        &|error| matches!(error, manicule_blobs::RepoError::Stopped(_)),
        &|_| {},
    );
}

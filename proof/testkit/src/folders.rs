//! Contents of folders, for tests that compare the results of runs; and folders for trees that are
//! to be indexed.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use manicule_store::{KeepsTimes, keeps_times};
use tempfile::TempDir;

/// A folder for a tree that is to be indexed: on a file system that keeps times, as that of
/// temporary files need not.
///
/// # Panics
/// If there is none.
pub fn tree_folder() -> TempDir {
    let own = env::current_exe().ok().and_then(|path| Some(path.parent()?.to_owned()));
    let places = [Some(env::temp_dir()), Some(PathBuf::from("/var/tmp")), own];
    let keeps = |place: &PathBuf| {
        File::open(place).is_ok_and(|open| keeps_times(open.as_fd()) == Ok(KeepsTimes::Yes))
    };
    let place = places.into_iter().flatten().find(keeps);
    let place = place.expect("a folder on a disk; TMPDIR may name one");
    TempDir::new_in(place).expect("a folder")
}

/// The names directly in a folder, in order; none if there is no folder.
///
/// # Panics
/// If it can't be read.
pub fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("UTF-8");
    let mut names: Vec<String> = entries.map(|entry| name(entry.expect("an entry"))).collect();
    names.sort();
    names
}

/// Copies a folder and everything below it; folders that are there already are filled.
///
/// # Panics
/// If something can't be read or written.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().expect("a type").is_dir() {
            copy_folder(&source, &target);
        } else {
            fs::copy(&source, &target)
                .unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        }
    }
}

/// The files in and below a folder, by their paths from there; or a file by itself, under the empty
/// path.
///
/// # Panics
/// If one can't be read.
pub fn contents(path: &Path) -> BTreeMap<String, Vec<u8>> {
    if !path.is_dir() {
        let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return BTreeMap::from([(String::new(), bytes)]);
    }
    let mut all = BTreeMap::new();
    for name in names(path) {
        for (below, bytes) in contents(&path.join(&name)) {
            let below = if below.is_empty() { name.clone() } else { format!("{name}/{below}") };
            all.insert(below, bytes);
        }
    }
    all
}

/// Makes the files in and below a folder those of [`contents`], and no others.
///
/// # Panics
/// If one can't be written.
pub fn restore(folder: &Path, contents: &BTreeMap<String, Vec<u8>>) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).expect("a folder");
    for (name, bytes) in contents {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("it is below the folder")).expect("a folder");
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

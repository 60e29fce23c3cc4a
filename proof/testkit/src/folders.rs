//! What lies in a folder, for tests that compare what runs leave.
//!
//! Callers: faces/cli/tests

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The names of what lies directly in a folder, in order; none if there is no folder.
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

/// The files in and below a folder, by their paths from there; or a file by itself, under the empty path.
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

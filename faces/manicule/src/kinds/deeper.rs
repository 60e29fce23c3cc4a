//! Indexes below a folder of which only the direct entries are read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use manicule_code::tree::Notice;
use manicule_store::store::Name;

use super::address::ListedNames;
use super::folder::Folder;
use super::kind::Kind;
use super::reader::Place;
use super::recognised::seen;
use super::systems::{place, systems};
use crate::failure::Failure;
use crate::place::{is_address, remote};

/// Maximum number of folder entries looked at: half a second where none is cached.
const ENTRIES_MAX: usize = 50_000;

/// Folders at an address that are listed at a time.
const FOLDERS_AT_ONCE: usize = 32;

/// Indexes below a folder.
#[derive(Clone, Debug, Default)]
pub struct Deeper {
    /// Folders that hold indexes, the nearest first; blocks of a data folder are not listed by
    /// themselves.
    pub folders: Vec<Place>,
    /// Whether the limit was reached before everything was looked at.
    pub is_cut: bool,
    /// Folders at an address that can't be listed.
    pub failed: Vec<Failure>,
}

/// Looks for folders of indexes below a folder; not through links, nor in folders whose names begin
/// with a dot. At an address what lies there itself is among them.
pub fn deeper(path: &Path) -> Deeper {
    if is_address(path) {
        return deeper_at(path);
    }
    let mut deeper = Deeper::default();
    let mut entry_count = 0;
    let mut waiting = VecDeque::from([path.to_owned()]);
    while let Some(folder) = waiting.pop_front() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut below = Vec::new();
        for entry in entries.flatten() {
            entry_count += 1;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !entry.file_name().as_bytes().starts_with(b".") {
                below.push(entry.path());
            }
        }
        if entry_count > ENTRIES_MAX {
            deeper.is_cut = true;
            return deeper;
        }
        below.sort();
        let own = if folder == path { Vec::new() } else { indexes_of(&folder) };
        let is_part = |path: &PathBuf| {
            let is_part = |name: &[u8]| systems().iter().any(|row| row.signs.is_part(name, &own));
            path.file_name().is_some_and(|name| is_part(name.as_bytes()))
        };
        waiting.extend(below.into_iter().filter(|path| !is_part(path)));
        deeper.folders.extend(own.into_iter().map(|kind| place(&folder, kind)));
    }
    deeper
}

/// Looks at an address and below it: a round for some folders at a time.
fn deeper_at(path: &Path) -> Deeper {
    let mut deeper = Deeper::default();
    let remote = match remote(path) {
        Ok(remote) => remote.expect("an address"),
        Err(error) => {
            deeper.failed.push(Failure::new(error.class(), error));
            return deeper;
        }
    };
    let (mut entry_count, mut waiting) = (0, VecDeque::from([remote.name.clone()]));
    while !waiting.is_empty() {
        let folders: Vec<Name> = waiting.drain(..waiting.len().min(FOLDERS_AT_ONCE)).collect();
        for (folder, listed) in folders.iter().zip(remote.store.list_all(&folders)) {
            let seen = match listed {
                Ok(listed) => seen(remote.store.show(folder), listed),
                Err(error) => {
                    deeper.failed.push(Failure::new(error.class(), error));
                    continue;
                }
            };
            entry_count += seen.listing.listed.len();
            let own: Vec<Kind> = seen.searched().collect();
            let is_part = |name: &[u8]| systems().iter().any(|row| row.signs.is_part(name, &own));
            let names = ListedNames::of(&seen.listing.listed).folders();
            let below = names.filter(|name| !name.starts_with('.') && !is_part(name.as_bytes()));
            waiting.extend(below.filter_map(|name| folder.join(name)));
            let found = own.iter().map(|kind| Place {
                listing: Some(seen.listing.clone()),
                ..place(&seen.listing.path, *kind)
            });
            deeper.folders.extend(found);
        }
        if entry_count > ENTRIES_MAX {
            deeper.is_cut = true;
            return deeper;
        }
    }
    deeper
}

/// Files by which a search notices the indexes that it passes.
pub fn notice() -> Notice {
    static ENDINGS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        systems().iter().flat_map(|row| row.signs.noticed_endings()).copied().collect()
    });
    Notice { endings: &ENDINGS, is_meant: may_be }
}

fn may_be(path: &Path) -> bool {
    systems().iter().any(|row| row.signs.may_be_noticed(path))
}

/// Indexes that a search has passed, and searched as plain files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Kinds of indexes, and the number of each.
    pub counts: Vec<(Kind, usize)>,
    /// The folders that hold them, in the order of paths.
    pub folders: Vec<PathBuf>,
}

/// Kinds of noticed files, by their bytes.
pub fn passed(noticed: &[PathBuf]) -> Passed {
    let (mut counts, mut folders) = (BTreeMap::new(), BTreeSet::new());
    for path in noticed {
        let found = systems().iter().find_map(|row| row.signs.passed(path));
        if let Some((kind, folder)) = found {
            counts.entry(kind.system()).or_insert((kind, 0)).1 += 1;
            folders.insert(folder);
        }
    }
    Passed { counts: counts.into_values().collect(), folders: folders.into_iter().collect() }
}

/// Kinds that a folder holds by its bytes, and that are searched by an engine of their own.
fn indexes_of(folder: &Path) -> Vec<Kind> {
    let proven = Folder::read(folder).map(|folder| folder.proven).unwrap_or_default();
    proven.into_iter().filter(|kind| !kind.system().is_text()).collect()
}

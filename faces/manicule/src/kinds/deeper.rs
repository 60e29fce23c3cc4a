//! Indexes below a folder of which only the direct entries are read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use manicule_code::tree::Notice;

use super::folder::Folder;
use super::kind::Kind;
use super::reader::Place;
use super::systems::{place, systems};

/// Maximum number of folder entries looked at: half a second where none is cached.
const ENTRIES_MAX: usize = 50_000;

/// Indexes below a folder.
#[derive(Clone, Debug, Default)]
pub struct Deeper {
    /// Folders that hold indexes, the nearest first; blocks of a data folder are not listed by
    /// themselves.
    pub folders: Vec<Place>,
    /// Whether the limit was reached before everything was looked at.
    pub is_cut: bool,
}

/// Looks for folders of indexes below a folder; not through links, nor in folders whose names begin
/// with a dot.
pub fn deeper(path: &Path) -> Deeper {
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

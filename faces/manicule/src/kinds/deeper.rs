//! Shards and blocks below a folder that is read itself by what lies directly in it.
//!
//! Callers: faces

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_code::shards;
use manicule_code::tree::Notice;
use manicule_series::{is_block, is_block_name};

use super::{Folder, Kind};

/// Maximum number of folder entries looked at: half a second where none is cached.
const ENTRIES_MAX: usize = 50_000;

/// Shards and blocks below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deeper {
    /// Folders that hold shards or blocks, the nearest first; blocks of a data folder are not listed by themselves.
    pub folders: Vec<(PathBuf, Kind)>,
    /// There was more than was looked at.
    pub is_cut: bool,
}

/// Looks for folders of shards and blocks below a folder; not through links, nor in folders whose names begin with a dot.
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
        let own = if folder == path { Vec::new() } else { kinds_of(&folder) };
        let is_data = own.contains(&Kind::PrometheusData) || own.contains(&Kind::PrometheusBlock);
        deeper.folders.extend(own.into_iter().map(|kind| (folder.clone(), kind)));
        let is_part = |path: &PathBuf| {
            is_data && path.file_name().is_some_and(|name| is_block_name(name.as_bytes()))
        };
        waiting.extend(below.into_iter().filter(|path| !is_part(path)));
    }
    deeper
}

/// The files by which a search that passes shards and blocks notices them.
pub const NOTICE: Notice = Notice { endings: &[".zoekt", "/index"], is_meant: may_be };

fn may_be(path: &Path) -> bool {
    let is_named_so =
        |folder: &Path| folder.file_name().is_some_and(|name| is_block_name(name.as_bytes()));
    path.extension().is_some() || path.parent().is_some_and(is_named_so)
}

/// Shards and blocks that a search has passed, and searched as the files that they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Number of shards.
    pub shard_count: usize,
    /// Number of Prometheus blocks.
    pub block_count: usize,
    /// The folders that hold them, in the order of paths.
    pub folders: Vec<PathBuf>,
}

/// Kinds of noticed files, by their bytes.
pub fn passed(noticed: &[PathBuf]) -> Passed {
    let mut passed = Passed::default();
    let mut folders = BTreeSet::new();
    for path in noticed {
        let Some(folder) = path.parent() else { continue };
        if path.extension().is_some() {
            if shards::is_sound(path) {
                passed.shard_count += 1;
                folders.insert(folder.to_owned());
            }
        } else if is_block(folder) {
            passed.block_count += 1;
            folders.insert(folder.parent().unwrap_or(folder).to_owned());
        }
    }
    passed.folders = folders.into_iter().collect();
    passed
}

/// The kinds that a folder holds by its bytes, and that can be read.
fn kinds_of(folder: &Path) -> Vec<Kind> {
    let Ok(folder) = Folder::read(folder) else { return Vec::new() };
    let holds = folder.holds();
    let rows = [
        (holds.shards, Kind::ZoektShards),
        (holds.block, Kind::PrometheusBlock),
        (holds.blocks, Kind::PrometheusData),
    ];
    rows.into_iter().filter_map(|(is, kind)| is.then_some(kind)).collect()
}

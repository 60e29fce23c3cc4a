//! Goes through the files that the manifest lists, folder by folder: no directory is read, no rule
//! is matched.

use std::cell::OnceCell;
use std::ffi::{CStr, OsStr};
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use manicule_format_tree::by_name;
use manicule_format_tree::manifest::{Folder, Manifest, OTHER_FILE, OTHER_FOLDER};
use manicule_store::threads::{self, Chunks};
use manicule_store::{Handle, look, open_folder};
use memchr::{memmem, memrchr};

use super::check::{Checked, State, below};
use super::request::{Flow, Look, Order};
use super::worker::{Call, Known, Worker, Workers};
use crate::tree::rules::Rules;

/// Number of folders that a thread takes at a time.
const CHUNK_LEN: usize = 8;

/// Everything a sweep goes by.
pub(super) struct Sweep<'s> {
    pub call: &'s Call<'s>,
    pub known: &'s Known<'s>,
    pub root: &'s Handle,
    pub checked: &'s Checked,
    /// The folder as the user gave it.
    pub given: &'s Path,
}

impl Sweep<'_> {
    /// Goes through all folders that are the same, on all threads or in order.
    pub(super) fn run(&self, workers: &Workers<'_, '_>) {
        let worker = || workers.worker(self.call, Some(self.known));
        if self.call.request.order == Order::Path {
            let _ = self.in_order(&mut worker());
            return;
        }
        let rows = &self.checked.rows;
        let chunks = Chunks::new(rows.start as usize..rows.end as usize, CHUNK_LEN);
        threads::run(self.call.request.threads, || {
            let mut worker = worker();
            for rows in &chunks {
                let rows = rows.start as u32..rows.end as u32;
                if self.call.has_quit() || self.chunk(&mut worker, rows) == Flow::Quit {
                    return;
                }
            }
        });
    }

    fn chunk(&self, worker: &mut Worker<'_, '_>, rows: Range<u32>) -> Flow {
        let manifest = &self.known.index.manifest;
        let rules = &self.call.request.rules;
        for row in rows.filter(|row| self.checked.state(*row) == State::Same) {
            let takes_all = takes_all_files(rules) && !self.leaves_some_out(row);
            let folder = manifest.folder(row);
            let mut opened = None;
            for file in manifest.files_of(&folder) {
                // Most files of a believed check end here: not even their names are read.
                if takes_all && worker.leaves_out_unseen(file, &manifest.file(file)) {
                    continue;
                }
                let opened = opened.get_or_insert_with(|| self.open(row, &folder));
                if self.file(worker, file, opened) == Flow::Quit {
                    return Flow::Quit;
                }
            }
        }
        Flow::Continue
    }

    /// Notices known files by their names, which are searched through as one text.
    pub(super) fn notice(&self) {
        let Some(notice) = &self.call.request.notice else { return };
        let manifest = &self.known.index.manifest;
        let names = names_with(manifest.names(), notice.endings);
        if names.is_empty() {
            return;
        }
        for row in self.checked.rows.clone().filter(|row| self.checked.state(*row) == State::Same) {
            let folder = manifest.folder(row);
            for file in manifest.files_of(&folder) {
                let name = manifest.file(file).name;
                if names.binary_search(&name).is_ok() {
                    let mut path = self.path_of(&folder);
                    path.extend_from_slice(manifest.name(name).to_bytes());
                    let is_left_out = self.leaves_some_out(row)
                        && self.call.request.rules.leaves_out(as_path(&path));
                    if !is_left_out {
                        self.call.notice(&path);
                    }
                }
            }
        }
    }

    fn open(&self, row: u32, folder: &Folder) -> Opened<'_> {
        let name = self.known.index.manifest.name(folder.path);
        let path = self.path_of(folder);
        let shared = self.checked.handle(row);
        let (root, own, name_at) = (self.root, OnceCell::new(), path.len());
        let leaves_some_out = self.leaves_some_out(row);
        Opened { root, name, shared, own, name_at, path, leaves_some_out }
    }

    /// Whether a folder is the given one and has entries that are left out.
    fn leaves_some_out(&self, row: u32) -> bool {
        row == self.checked.rows.start && self.call.request.rules.leaves_some_out()
    }

    /// The folder's path as a walk of the given one would show it, ready to take a name.
    fn path_of(&self, folder: &Folder) -> Vec<u8> {
        let manifest = &self.known.index.manifest;
        let top = manifest.folder(self.checked.rows.start);
        let rest = below(manifest.name(folder.path).to_bytes(), manifest.name(top.path).to_bytes());
        let mut path = self.given.as_os_str().as_bytes().to_vec();
        for part in [rest, b""] {
            if !path.ends_with(b"/") {
                path.push(b'/');
            }
            path.extend_from_slice(part);
        }
        path
    }

    fn file(&self, worker: &mut Worker<'_, '_>, row: u32, opened: &mut Opened<'_>) -> Flow {
        let manifest = &self.known.index.manifest;
        let file = manifest.file(row);
        let name = manifest.name(file.name);
        opened.path.truncate(opened.name_at);
        opened.path.extend_from_slice(name.to_bytes());
        let rules = &self.call.request.rules;
        if !takes_all_files(rules) && !lets_in_file(rules, &opened.path) {
            return Flow::Continue;
        }
        if opened.leaves_some_out && rules.leaves_out(as_path(&opened.path)) {
            return Flow::Continue;
        }
        let Some(handle) = opened.handle() else { return Flow::Continue };
        if let (Look::Names, Some(max)) = (&self.call.request.look, rules.max_filesize)
            && look(handle, name).is_ok_and(|entry| entry.size > max)
        {
            return Flow::Continue;
        }
        worker.known_file(row, &file, handle, name, &opened.path)
    }

    /// Goes through all files in the order of their paths, name by name.
    fn in_order(&self, worker: &mut Worker<'_, '_>) -> Flow {
        let manifest = &self.known.index.manifest;
        let mut order = self.entries();
        order.sort_by(|left, right| by_name(&left.0, &right.0));
        // One folder's files are neighbours but for the folders between them: its handle stays open
        // meanwhile.
        let mut opened: Option<(u32, Opened<'_>)> = None;
        for (_, folder, file) in order {
            if opened.as_ref().is_none_or(|opened| opened.0 != folder) {
                opened = Some((folder, self.open(folder, &manifest.folder(folder))));
            }
            if let Some((_, opened)) = &mut opened
                && self.file(worker, file, opened) == Flow::Quit
            {
                return Flow::Quit;
            }
        }
        Flow::Continue
    }

    /// The path below the top, the folder and the row of each file.
    fn entries(&self) -> Vec<(Vec<u8>, u32, u32)> {
        let manifest = &self.known.index.manifest;
        let mut entries = Vec::new();
        for row in self.checked.rows.clone() {
            if self.checked.state(row) != State::Same {
                continue;
            }
            let folder = manifest.folder(row);
            for file in manifest.files_of(&folder) {
                let mut path = manifest.name(folder.path).to_bytes().to_vec();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(manifest.name(manifest.file(file).name).to_bytes());
                entries.push((path, row, file));
            }
        }
        entries
    }
}

/// Offsets, increasing, of the names that a path of such an ending would end in.
fn names_with(names: &[u8], endings: &[&str]) -> Vec<u32> {
    let mut starts = Vec::new();
    for ending in endings {
        // A slash stands for the end of the name before.
        let needle = [ending.replace('/', "\0").as_bytes(), b"\0"].concat();
        for at in memmem::find_iter(names, &needle) {
            let at = at + usize::from(ending.starts_with('/'));
            starts.push(memrchr(0, &names[..at]).map_or(0, |end| end + 1) as u32);
        }
    }
    starts.sort_unstable();
    starts
}

/// A folder of the sweep, opened when it is first needed, and the path that names are appended to.
struct Opened<'s> {
    root: &'s Handle,
    name: &'s CStr,
    /// The handle that the check has kept.
    shared: Option<&'s Handle>,
    own: OnceCell<Option<Handle>>,
    path: Vec<u8>,
    name_at: usize,
    /// Not all of its files are visited.
    leaves_some_out: bool,
}

impl Opened<'_> {
    /// The folder's handle; `None` if it has gone since it was proven.
    fn handle(&self) -> Option<BorrowedFd<'_>> {
        let open = || open_folder(self.root.as_fd(), self.name).ok();
        let handle = self.shared.or_else(|| self.own.get_or_init(open).as_ref());
        handle.map(AsFd::as_fd)
    }
}

/// Applies the call's own globs, types and depth to the folders: leaves out what they leave out,
/// and lets a walk see the folders in which they let in what the plain rules don't.
pub(super) fn apply_rules(
    manifest: &Manifest<'_>,
    rules: &Rules,
    given: &Path,
    checked: &mut Checked,
) {
    if takes_all_files(rules) && rules.max_depth.is_none() && !rules.leaves_some_out() {
        return;
    }
    let top = manifest.folder(checked.rows.start);
    let top_path = manifest.name(top.path).to_bytes();
    for row in checked.rows.clone() {
        let folder = manifest.folder(row);
        let path = below(manifest.name(folder.path).to_bytes(), top_path);
        let is_top = row == checked.rows.start;
        if !is_top && checked.state(folder.parent) == State::Pruned {
            checked.set_state(row, State::Pruned);
            continue;
        }
        if checked.state(row) == State::Gone {
            continue;
        }
        let full = given.join(OsStr::from_bytes(path));
        let depth = if is_top { 0 } else { path.split(|byte| *byte == b'/').count() };
        let is_too_deep = rules.max_depth.is_some_and(|max| depth >= max);
        let is_left_out = !is_top && rules.overrides.matched(&full, true).is_ignore()
            || folder.parent == checked.rows.start && rules.leaves_out(&full);
        if is_too_deep || is_left_out {
            checked.set_state(row, State::Pruned);
        } else if checked.state(row) == State::Same
            && lets_in_others(manifest, rules, &folder, &full)
        {
            checked.set_state(row, State::Relist);
        }
    }
}

/// Whether a name that the plain rules leave out of a folder is let in by the call's globs or
/// types.
fn lets_in_others(manifest: &Manifest<'_>, rules: &Rules, folder: &Folder, path: &Path) -> bool {
    manifest.others_of(folder).any(|other| {
        let path = path.join(OsStr::from_bytes(manifest.name(other.name).to_bytes()));
        match other.kind {
            OTHER_FOLDER => rules.overrides.matched(&path, true).is_whitelist(),
            OTHER_FILE => {
                let by_glob = rules.overrides.matched(&path, false);
                by_glob.is_whitelist()
                    || (by_glob.is_none() && rules.types.matched(&path, false).is_whitelist())
            }
            _ => false,
        }
    })
}

/// Whether the call has no globs and types of its own.
fn takes_all_files(rules: &Rules) -> bool {
    rules.overrides.is_empty() && rules.types.is_empty()
}

/// Whether the call's own globs and types let in a file that the plain rules let in.
fn lets_in_file(rules: &Rules, path: &[u8]) -> bool {
    let path = as_path(path);
    let by_glob = rules.overrides.matched(path, false);
    by_glob.is_whitelist() || (by_glob.is_none() && !rules.types.matched(path, false).is_ignore())
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

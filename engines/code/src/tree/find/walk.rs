//! The plain way through a tree: ripgrep's own walk. It judges the fast way, and serves where no
//! index does: the first call in a tree, rules that let in more than the plain ones, folders that
//! have changed.
//!
//! A walk may be *assisted*: files that an index knows, by their path, are left out if they are
//! unchanged and their grams rule a match out. What the path says is only a hint; the fingerprint
//! proves that it is the same file.

use std::collections::HashMap;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use ignore::{DirEntry, WalkState};
use rustix::fs::CWD;

use super::check::Partial;
use super::request::{Candidate, Flow, Given, Look, Order};
use super::worker::{Call, Known, Worker, Workers};

/// Knowledge from an index for the walk of one given folder.
pub(super) struct Assist<'i> {
    /// Files of the index that may match.
    pub known: &'i Known<'i>,
    /// Length of the given folder's path, and that folder's path below the index's root.
    pub given_len: usize,
    pub top: Vec<u8>,
    rows: HashMap<&'i [u8], u32>,
}

impl<'i> Assist<'i> {
    /// Prepares look-ups by path: some 50 ns for each folder that the index knows.
    pub(super) fn new(known: &'i Known<'i>, given_len: usize, top: &[u8]) -> Self {
        let manifest = &known.index.manifest;
        let rows = (0..manifest.folder_count() as u32)
            .map(|row| (manifest.name(manifest.folder(row).path).to_bytes(), row))
            .collect();
        Assist { known, given_len, top: top.to_vec(), rows }
    }

    /// The row of the file at `path`, as the walk shows it.
    fn row(&self, path: &[u8], scratch: &mut Vec<u8>) -> Option<u32> {
        let rest = path.get(self.given_len..)?;
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        let slash = memchr::memrchr(b'/', rest);
        let name = slash.map_or(rest, |slash| &rest[slash + 1..]);
        scratch.clear();
        scratch.extend_from_slice(&self.top);
        if let Some(slash) = slash {
            if !scratch.is_empty() {
                scratch.push(b'/');
            }
            scratch.extend_from_slice(&rest[..slash]);
        }
        let manifest = &self.known.index.manifest;
        let files = manifest.files_of(&manifest.folder(*self.rows.get(scratch.as_slice())?));
        let name_of = |row: u32| manifest.name(manifest.file(row).name).to_bytes();
        let (mut low, mut high) = (files.start, files.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if name_of(middle) < name { low = middle + 1 } else { high = middle }
        }
        (low < files.end && name_of(low) == name).then_some(low)
    }
}

/// Walks the paths and hands every file over that an index does not rule out: all of them, or what
/// `partial` lets in.
pub(super) fn walk(
    call: &Call<'_>,
    workers: &Workers<'_, '_>,
    paths: &[PathBuf],
    assist: Option<&Assist<'_>>,
    partial: Option<Partial>,
) {
    let request = call.request;
    let (mut walk, unread) = request.rules.walk(paths, request.threads);
    let partial_is_given = partial.is_some();
    let rules = request.rules.clone();
    let lets_in = move |entry: &DirEntry| {
        let is_partly = partial.as_ref().is_none_or(|partial| is_let_in(partial, entry));
        is_partly && !(entry.depth() == 1 && rules.leaves_out(entry.path()))
    };
    let filters = partial_is_given || request.rules.left_out.is_some();
    let lets_in = filters.then(|| Arc::new(lets_in));
    if let Some(lets_in) = lets_in.clone() {
        walk.filter_entry(move |entry| lets_in(entry));
    }
    let known = assist.map(|assist| assist.known);
    if request.threads <= 1 || request.order == Order::Path {
        let mut worker = workers.worker(call, known);
        unread.iter().for_each(|error| worker.visitor().warning(error));
        if request.order == Order::Path {
            walk.sort_by_file_name(Ord::cmp);
        }
        let mut scratch = Vec::new();
        for entry in walk.build() {
            // On one thread, and with a limit of size, `ignore` asks the filter about folders only.
            if let (Some(lets_in), Ok(entry)) = (&lets_in, &entry)
                && !lets_in(entry)
            {
                continue;
            }
            if step(&mut worker, entry, assist, &mut scratch) == Flow::Quit {
                break;
            }
        }
        return;
    }
    let mut first = Some(unread);
    walk.build_parallel().run(|| {
        let mut worker = workers.worker(call, known);
        first.take().into_iter().flatten().for_each(|error| worker.visitor().warning(&error));
        let mut scratch = Vec::new();
        Box::new(move |entry| match step(&mut worker, entry, assist, &mut scratch) {
            Flow::Continue => WalkState::Continue,
            Flow::Quit => WalkState::Quit,
        })
    });
}

fn is_let_in(partial: &Partial, entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    partial.lets_in(entry.path().as_os_str().as_bytes(), is_folder)
}

fn step(
    worker: &mut Worker<'_, '_>,
    entry: Result<DirEntry, ignore::Error>,
    assist: Option<&Assist<'_>>,
    scratch: &mut Vec<u8>,
) -> Flow {
    if worker.call.has_quit() {
        return Flow::Quit;
    }
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => {
            let flow = worker.visitor().error(&error);
            return worker.note(flow);
        }
    };
    if let Some(error) = entry.error() {
        worker.visitor().warning(error);
    }
    let Some(given) = given(&entry) else { return Flow::Continue };
    worker.receipt.files_walked += 1;
    if given == Given::Found {
        worker.call.notice(entry.path().as_os_str().as_bytes());
    }
    if let Some(assist) = assist
        && given == Given::Found
        && !matches!(worker.call.request.look, Look::Names)
        && let Some(row) = assist.row(entry.path().as_os_str().as_bytes(), scratch)
        && let Ok(name) = CString::new(entry.path().as_os_str().as_bytes())
    {
        let file = assist.known.index.manifest.file(row);
        return worker.known_file(row, &file, CWD, &name, name.as_bytes());
    }
    worker.walked(Candidate { path: entry.path(), given, file: None })
}

/// Origin of the entry in the call, or `None` where it is nothing to look into: a folder, a link, a
/// socket.
fn given(entry: &DirEntry) -> Option<Given> {
    if entry.is_stdin() {
        return Some(Given::Stdin);
    }
    let kind = entry.file_type();
    let is_folder = kind.is_some_and(|kind| kind.is_dir())
        || (entry.path_is_symlink() && entry.path().is_dir());
    if entry.depth() == 0 && !is_folder {
        return Some(Given::Named);
    }
    kind.is_some_and(|kind| kind.is_file()).then_some(Given::Found)
}

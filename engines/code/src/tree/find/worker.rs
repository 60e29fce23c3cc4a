//! What one thread does with the files of a call: prove them, look into their pieces, hand them to
//! its visitor.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use manicule_core::postings::DocSet;
use manicule_core::watch::Watch;
use manicule_format_tree::manifest::{FLAG_BINARY, FLAG_MARKED, File as Row, NONE, UNSURE};
use manicule_store::threads::lock;
use manicule_store::{Entry, EntryKind, Rights, look, look_at, open_file};
use rustix::io::Errno;

use super::request::{
    Candidate, Flow, Given, Look, NOTICED_MAX, Nul, Receipt, Request, Visit, Visitors,
};
use super::select::Reach;
use crate::tree::open::Index;
use crate::tree::rules::Rules;

/// Pieces of a file that lie side by side are read together, up to about this many bytes.
const READ_LEN: u64 = 64 << 10;

/// The index's knowledge of the files that the pattern needs.
pub(super) struct Known<'i> {
    pub index: &'i Index<'i>,
    /// For each segment the pieces that may hold a match; `None` where any may. Empty: nothing was
    /// narrowed.
    pub candidates: Vec<Option<DocSet>>,
    /// Rows of files that had changed when an earlier check was made that this call believes;
    /// `None` to check.
    pub recent: Option<Vec<u32>>,
    /// Whether every file is to be compared with its fingerprint, for calls that will believe this
    /// one.
    pub compare_all: bool,
}

/// Verdict on a file that the index knows.
enum Verdict {
    /// It may match, or the grams say nothing about it.
    Open,
    /// Some of its pieces may match.
    Probe,
    /// It can't match, if it is unchanged.
    LeaveOut,
}

impl Known<'_> {
    fn verdict(&self, row: u32, file: &Row, look: &Look) -> Verdict {
        let Look::Matches(narrow) = look else { return Verdict::Open };
        let Some(Some(candidates)) = self.candidates.get(usize::from(file.segment)) else {
            return Verdict::Open;
        };
        let has_changed = |rows: &Vec<u32>| rows.binary_search(&row).is_ok();
        if file.fingerprint == UNSURE
            || file.first_piece == NONE
            || (file.flags & FLAG_BINARY != 0 && narrow.nul == Nul::IsRead)
            || self.recent.as_ref().is_some_and(has_changed)
        {
            return Verdict::Open;
        }
        let pieces = file.first_piece..file.first_piece + file.piece_count;
        if !candidates.any_in(pieces.clone()) {
            return Verdict::LeaveOut;
        }
        let all =
            narrow.reach == Reach::Lines || pieces.clone().all(|piece| candidates.contains(piece));
        if all { Verdict::Open } else { Verdict::Probe }
    }
}

/// State shared by all threads of a call.
pub(super) struct Call<'c> {
    pub request: &'c Request,
    /// The file that standard output goes to, where it is to be left out: its device and number.
    pub stdout: Option<(u64, u64)>,
    rights: OnceLock<Rights>,
    /// Files that are read in every call, since their fingerprints prove nothing.
    pub unsure_count: AtomicU64,
    /// The caller's.
    watch: &'c Watch<'c>,
    /// Whether a visitor has seen enough.
    has_quit: AtomicBool,
    receipt: Mutex<Receipt>,
    changed: Mutex<Vec<u32>>,
    noticed: Mutex<Vec<PathBuf>>,
}

impl<'c> Call<'c> {
    pub(super) fn new(request: &'c Request, watch: &'c Watch<'c>) -> Self {
        let stdout = std::io::stdout();
        let own = look_at(stdout.as_fd()).ok().filter(|entry| entry.kind == EntryKind::File);
        let stdout = own.filter(|_| request.rules.skip_stdout).map(|own| (own.device, own.inode));
        Call {
            request,
            stdout,
            rights: OnceLock::new(),
            unsure_count: AtomicU64::new(0),
            watch,
            has_quit: AtomicBool::new(false),
            receipt: Mutex::default(),
            changed: Mutex::default(),
            noticed: Mutex::default(),
        }
    }

    /// Keeps the path of a file if the request asks for such.
    pub(super) fn notice(&self, path: &[u8]) {
        if let Some(notice) = &self.request.notice
            && notice.takes(path)
        {
            let mut noticed = lock(&self.noticed);
            if noticed.len() < NOTICED_MAX {
                noticed.push(PathBuf::from(OsStr::from_bytes(path)));
            }
        }
    }

    /// Noticed files, in the order of paths.
    pub(super) fn take_noticed(&self) -> Vec<PathBuf> {
        let mut noticed = std::mem::take(&mut *lock(&self.noticed));
        noticed.sort();
        noticed
    }

    /// Whether a visitor said that the answer is complete, or the caller's watch ends the call.
    pub(super) fn has_quit(&self) -> bool {
        self.has_quit.load(Relaxed) || self.watch.is_over()
    }

    /// Read permissions of this process.
    pub(super) fn rights(&self) -> &Rights {
        self.rights.get_or_init(Rights::of_process)
    }

    /// Adds to the call's receipt.
    pub(super) fn count(&self, add: impl FnOnce(&mut Receipt)) {
        add(&mut lock(&self.receipt));
    }

    /// The receipt so far.
    pub(super) fn receipt(&self) -> Receipt {
        *lock(&self.receipt)
    }

    /// The rows of files that were found changed, increasing. They are of one index: taken after
    /// each.
    pub(super) fn take_changed(&self) -> Vec<u32> {
        let mut changed = std::mem::take(&mut *lock(&self.changed));
        changed.sort_unstable();
        changed
    }
}

/// The visitors of a call, kept from one of its parts to the next: a printer knows what it has
/// printed.
pub(super) struct Workers<'f, 'v> {
    make: &'f Visitors<'f, 'v>,
    idle: Mutex<Vec<Box<dyn Visit + 'v>>>,
}

impl<'f, 'v> Workers<'f, 'v> {
    pub(super) fn new(make: &'f Visitors<'f, 'v>) -> Self {
        Workers { make, idle: Mutex::default() }
    }

    /// A visitor that has nothing to do, or a new one, for one thread of the call.
    pub(super) fn worker<'h>(
        &'h self,
        call: &'h Call<'h>,
        known: Option<&'h Known<'h>>,
    ) -> Worker<'h, 'v>
    where
        'f: 'h,
    {
        let idle = lock(&self.idle).pop();
        Worker {
            visitor: Some(idle.unwrap_or_else(|| (self.make)())),
            workers: &self.idle,
            call,
            known,
            receipt: Receipt::default(),
            changed: Vec::new(),
            unsure_count: 0,
            left_out: (0, 0),
            buffer: Vec::new(),
        }
    }
}

/// One thread's visitor and what it has counted. Gives both back when it is dropped.
pub(super) struct Worker<'h, 'v> {
    visitor: Option<Box<dyn Visit + 'v>>,
    workers: &'h Mutex<Vec<Box<dyn Visit + 'v>>>,
    pub(super) call: &'h Call<'h>,
    known: Option<&'h Known<'h>>,
    pub(super) receipt: Receipt,
    changed: Vec<u32>,
    unsure_count: u64,
    /// Files proven to hold no match, and their bytes.
    left_out: (u64, u64),
    buffer: Vec<u8>,
}

impl Drop for Worker<'_, '_> {
    fn drop(&mut self) {
        let (file_count, len) = self.left_out;
        self.visitor().left_out(file_count, len);
        self.call.unsure_count.fetch_add(self.unsure_count, Relaxed);
        self.receipt.files_changed += self.changed.len() as u64;
        self.call.count(|receipt| receipt.add(&self.receipt));
        lock(&self.call.changed).append(&mut self.changed);
        if let Some(visitor) = self.visitor.take() {
            lock(self.workers).push(visitor);
        }
    }
}

impl Worker<'_, '_> {
    /// The visitor.
    pub(super) fn visitor(&mut self) -> &mut dyn Visit {
        self.visitor.as_deref_mut().expect("the visitor is given back only at the end")
    }

    /// A file that the index knows in `row`, as `name` in `folder`.
    pub(super) fn known_file(
        &mut self,
        row: u32,
        file: &Row,
        folder: BorrowedFd<'_>,
        name: &CStr,
        path: &[u8],
    ) -> Flow {
        let Some(known) = self.known else { return self.unknown_file(folder, name, path) };
        match known.verdict(row, file, &self.call.request.look) {
            Verdict::Open => {
                self.receipt.candidates += 1;
                self.unsure_count += u64::from(file.fingerprint == UNSURE);
                if known.compare_all {
                    self.compare(row, file, look(folder, name).ok());
                }
                self.unknown_file(folder, name, path)
            }
            Verdict::Probe => self.probe(row, file, folder, name, path),
            Verdict::LeaveOut => {
                let entry = look(folder, name);
                // A change of mode sets the time of change; a process with other rights doesn't.
                let is_readable =
                    entry.as_ref().is_ok_and(|entry| self.call.rights().may_read(entry));
                if self.compare(row, file, entry.ok()) && is_readable {
                    return self.leave_out(file);
                }
                let follows = self.call.request.rules.follow;
                match entry {
                    // It went after its folder was proven: as if it had gone before.
                    Err(Errno::NOENT) => Flow::Continue,
                    Ok(entry) if entry.kind != EntryKind::File && !follows => Flow::Continue,
                    _ => self.unknown_file(folder, name, path),
                }
            }
        }
    }

    /// Leaves a file out without a look at it, where the call believes an earlier check. Returns
    /// whether it did.
    pub(super) fn leaves_out_unseen(&mut self, row: u32, file: &Row) -> bool {
        let Some(known) = self.known.filter(|known| known.recent.is_some()) else { return false };
        let is_left_out =
            matches!(known.verdict(row, file, &self.call.request.look), Verdict::LeaveOut);
        if is_left_out {
            self.leave_out(file);
        }
        is_left_out
    }

    /// A file that nothing is known of.
    pub(super) fn unknown_file(
        &mut self,
        folder: BorrowedFd<'_>,
        name: &CStr,
        path: &[u8],
    ) -> Flow {
        if matches!(self.call.request.look, Look::Names) {
            return self.visit(path, None);
        }
        match open_file(folder, name) {
            Ok(file) => {
                self.receipt.opened += 1;
                self.hand_over(&file, path)
            }
            Err(error) => self.unopened(error, folder, name, path),
        }
    }

    /// A file that can't be opened.
    fn unopened(&mut self, error: Errno, folder: BorrowedFd<'_>, name: &CStr, path: &[u8]) -> Flow {
        let Rules { follow: follows, max_filesize, .. } = self.call.request.rules;
        let is_large = |max| look(folder, name).is_ok_and(|entry| entry.size > max);
        match error {
            _ if max_filesize.is_some_and(is_large) => Flow::Continue,
            // It went after its folder was proven, or a link has its name: as if that had been so
            // before.
            Errno::NOENT => Flow::Continue,
            Errno::LOOP if !follows => Flow::Continue,
            // The visitor finds out why, and says so; or it goes through the link.
            _ => self.visit(path, None),
        }
    }

    /// Whether the entry still has the fingerprint that was stored.
    fn compare(&mut self, row: u32, file: &Row, entry: Option<Entry>) -> bool {
        let Some(known) = self.known else { return false };
        self.receipt.files_checked += 1;
        let is_same = entry.is_some_and(|entry| {
            entry.fingerprint(known.index.manifest.meta.key) == file.fingerprint
        });
        if !is_same {
            self.changed.push(row);
        }
        is_same
    }

    fn leave_out(&mut self, file: &Row) -> Flow {
        if self.call.request.rules.max_filesize.is_some_and(|max| file.size > max) {
            return Flow::Continue;
        }
        let mark_len = if file.flags & FLAG_MARKED != 0 { 3 } else { 0 };
        self.left_out.0 += 1;
        self.left_out.1 += file.size.saturating_sub(mark_len);
        Flow::Continue
    }

    /// Looks into the pieces that may hold a match, and hands the file over if one does.
    fn probe(
        &mut self,
        row: u32,
        file: &Row,
        folder: BorrowedFd<'_>,
        name: &CStr,
        path: &[u8],
    ) -> Flow {
        self.receipt.candidates += 1;
        let open = match open_file(folder, name) {
            Ok(open) => open,
            Err(error) => return self.unopened(error, folder, name, path),
        };
        self.receipt.opened += 1;
        let entry = look_at(open.as_fd()).ok();
        if self.compare(row, file, entry) && self.no_piece_matches(file, &open) {
            return self.leave_out(file);
        }
        self.hand_over(&open, path)
    }

    /// Whether none of the file's candidate pieces holds a match. A piece that can't be read may
    /// hold one.
    fn no_piece_matches(&mut self, file: &Row, open: &File) -> bool {
        let Some(known) = self.known else { return false };
        let segment = &known.index.segments[usize::from(file.segment)];
        let Some(Some(candidates)) = known.candidates.get(usize::from(file.segment)) else {
            return false;
        };
        let end = file.first_piece + file.piece_count;
        let start_of = |piece: u32| {
            if piece == end { Ok(file.size) } else { segment.piece_start(piece).map(u64::from) }
        };
        let mut piece = file.first_piece;
        while piece < end {
            if !candidates.contains(piece) {
                piece += 1;
                continue;
            }
            let Ok(start) = start_of(piece) else { return false };
            let mut stop = start;
            while piece < end && candidates.contains(piece) && stop - start < READ_LEN {
                piece += 1;
                match start_of(piece) {
                    Ok(next) if next >= stop => stop = next,
                    _ => return false,
                }
            }
            if !self.read(open, start, stop) || self.may_match() {
                return false;
            }
        }
        true
    }

    /// Reads a part of a file into the buffer. Returns whether all of it was there.
    fn read(&mut self, open: &File, start: u64, end: u64) -> bool {
        self.receipt.read_len += end - start;
        self.buffer.resize((end - start) as usize, 0);
        open.read_exact_at(&mut self.buffer, start).is_ok()
    }

    fn may_match(&mut self) -> bool {
        let visitor =
            self.visitor.as_deref_mut().expect("the visitor is given back only at the end");
        visitor.may_match(&self.buffer)
    }

    fn hand_over(&mut self, open: &File, path: &[u8]) -> Flow {
        if self.call.stdout.is_some() || self.call.request.rules.max_filesize.is_some() {
            let Ok(entry) = look_at(open.as_fd()) else { return self.visit(path, None) };
            let is_stdout = self.call.stdout == Some((entry.device, entry.inode));
            let is_large = self.call.request.rules.max_filesize.is_some_and(|max| entry.size > max);
            // A pipe or the like that took a file's place: ripgrep's walk would have left it out.
            if is_stdout || is_large || entry.kind != EntryKind::File {
                return Flow::Continue;
            }
        }
        self.visit(path, Some(open))
    }

    fn visit(&mut self, path: &[u8], file: Option<&File>) -> Flow {
        self.receipt.visited += 1;
        let path = Path::new(OsStr::from_bytes(path));
        let flow = self.visitor().file(Candidate { path, given: Given::Found, file });
        self.note(flow)
    }

    /// Hands over what a walk met and no index can know.
    pub(super) fn walked(&mut self, candidate: Candidate<'_>) -> Flow {
        self.receipt.visited += 1;
        let flow = self.visitor().file(candidate);
        self.note(flow)
    }

    /// Stops the other threads if a visitor wants to stop.
    pub(super) fn note(&mut self, flow: Flow) -> Flow {
        if flow == Flow::Quit {
            self.call.has_quit.store(true, Relaxed);
        }
        flow
    }
}

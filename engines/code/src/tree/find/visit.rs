//! One call: for each path the way through it, then what is left to do for the indexes.
//!
//! | path | way |
//! |---|---|
//! | a file, standard input, a folder without index | ripgrep's walk |
//! | a folder in an indexed tree, rules as surveyed or narrower | check folders, sweep files, walk what changed |
//! | the same, in order of paths, and something changed | assisted walk |
//! | the same, rules that let in more | assisted walk |

use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ignore::gitignore::gitconfig_excludes_path;
use manicule_core::bytes::DecodeError;
use manicule_core::postings::DocSet;
use manicule_core::watch::Watch;
use manicule_format_tree::manifest::NONE;
use manicule_store::{Handle, KeepsTimes, keeps_times};

use super::check::{Checked, Partial, check, subtree};
use super::recent_check::{self, RecentCheck};
use super::request::{IndexUse, Look, Narrow, Order, Outcome, Request, Upkeep, Visitors};
use super::select::select;
use super::sweep::{Sweep, apply_rules};
use super::walk::{Assist, walk};
use super::worker::{Call, Known, Workers};
use crate::tree::index::build::open_root;
use crate::tree::open::{Index, IndexFiles, REFUSED, cache_dir_of};
use crate::tree::rules::RULES_VERSION;

/// Trees with fewer files get no index: there is nothing to save. A selective pattern took, whole
/// process, CPU ms with and without one: 100 files 2.2 and 2.9, 300 files 2.4 and 4.2, 600 files
/// 2.8 and 6.4, 4,000 files 8 and 25.
pub const INDEXED_FILES_MIN: u64 = 200;

/// Maximum number of changed files before an index is brought up to date: searching 100 as they are
/// took 0 to 3 ms more.
const CHANGED_FILES_MAX: usize = 256;

/// Maximum number of folders with other names: walking 91 of them took 15 ms.
const CHANGED_FOLDERS_MAX: u64 = 32;

/// Maximum number of unsure files, read in every call, before an index is renewed for them; and not
/// before those that had changed just before it was made have settled, in nanoseconds: see
/// [`super::trust`].
const UNSURE_FILES_MAX: u64 = 256;
const UNSURE_PAUSE_NS: u64 = 90_000_000_000;

/// An index is not brought up to date more often than this, in nanoseconds: in a tree that changes
/// all the time that work would never end.
const UPKEEP_PAUSE_NS: u64 = 10_000_000_000;

/// Pause before another try where no index could be written (a full disk), or one is being written.
const RETRY_PAUSE: Duration = Duration::from_secs(60);

/// Hands every file that the request needs to a visitor: one visitor a thread, made by `visitors`.
///
/// Errors about single entries (an unreadable folder, a broken link that was given) go to
/// [`crate::tree::Visit::error`], as ripgrep reports and goes on. With an index the cost is a look
/// at each folder and file, and the files that may match; without, one walk of the paths.
///
/// The watch is asked before each folder of an index and each entry of a walk whether to go on; a
/// call that it ends comes back with what it has so far.
pub fn visit(request: &Request, watch: &Watch<'_>, visitors: &Visitors<'_, '_>) -> Outcome {
    let call = Call::new(request, watch);
    let workers = Workers::new(visitors);
    let mut outcome = Outcome::default();
    let places: Vec<Place> = match &request.index {
        Some(index_use) => {
            request.paths.iter().map(|path| locate(path, index_use, &call)).collect()
        }
        None => Vec::new(),
    };
    if places.iter().all(|place| !matches!(place, Place::Indexed { .. })) {
        plain_walk(&call, &workers, &request.paths);
    } else {
        for (path, place) in request.paths.iter().zip(&places) {
            if call.has_quit() {
                break;
            }
            let indexed = match place {
                Place::Indexed { files, top } => {
                    Indexed { call: &call, workers: &workers, path, top }.visit(files)
                }
                _ => None,
            };
            match indexed {
                Some(upkeep) => outcome.upkeep.extend(upkeep),
                None => plain_walk(&call, &workers, std::slice::from_ref(path)),
            }
        }
    }
    drop(workers);
    outcome.receipt = call.receipt();
    outcome.noticed = call.take_noticed();
    if !watch.is_over() {
        outcome.upkeep.extend(missing(request, &places, &outcome));
    }
    outcome
}

fn plain_walk(call: &Call<'_>, workers: &Workers<'_, '_>, paths: &[PathBuf]) {
    let start = now(call.request);
    walk(call, workers, paths, None, None);
    call.count(|receipt| receipt.walk_us += since(call.request, start));
}

/// Place of a path of the call.
enum Place {
    /// Nowhere that an index could serve: a file, standard input, nothing.
    Elsewhere,
    /// A folder without an index; its canonical path.
    Unindexed(PathBuf),
    /// A folder of an indexed tree, and its path below that tree's root.
    Indexed { files: Box<IndexFiles>, top: Vec<u8> },
}

fn locate(path: &Path, index_use: &IndexUse, call: &Call<'_>) -> Place {
    let start = now(call.request);
    let place = match path.canonicalize() {
        Ok(canonical) if canonical.is_dir() && path != Path::new("-") && !is_dotted_twice(path) => {
            let open = |root: &Path| {
                Some((IndexFiles::open(&index_use.cache, root).ok()?, root.to_owned()))
            };
            match canonical.ancestors().find_map(open) {
                Some((files, root)) => {
                    let top = canonical.strip_prefix(&root).unwrap_or(Path::new(""));
                    let top = top.as_os_str().as_bytes().to_vec();
                    Place::Indexed { files: Box::new(files), top }
                }
                None => Place::Unindexed(canonical),
            }
        }
        _ => Place::Elsewhere,
    };
    call.count(|receipt| receipt.open_us += since(call.request, start));
    place
}

/// Whether a path is one like `./.` or `././src`. ripgrep takes the first `./` off such paths
/// before it matches rules and globs, and not the second, so that other rules hold than for `.`;
/// only its own walk knows which.
fn is_dotted_twice(path: &Path) -> bool {
    let mut names = path.as_os_str().as_bytes().split(|byte| *byte == b'/');
    names.next() == Some(b".") && names.any(|name| name == b".")
}

/// The trees of this call that deserve an index and have none.
fn missing(request: &Request, places: &[Place], outcome: &Outcome) -> Vec<Upkeep> {
    let Some(index_use) = &request.index else { return Vec::new() };
    let roots: Vec<&PathBuf> = places
        .iter()
        .filter_map(|place| match place {
            Place::Unindexed(root) => Some(root),
            _ => None,
        })
        .collect();
    if outcome.receipt.files_walked < INDEXED_FILES_MIN * roots.len().max(1) as u64 {
        return Vec::new();
    }
    let is_below_another =
        |root: &Path| roots.iter().any(|other| root != other.as_path() && root.starts_with(other));
    let now = UNIX_EPOCH + Duration::from_nanos(now(request));
    let is_hopeless = |root: &Path| {
        let dir = cache_dir_of(&index_use.cache, root);
        let is_recent =
            |tried: SystemTime| now.duration_since(tried).is_ok_and(|age| age < RETRY_PAUSE);
        dir.path().join(REFUSED).exists() || dir.last_used().is_ok_and(is_recent)
    };
    let wanted = roots.iter().filter(|root| !is_below_another(root) && !is_hopeless(root));
    wanted.map(|root| Upkeep { root: (*root).clone(), from_scratch: false }).collect()
}

/// A path of the call that lies in an indexed tree.
struct Indexed<'c, 'f, 'v> {
    call: &'c Call<'c>,
    workers: &'c Workers<'f, 'v>,
    /// As the user gave it.
    path: &'c Path,
    /// Below the tree's root.
    top: &'c [u8],
}

impl Indexed<'_, '_, '_> {
    /// Visits the files; what is to be done for the index after that. `None` if the index can't
    /// serve: walk.
    fn visit(&self, files: &IndexFiles) -> Option<Vec<Upkeep>> {
        let request = self.call.request;
        let start = now(request);
        let index = files.index();
        self.call.count(|receipt| receipt.open_us += since(request, start));
        let start = now(request);
        let selected = index.and_then(|index| Ok((self.select(&index)?, index)));
        self.call.count(|receipt| receipt.lookup_us += since(request, start));
        let (candidates, index) = match selected {
            Ok(selected) => selected,
            // The bytes contradict each other: no answer may rest on them.
            Err(_) => return self.give_up(files),
        };
        if index.root() != files.root {
            // It was moved here from the cache directory of another tree.
            return self.give_up(files);
        }
        let rows = subtree(&index.manifest, self.top)?;
        let root = open_root(index.root()).ok()?;
        if keeps_times(root.as_fd()) == Ok(KeepsTimes::No) {
            // Another file system was put there.
            return self.give_up(files);
        }
        files.mark_used(now(request));
        self.call.count(|receipt| {
            let rows = rows.clone().map(|row| index.manifest.folder(row));
            receipt.folders_known += rows.len() as u64;
            receipt.files_known += rows.map(|folder| u64::from(folder.file_count)).sum::<u64>();
        });
        let mut known = Known { index: &index, candidates, recent: None, compare_all: false };
        let excludes = compare_excludes(&index, request);
        let has_other_rules = index.manifest.rules != RULES_VERSION;
        if !request.rules.narrow_the_plain() || excludes != Excludes::Agree || has_other_rules {
            self.walk_all(&known);
            let is_behind = excludes == Excludes::Moved || has_other_rules;
            return Some(self.upkeep(&index, is_behind));
        }
        let recent = self.recent(files, &index, rows.clone());
        let checked_at_ns = now(request);
        let mut checked = match recent {
            Some(recent) => {
                known.recent = Some(recent.files);
                Checked::recent(&index.manifest, rows, &recent.folders)
            }
            None => self.check(&index, &root, rows),
        };
        known.compare_all = known.recent.is_none() && self.max_age().is_some();
        apply_rules(&index.manifest, &request.rules, self.path, &mut checked);
        if request.order == Order::Path && checked.is_dirty() {
            self.walk_all(&known);
        } else {
            self.sweep(&known, &root, &checked);
            // Whoever believes an earlier check wants it quick.
            if known.recent.is_none() && !self.call.has_quit() {
                Sweep {
                    call: self.call,
                    known: &known,
                    root: &root,
                    checked: &checked,
                    given: self.path,
                }
                .notice();
            }
            self.walk_changed(&known, &checked);
        }
        let changed = self.call.take_changed();
        if known.compare_all && !self.call.has_quit() && checked.proves_all(&request.rules) {
            let folders = checked.differences().collect();
            let files_changed = changed.clone();
            recent_check::store(
                files,
                &index,
                checked_at_ns,
                &checked,
                RecentCheck { folders, files: files_changed },
            );
        }
        let is_behind = changed.len() > CHANGED_FILES_MAX
            || checked.changed_count > CHANGED_FOLDERS_MAX
            || checked.has_new_rules()
            || self.has_settled(&index);
        Some(self.upkeep(&index, is_behind))
    }

    /// Pieces of each segment that may match.
    fn select(&self, index: &Index<'_>) -> Result<Vec<Option<DocSet>>, DecodeError> {
        let Look::Matches(Narrow { need, reach, .. }) = &self.call.request.look else {
            return Ok(Vec::new());
        };
        let manifest = &index.manifest;
        let select = |(number, segment)| {
            select(segment, need, *reach, || {
                let files = (0..manifest.file_count() as u32).map(|row| manifest.file(row));
                files
                    .filter(|file| usize::from(file.segment) == number && file.first_piece != NONE)
                    .map(|file| file.first_piece..file.first_piece + file.piece_count)
                    .collect()
            })
        };
        index.segments.iter().enumerate().map(select).collect()
    }

    fn check(&self, index: &Index<'_>, root: &Handle, rows: Range<u32>) -> Checked {
        let request = self.call.request;
        let start = now(request);
        let (rights, threads) = (self.call.rights(), request.threads.max(1));
        let checked = check(&index.manifest, root, rows, rights, threads);
        self.call.count(|receipt| {
            receipt.folders_us += since(request, start);
            receipt.folders_changed += checked.changed_count;
        });
        checked
    }

    fn sweep(&self, known: &Known<'_>, root: &Handle, checked: &Checked) {
        let request = self.call.request;
        let start = now(request);
        Sweep { call: self.call, known, root, checked, given: self.path }.run(self.workers);
        self.call.count(|receipt| receipt.files_us += since(request, start));
    }

    fn walk_changed(&self, known: &Known<'_>, checked: &Checked) {
        if checked.is_dirty() && !self.call.has_quit() {
            let partial = Partial::of(&known.index.manifest, checked, self.path);
            self.walk(known, Some(partial));
        }
    }

    fn walk_all(&self, known: &Known<'_>) {
        self.walk(known, None);
    }

    fn walk(&self, known: &Known<'_>, partial: Option<Partial>) {
        let request = self.call.request;
        let start = now(request);
        let assist = Assist::new(known, self.path.as_os_str().len(), self.top);
        walk(self.call, self.workers, &[self.path.to_owned()], Some(&assist), partial);
        self.call.count(|receipt| receipt.walk_us += since(request, start));
    }

    fn max_age(&self) -> Option<Duration> {
        self.call.request.index.as_ref()?.max_age
    }

    /// Result of an earlier check, if the call may believe it.
    fn recent(
        &self,
        files: &IndexFiles,
        index: &Index<'_>,
        rows: Range<u32>,
    ) -> Option<RecentCheck> {
        recent_check::load(files, index, now(self.call.request), self.max_age()?, rows)
    }

    /// Walks as if there were no index, and asks for a new one.
    fn give_up(&self, files: &IndexFiles) -> Option<Vec<Upkeep>> {
        plain_walk(self.call, self.workers, &[self.path.to_owned()]);
        Some(vec![Upkeep { root: files.root.clone(), from_scratch: true }])
    }

    /// Whether there are many files that were unsure and need not be any more.
    fn has_settled(&self, index: &Index<'_>) -> bool {
        let age_ns = now(self.call.request).saturating_sub(index.manifest.meta.made_at_ns);
        self.call.unsure_count.load(Relaxed) > UNSURE_FILES_MAX && age_ns > UNSURE_PAUSE_NS
    }

    fn upkeep(&self, index: &Index<'_>, is_behind: bool) -> Vec<Upkeep> {
        let age_ns = now(self.call.request).saturating_sub(index.manifest.meta.made_at_ns);
        if !is_behind || age_ns < UPKEEP_PAUSE_NS {
            return Vec::new();
        }
        vec![Upkeep { root: index.root().to_owned(), from_scratch: false }]
    }
}

/// Meaning of git's global excludes, beside that when the tree was surveyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Excludes {
    /// The same, as far as their path shows; whether the file has changed is watched.
    Agree,
    /// They have patterns that hang on the folder that ripgrep is called in; the survey was made
    /// from the root.
    HangOnTheFolder,
    /// They are in another file now.
    Moved,
}

fn compare_excludes(index: &Index<'_>, request: &Request) -> Excludes {
    let path = gitconfig_excludes_path();
    if path.as_ref().is_some_and(|path| path.is_relative()) {
        // It is another file wherever ripgrep is called.
        return Excludes::HangOnTheFolder;
    }
    let bytes = path.as_ref().map_or(&b""[..], |path| path.as_os_str().as_bytes());
    if index.manifest.name(index.manifest.meta.excludes).to_bytes() != bytes {
        return Excludes::Moved;
    }
    let Some(text) = path.and_then(|path| std::fs::read(path).ok()) else {
        return Excludes::Agree;
    };
    let is_anchored = |line: &[u8]| {
        let line = line.trim_ascii();
        !line.starts_with(b"#") && line[..line.len().saturating_sub(1)].contains(&b'/')
    };
    let is_called_in_root =
        || request.rules.current_dir.canonicalize().is_ok_and(|current| current == index.root());
    if text.split(|byte| *byte == b'\n').any(is_anchored) && !is_called_in_root() {
        return Excludes::HangOnTheFolder;
    }
    Excludes::Agree
}

fn now(request: &Request) -> u64 {
    request.index.as_ref().map_or(0, |index_use| (index_use.clock)())
}

fn since(request: &Request, start: u64) -> u64 {
    now(request).saturating_sub(start) / 1000
}

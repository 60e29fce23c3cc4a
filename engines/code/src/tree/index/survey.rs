//! A survey: every folder and file that ripgrep's rules let in, what they leave out, and what they
//! were read from.

use std::collections::HashMap;
use std::ffi::{CStr, CString, OsStr};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ignore::{WalkState, gitignore::gitconfig_excludes_path};
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_tree::manifest::{
    ABSENT, Draft, File, Folder, Meta, NONE, OTHER_FILE, OTHER_FOLDER, OTHER_REST, Other, UNSURE,
    WATCH_CONTENTS, WATCH_PRESENCE, Watched,
};
use manicule_format_tree::{Listing, by_name};
use manicule_store::threads::{lock, unshared};
use manicule_store::{
    Entry, EntryKind, Handle, list_folder, look, look_through, open_file_through, open_folder,
};

use super::options::BuildError;
use crate::tree::listing::{RULE_NAMES, listed_kind, presence_fingerprint};
use crate::tree::rules::{RULES_VERSION, Rules};
use crate::trust::{Stores, read_fingerprint, settled_fingerprint};

/// Inputs of a survey.
pub(super) struct Inputs<'a> {
    /// The tree: an absolute path without links.
    pub root: &'a Path,
    /// Its handle.
    pub handle: &'a Handle,
    /// The clock when the survey began.
    pub now_ns: u64,
    /// Mixed into every fingerprint.
    pub key: u64,
    /// Threads of the walk.
    pub threads: usize,
    /// Knowledge of stores that set no times.
    pub stores: Stores,
    /// Watch of the call.
    pub watch: &'a Watch<'a>,
}

/// Walks the tree. All files come back unread: their fingerprints unsure, their pieces unknown.
///
/// Costs a walk as ripgrep's, one more listing of every folder and a look at each.
pub(super) fn survey(inputs: &Inputs<'_>) -> Result<Draft, BuildError> {
    let mut draft = Draft::default();
    draft.rules = RULES_VERSION;
    let root = draft.name(inputs.root.as_os_str().as_bytes());
    let excludes = gitconfig_excludes_path();
    let excludes_name = draft.name(path_bytes(excludes.as_deref()));
    draft.meta = Meta {
        made_at_ns: inputs.now_ns,
        key: inputs.key,
        excludes: excludes_name,
        root,
        ..Meta::default()
    };
    // Before the walk: what changes while it reads them then differs from what is noted here.
    watch_above(inputs, excludes.as_deref(), &mut draft);
    let surveying = inputs.watch.endless(Phase::Surveying, Unit::Files);
    let found = walk(inputs, &surveying).map_err(BuildError::Walk)?;
    inputs.watch.check()?;
    let mut files = found.files.into_iter().peekable();
    for (row, (path, state)) in found.folders.iter().enumerate() {
        let row = row as u32;
        let parent = if row == 0 { NONE } else { found.rows[parent_of(path)] };
        let first_file = draft.files.len() as u32;
        let mut names: Vec<Vec<u8>> = found.children.get(&row).cloned().unwrap_or_default();
        while let Some((_, name)) = files.next_if(|file| file.0 == row) {
            let stored = draft.name(&name);
            draft.files.push(unread(stored));
            names.push(name);
        }
        names.sort_unstable();
        let folder = Folder {
            path: draft.name(path),
            parent,
            first_file,
            file_count: draft.files.len() as u32 - first_file,
            first_other: draft.others.len() as u32,
            other_count: 0,
            fingerprint: UNSURE,
            listing: 0,
        };
        draft.folders.push(folder);
        look_into(inputs, row, *state, &names, &mut draft);
        inputs.watch.check()?;
    }
    surveying.end();
    Ok(draft)
}

fn unread(name: u32) -> File {
    File {
        name,
        segment: 0,
        flags: 0,
        first_piece: NONE,
        piece_count: 0,
        size: 0,
        fingerprint: UNSURE,
    }
}

/// Whether the walk could list a folder and read its rules without complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walked {
    Fine,
    /// ripgrep complains about it in every call, so every call has to walk it.
    WithComplaint,
}

struct Found {
    /// Paths below the root, a parent before its children, neighbours in the order of their names.
    folders: Vec<(Vec<u8>, Walked)>,
    rows: HashMap<Vec<u8>, u32>,
    /// The names of each folder's folders.
    children: HashMap<u32, Vec<Vec<u8>>>,
    /// The folder and name of each file, in that order.
    files: Vec<(u32, Vec<u8>)>,
}

fn walk(inputs: &Inputs<'_>, meter: &Meter<'_>) -> Result<Found, ignore::Error> {
    let rules = Rules::plain(inputs.root.to_owned());
    let (walk, _) = rules.walk(&[inputs.root.to_owned()], inputs.threads);
    let seen: Mutex<Vec<Seen>> = Mutex::default();
    let failed: Mutex<Option<ignore::Error>> = Mutex::default();
    walk.build_parallel().run(|| {
        let mut batch = Batch { seen: Vec::new(), into: &seen };
        let mut steps = meter.steps();
        let failed = &failed;
        Box::new(move |entry| {
            match see(inputs.root, entry) {
                Ok(seen) => batch.seen.extend(seen),
                Err(error) => {
                    *lock(failed) = Some(error);
                    return WalkState::Quit;
                }
            }
            if steps.add(1).is_err() { WalkState::Quit } else { WalkState::Continue }
        })
    });
    if let Some(error) = unshared(failed) {
        return Err(error);
    }
    Ok(arrange(unshared(seen)))
}

/// An entry of the walk.
struct Seen {
    path: Vec<u8>,
    what: SeenAs,
}

enum SeenAs {
    Folder(Walked),
    File,
}

/// Batch of entries that one thread has seen; handed over when the thread is done.
struct Batch<'a> {
    seen: Vec<Seen>,
    into: &'a Mutex<Vec<Seen>>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        lock(self.into).append(&mut self.seen);
    }
}

/// Meaning of an entry of the walk; nothing where the rules of `find` never look at it (links,
/// sockets).
fn see(
    root: &Path,
    entry: Result<ignore::DirEntry, ignore::Error>,
) -> Result<Option<Seen>, ignore::Error> {
    let below = |path: &Path| Some(path.strip_prefix(root).ok()?.as_os_str().as_bytes().to_owned());
    match entry {
        Ok(entry) => {
            let Some(path) = below(entry.path()) else { return Ok(None) };
            let complaint = entry.error().is_some();
            let walked = if complaint { Walked::WithComplaint } else { Walked::Fine };
            let what = match entry.file_type() {
                Some(kind) if kind.is_dir() => SeenAs::Folder(walked),
                Some(kind) if kind.is_file() => SeenAs::File,
                _ => return Ok(None),
            };
            Ok(Some(Seen { path, what }))
        }
        Err(error) => match path_of(&error).and_then(below) {
            Some(path) if !path.is_empty() => {
                Ok(Some(Seen { path, what: SeenAs::Folder(Walked::WithComplaint) }))
            }
            _ => Err(error),
        },
    }
}

/// The folder that an error of the walk is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

fn arrange(seen: Vec<Seen>) -> Found {
    let mut states: HashMap<Vec<u8>, Walked> = HashMap::new();
    let mut paths = Vec::new();
    for Seen { path, what } in seen {
        match what {
            SeenAs::File => paths.push(path),
            SeenAs::Folder(walked) => {
                let state = states.entry(path).or_insert(walked);
                if walked == Walked::WithComplaint {
                    *state = walked;
                }
            }
        }
    }
    // The complaint may be about an entry that is no folder, or no longer there: its folder then
    // walks again.
    let mut folders: Vec<(Vec<u8>, Walked)> = states.into_iter().collect();
    folders.sort_unstable_by(|left, right| by_name(&left.0, &right.0));
    let rows: HashMap<Vec<u8>, u32> =
        folders.iter().enumerate().map(|(row, folder)| (folder.0.clone(), row as u32)).collect();
    let mut children: HashMap<u32, Vec<Vec<u8>>> = HashMap::new();
    for (path, _) in &folders[1..] {
        children.entry(rows[parent_of(path)]).or_default().push(name_of(path).to_owned());
    }
    let mut files: Vec<(u32, Vec<u8>)> =
        paths.iter().map(|path| (rows[parent_of(path)], name_of(path).to_owned())).collect();
    files.sort_unstable();
    Found { folders, rows, children, files }
}

fn parent_of(path: &[u8]) -> &[u8] {
    memchr::memrchr(b'/', path).map_or(&[], |slash| &path[..slash])
}

fn name_of(path: &[u8]) -> &[u8] {
    memchr::memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..])
}

fn path_bytes(path: Option<&Path>) -> &[u8] {
    path.map_or(&[], |path| path.as_os_str().as_bytes())
}

/// Looks at the newest folder of the draft and lists it: its fingerprint, the sum of its names, and
/// which of them the rules left out. `names` are those they let in, sorted.
fn look_into(inputs: &Inputs<'_>, row: u32, walked: Walked, names: &[Vec<u8>], draft: &mut Draft) {
    let path = draft.name_c(draft.folders[row as usize].path).to_owned();
    let mut listing = Listing::default();
    let mut left_out = Vec::new();
    let mut rule_names = Vec::new();
    let look_at_it =
        || look(inputs.handle.as_fd(), if path.is_empty() { c"." } else { &path }).ok();
    let seen = open_folder(inputs.handle.as_fd(), &path).ok().and_then(|folder| {
        let before = look_at_it()?;
        list_folder(folder.as_fd(), |listed| {
            listing.add(listed.name.to_bytes(), listed_kind(listed.kind));
            let name = listed.name.to_bytes();
            if names.binary_search_by(|included| included.as_slice().cmp(name)).is_err() {
                left_out.push((name.to_owned(), listed.kind));
            }
            if RULE_NAMES.contains(&listed.name) {
                rule_names.push(listed.name.to_owned());
            }
        })
        .ok()?;
        Some((before, look_at_it()?))
    });
    left_out.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    for (name, kind) in &left_out {
        let kind = match kind {
            EntryKind::Folder => OTHER_FOLDER,
            EntryKind::File => OTHER_FILE,
            EntryKind::Rest => OTHER_REST,
        };
        let name = draft.name(name);
        draft.others.push(Other { name, kind });
    }
    let folder = &mut draft.folders[row as usize];
    folder.other_count = left_out.len() as u32;
    folder.listing = listing.sum();
    // The walk listed it at some time after its beginning, and we once more: both have seen the
    // same names only if it had settled before, and is still the same.
    let fingerprint = seen
        .as_ref()
        .map(|(before, after)| read_fingerprint(before, after, inputs.key, inputs.now_ns));
    match (fingerprint, walked) {
        (Some(fingerprint), Walked::Fine) if fingerprint != UNSURE => {
            folder.fingerprint = fingerprint
        }
        // No listing has this sum but that of nothing, so the folder is walked in every call.
        _ => folder.listing = 0,
    }
    if fingerprint == Some(UNSURE) {
        // Names and rules may have come or gone between the walk and this listing, so nothing of
        // what the walk has let in below is proven.
        let watched =
            Watched { path: folder.path, folder: row, how: WATCH_CONTENTS, fingerprint: UNSURE };
        draft.watched.push(watched);
    }
    for name in rule_names {
        watch_rule(inputs, row, path.to_bytes(), &name, draft);
    }
}

/// Everything above the root that the rules are read from.
fn watch_above(inputs: &Inputs<'_>, excludes: Option<&Path>, draft: &mut Draft) {
    if let Some(excludes) = excludes {
        watch(inputs, 0, excludes.to_owned(), WATCH_CONTENTS, draft);
    }
    for above in inputs.root.ancestors().skip(1) {
        for name in RULE_NAMES {
            watch_rule(inputs, 0, above.as_os_str().as_bytes(), name, draft);
        }
    }
}

/// Watches one of [`RULE_NAMES`] in `folder`, which is an absolute path or one below the root.
fn watch_rule(inputs: &Inputs<'_>, row: u32, folder: &[u8], name: &CStr, draft: &mut Draft) {
    let folder = Path::new(OsStr::from_bytes(folder));
    let path = folder.join(OsStr::from_bytes(name.to_bytes()));
    if name == c".jj" {
        watch(inputs, row, path, WATCH_PRESENCE, draft);
        return;
    }
    if name != c".git" {
        let how = if name == c".jj" { WATCH_PRESENCE } else { WATCH_CONTENTS };
        watch(inputs, row, path, how, draft);
        return;
    }
    let absolute = inputs.root.join(&path);
    watch(inputs, row, path, WATCH_PRESENCE, draft);
    if hangs_on_current_dir(&absolute) {
        let path = draft.name(b"");
        draft.watched.push(Watched { path, folder: row, how: WATCH_CONTENTS, fingerprint: UNSURE });
    }
    for exclude in excludes_of(&absolute) {
        watch(inputs, row, exclude, WATCH_CONTENTS, draft);
    }
}

/// Folders where git keeps a repository's own excludes: in `.git/info`, or, where `.git` is a file
/// that names another folder (worktrees, submodules), in the common folder that one names. All
/// files on the way are part of the answer.
fn excludes_of(git: &Path) -> Vec<PathBuf> {
    if !git.is_file() {
        return vec![git.join("info/exclude")];
    }
    let mut paths = vec![git.to_owned()];
    if let Some(real) = named_folder(git) {
        let common = real.join("commondir");
        if let Some(target) = first_line(&common) {
            paths.push(real.join(OsStr::from_bytes(&target)).join("info/exclude"));
        }
        paths.push(common);
    }
    paths
}

/// The folder that a `.git` file names, as seen from where it lies.
fn named_folder(git: &Path) -> Option<PathBuf> {
    let line = first_line(git)?;
    let named = line.strip_prefix(b"gitdir: ")?;
    Some(git.parent().unwrap_or(git).join(OsStr::from_bytes(named)))
}

fn first_line(path: &Path) -> Option<Vec<u8>> {
    let text = std::fs::read(path).ok()?;
    let line = text.split(|byte| *byte == b'\n').next()?;
    Some(line.strip_suffix(b"\r").unwrap_or(line).to_owned())
}

/// Whether a `.git` file leads to excludes by a relative path. ripgrep reads such a path from the
/// folder that it is called in, so it means something else in every call. Submodules have relative
/// paths too, but no `commondir`.
fn hangs_on_current_dir(git: &Path) -> bool {
    let is_relative = |line: Vec<u8>, prefix: &[u8]| {
        line.strip_prefix(prefix).is_some_and(|path| !path.starts_with(b"/"))
    };
    let Some(common) = named_folder(git).and_then(|real| first_line(&real.join("commondir")))
    else {
        return false;
    };
    first_line(git).is_some_and(|line| is_relative(line, b"gitdir: "))
        || (is_relative(common.clone(), b"") && !common.starts_with(b"."))
}

fn watch(inputs: &Inputs<'_>, folder: u32, path: PathBuf, how: u32, draft: &mut Draft) {
    let Ok(name) = CString::new(path.as_os_str().as_bytes()) else { return };
    let fingerprint = match look_through(inputs.handle.as_fd(), &name) {
        Ok(entry) if how == WATCH_CONTENTS => rules_fingerprint(inputs, &name, &entry),
        Ok(entry) => presence_fingerprint(entry.kind),
        // Above the tree this is asked before the walk, in it after: it may have been there
        // meanwhile.
        Err(_) if path.is_relative() && !is_settled_around(inputs, &path) => UNSURE,
        Err(_) => ABSENT,
    };
    let path = draft.name(name.as_bytes());
    draft.watched.push(Watched { path, folder, how, fingerprint });
}

/// The fingerprint of a file that rules were or will be read from. Above the tree it is taken
/// before the walk, in it after.
fn rules_fingerprint(inputs: &Inputs<'_>, name: &CStr, entry: &Entry) -> u64 {
    let file = open_file_through(inputs.handle.as_fd(), name);
    let may_be_silent =
        |file: std::fs::File| inputs.stores.may_be_silent(&file, entry, inputs.now_ns);
    if entry.kind == EntryKind::File && file.is_ok_and(may_be_silent) {
        UNSURE
    } else {
        settled_fingerprint(entry, inputs.key, inputs.now_ns)
    }
}

/// Whether the folder that a missing file would lie in, or the nearest above it, has not changed
/// since the walk began.
fn is_settled_around(inputs: &Inputs<'_>, path: &Path) -> bool {
    let looks = path.ancestors().skip(1).map(|above| {
        let name = CString::new(above.as_os_str().as_bytes()).ok()?;
        let name = if name.is_empty() { c".".to_owned() } else { name };
        look_through(inputs.handle.as_fd(), &name).ok()
    });
    let nearest = looks.flatten().next();
    nearest.is_some_and(|entry| settled_fingerprint(&entry, inputs.key, inputs.now_ns) != UNSURE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use super::super::build::open_root;

    fn survey_at(root: &Path, now_ns: u64) -> Draft {
        let handle = open_root(root).unwrap();
        let stores = Stores::of(&handle);
        let watch = &Watch::none();
        let handle = &handle;
        survey(&Inputs { root, handle, now_ns, key: 1, threads: 1, stores, watch }).unwrap()
    }

    /// A file that comes between the walk and our own listing is in the sum of names and not among
    /// the files. Were the sum believed, no call would ever see that file.
    #[test]
    fn a_folder_that_changed_since_the_survey_began_is_walked_in_every_call() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("sub/a"), "text").unwrap();
        std::thread::sleep(Duration::from_millis(60));
        let now_ns = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
        let is_sure = |folder: &Folder| folder.fingerprint != UNSURE && folder.listing != 0;
        let rewalked = |draft: &Draft| {
            let rows = draft.watched.iter().filter(|row| row.fingerprint == UNSURE);
            rows.map(|row| row.folder).collect::<Vec<_>>()
        };
        let settled = survey_at(&root, now_ns);
        assert!(settled.folders.iter().all(is_sure));
        assert!(rewalked(&settled).is_empty());
        // As if everything had been made after the beginning.
        let early = survey_at(&root, now_ns - 3_600_000_000_000);
        assert!(
            early.folders.iter().all(|folder| folder.fingerprint == UNSURE && folder.listing == 0)
        );
        assert_eq!(rewalked(&early), [0, 1]);
    }
}

//! Folders of a store, listed many at a time and recognised as indexes.

use std::sync::Arc;

use manicule_store::EntryKind;
use manicule_store::store::{Name, Store};

use super::super::joint::Job;
use super::object::Object;
use super::read::Reader;
use super::rules::{Ignores, admits};
use crate::failure::Failure;
use crate::kinds::{Seen, System, seen as seen_of};
use crate::place::{Listing, Remote};

/// Folders that are listed at a time.
const FOLDERS_AT_ONCE: usize = 32;

/// Length of the longest ignore file that is read.
const IGNORE_LEN_MAX: u64 = 1 << 20;

/// A walk below an address.
pub(super) struct Walk<'w, 'j> {
    store: Arc<dyn Store>,
    job: &'w Job<'j>,
    /// Folders that are not looked at yet, the next last.
    waiting: Vec<Folder>,
}

/// A folder below an address.
struct Folder {
    name: Name,
    /// Its name below the address; empty for the address's own.
    below: String,
    depth: usize,
    above: Option<Arc<Ignores>>,
    /// What is known of the address's own.
    seen: Option<Seen>,
}

/// What some folders have.
#[derive(Default)]
pub(super) struct Found {
    pub(super) objects: Vec<Object>,
    pub(super) indexes: Vec<(System, Listing)>,
}

impl<'w, 'j> Walk<'w, 'j> {
    pub(super) fn of(remote: &Remote, job: &'w Job<'j>, seen: Seen) -> Self {
        let (name, seen) = (remote.name.clone(), Some(seen));
        let own = Folder { name, below: String::new(), depth: 0, above: None, seen };
        Walk { store: Arc::clone(&remote.store), job, waiting: vec![own] }
    }

    /// What the next folders have; `None` after the last. A round, and one for their ignore files.
    pub(super) fn next(&mut self, reader: &mut Reader<'_, '_>) -> Result<Option<Found>, Failure> {
        if self.waiting.is_empty() {
            return Ok(None);
        }
        self.job.watch.check()?;
        let first = self.waiting.len().saturating_sub(FOLDERS_AT_ONCE);
        let mut folders = self.waiting.split_off(first);
        folders.reverse();
        let unseen = folders.iter().filter(|folder| folder.seen.is_none());
        let names: Vec<Name> = unseen.map(|folder| folder.name.clone()).collect();
        reader.counts.folders += names.len() as u64;
        let mut listed = match &names[..] {
            [] => Vec::new(),
            names => self.store.list_all(names),
        }
        .into_iter();
        let mut seen = Vec::with_capacity(folders.len());
        for mut folder in folders {
            let own = match folder.seen.take() {
                Some(seen) => Ok(seen),
                None => listed
                    .next()
                    .expect("a listing for each folder")
                    .map(|listed| seen_of(self.store.show(&folder.name), listed)),
            };
            match own {
                Ok(own) => seen.push((folder, own)),
                Err(error) => reader.failed(error),
            }
        }
        let ignores = self.ignores(&seen, reader);
        let mut found = Found::default();
        let mut below = Vec::new();
        for ((folder, seen), ignores) in seen.into_iter().zip(ignores) {
            self.take(&folder, seen, &Arc::new(ignores), &mut found, &mut below);
        }
        below.reverse();
        self.waiting.append(&mut below);
        Ok(Some(found))
    }

    /// The ignore files of folders, read side by side.
    fn ignores(&self, seen: &[(Folder, Seen)], reader: &mut Reader<'_, '_>) -> Vec<Ignores> {
        let rules = &self.job.search.rules;
        let (mut ignores, mut files) = (Vec::with_capacity(seen.len()), Vec::new());
        for (folder, seen) in seen {
            let listed = &seen.listing.listed;
            let names = listed.iter().map(|entry| entry.name.as_str());
            let own = Ignores::below(folder.above.clone(), names);
            let is_file = listed.iter().filter(|entry| entry.kind == EntryKind::File);
            let heeded = is_file.filter(|entry| own.heeds(&entry.name, rules));
            files.extend(heeded.map(|entry| (ignores.len(), entry.clone())));
            ignores.push(own);
        }
        let names: Vec<Name> =
            files.iter().map(|(at, entry)| entry.file_in(&seen[*at].0.name)).collect();
        if names.is_empty() {
            return ignores;
        }
        for ((at, entry), text) in files.iter().zip(self.store.read_all(&names, IGNORE_LEN_MAX)) {
            let warn = &mut |error: &ignore::Error| reader.visitor.warning(error);
            match text {
                Ok(text) => {
                    ignores[*at].take(&entry.name, &seen[*at].0.below, &text, rules, warn);
                }
                Err(error) => reader.failed(error),
            }
        }
        ignores
    }

    /// Takes what a folder has: an index as a whole, and what isn't one's.
    fn take(
        &self,
        folder: &Folder,
        seen: Seen,
        ignores: &Arc<Ignores>,
        found: &mut Found,
        below: &mut Vec<Folder>,
    ) {
        let rules = &self.job.search.rules;
        // The address's own is among the paths of the call.
        let is_let_in = || admits(rules, ignores, &folder.below, false);
        if folder.depth > 0 && seen.searched().next().is_some() && is_let_in() {
            let mut systems: Vec<System> = seen.searched().map(|kind| kind.system()).collect();
            systems.dedup();
            let with_listing = |system| (system, seen.listing.clone());
            found.indexes.extend(systems.into_iter().map(with_listing));
        }
        let depth = folder.depth + 1;
        if rules.max_depth.is_some_and(|max| depth > max) {
            return;
        }
        let mut others: Vec<_> = seen.others().collect();
        others.sort_by(|left, right| left.name.cmp(&right.name));
        for entry in others {
            let own = match &*folder.below {
                "" => entry.name.clone(),
                above => format!("{above}/{}", entry.name),
            };
            let is_folder = entry.kind == EntryKind::Folder;
            if !admits(rules, ignores, &own, is_folder) {
                continue;
            }
            let name = entry.file_in(&folder.name);
            if is_folder {
                let above = Some(Arc::clone(ignores));
                below.push(Folder { name, below: own, depth, above, seen: None });
            } else if rules.max_filesize.is_none_or(|max| entry.len.is_none_or(|len| len <= max)) {
                let (path, folder) = (self.store.show(&name), folder.name.clone());
                found.objects.push(Object { folder, listed: entry.clone(), path });
            }
        }
    }
}

//! A store each of whose questions costs a round: what is going to be asked is brought before, side
//! by side.

use std::sync::{Mutex, MutexGuard, PoisonError};

use manicule_format_restic::{FileKind, Id};
use manicule_store::EntryKind;
use manicule_store::store::{self, Answer, Ask, Name, Store, StoreError};

use super::brought::{Brought, Given, ListedPacks};
use super::names::{folder_of, name_of};
use super::{FileName, Listed, Misplaced, Soon};

/// Folders of packs that are listed side by side: as many names are in memory at once.
const FOLDERS_AT_ONCE: usize = 64;

/// What was brought of a store, and is given to who asks for it.
#[derive(Debug, Default)]
pub(super) struct Far(Mutex<Brought>);

impl Far {
    fn brought(&self) -> MutexGuard<'_, Brought> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings what is not there yet, in one round; packs of which there are many take more.
    pub(super) fn bring(&self, store: &dyn Store, soon: &[Soon]) {
        let missing: Vec<&Soon> = {
            let brought = self.brought();
            soon.iter().filter(|soon| is_missing(&brought, soon)).collect()
        };
        if missing.is_empty() {
            return;
        }
        let asked: Vec<Ask> = missing.iter().map(|soon| ask_of(soon)).collect();
        for (soon, answer) in missing.into_iter().zip(store.ask_all(&asked)) {
            match soon {
                Soon::List(kind) => {
                    let listed = self.listing(store, *kind, answer);
                    self.brought().lists.insert(*kind, listed);
                }
                soon => take(&mut self.brought(), soon, answer),
            }
        }
    }

    /// The listing of a kind: that which was brought, once.
    pub(super) fn list(
        &self,
        store: &dyn Store,
        kind: FileKind,
    ) -> Result<Vec<Listed>, StoreError> {
        let brought = self.brought().lists.remove(&kind);
        brought.unwrap_or_else(|| {
            let answer = store.ask_all(&[ask_of(&Soon::List(kind))]).pop();
            self.listing(store, kind, answer.expect("an answer to each question"))
        })
    }

    /// The files that an answer lists.
    fn listing(
        &self,
        store: &dyn Store,
        kind: FileKind,
        answer: Result<Answer, StoreError>,
    ) -> Result<Vec<Listed>, StoreError> {
        match answer {
            Err(error) if error.is_missing() => Ok(Vec::new()),
            Err(error) => Err(error),
            Ok(Answer::Entries(entries)) => Ok(files_of(entries)),
            Ok(answer) if kind == FileKind::Pack => {
                let (listed, misplaced) = packs_of(store, answer)?;
                self.brought().misplaced = Some(misplaced);
                Ok(listed)
            }
            Ok(_) => Ok(Vec::new()),
        }
    }

    /// Whether something was brought.
    pub(super) fn has(&self, soon: &Soon) -> bool {
        !is_missing(&self.brought(), soon)
    }

    /// The listing of a kind that was brought, which stays.
    pub(super) fn listed(&self, kind: FileKind) -> Option<Vec<Listed>> {
        self.brought().lists.get(&kind)?.as_ref().ok().cloned()
    }

    /// Packs in the wrong place, of the listing of packs that was given last, once.
    pub(super) fn misplaced(&self) -> Option<Vec<Misplaced>> {
        self.brought().misplaced.take()
    }

    /// A whole file that was brought, once.
    pub(super) fn file(&self, name: &Name) -> Option<Result<Vec<u8>, StoreError>> {
        self.brought().files.remove(name)
    }

    /// Fills `out` from a part of a pack that was brought; whether there is one.
    pub(super) fn copy(&self, file: FileName, at: u64, out: &mut [u8]) -> bool {
        match file {
            FileName::Of(FileKind::Pack, id) => self.brought().copy_part(&id, at, out),
            _ => false,
        }
    }
}

fn is_missing(brought: &Brought, soon: &Soon) -> bool {
    match soon {
        Soon::List(kind) => !brought.lists.contains_key(kind),
        Soon::Whole(file, _) => !brought.files.contains_key(&name_of(*file)),
        Soon::Part(pack, range) | Soon::Shared(pack, range) => {
            !range.is_empty() && !brought.has_part(pack, range)
        }
    }
}

fn ask_of(soon: &Soon) -> Ask {
    match soon {
        Soon::List(FileKind::Pack) => Ask::Below(folder_of(FileKind::Pack)),
        Soon::List(kind) => Ask::Entries(folder_of(*kind)),
        Soon::Whole(file, len_max) => Ask::Whole { file: name_of(*file), len_max: *len_max },
        Soon::Part(pack, range) | Soon::Shared(pack, range) => {
            let file = name_of(FileName::Of(FileKind::Pack, *pack));
            Ask::Range { file, version: None, range: range.clone() }
        }
    }
}

/// Keeps bytes. A part that did not come is asked for again by who needs it.
fn take(brought: &mut Brought, soon: &Soon, answer: Result<Answer, StoreError>) {
    match (soon, answer) {
        (Soon::Whole(file, _), Ok(Answer::Bytes(bytes))) => {
            brought.files.insert(name_of(*file), Ok(bytes));
        }
        (Soon::Whole(file, _), Err(error)) => {
            brought.files.insert(name_of(*file), Err(error));
        }
        (Soon::Part(pack, range), Ok(Answer::Bytes(bytes))) => {
            brought.add_part(*pack, range.start, bytes, Given::Once);
        }
        (Soon::Shared(pack, range), Ok(Answer::Bytes(bytes))) => {
            brought.add_part(*pack, range.start, bytes, Given::Often);
        }
        _ => {}
    }
}

/// The files of a listing whose names are ids. Stores that are far tell lengths.
fn files_of(entries: Vec<store::Listed>) -> Vec<Listed> {
    let file = |entry: store::Listed| {
        let id = Id::parse(entry.name.as_bytes())?;
        Some(Listed { id, len: entry.len.unwrap_or(0) })
    };
    let mut files: Vec<Listed> = entries.into_iter().filter_map(file).collect();
    files.sort_unstable();
    files
}

/// All packs, in whichever folder they lie. Where one request doesn't list all, the folders that
/// are there are listed side by side, 256 of restic's: a page after the other would take a round
/// for each thousand packs.
fn packs_of(store: &dyn Store, first: Answer) -> Result<ListedPacks, StoreError> {
    let mut packs = Packs::default();
    match first {
        Answer::Below { files, is_whole: true } => {
            for file in files {
                match file.name.rsplit_once('/') {
                    None => packs.add(store, "", &file.name, file.len),
                    // Deeper ones are nobody's.
                    Some((folder, _)) if folder.contains('/') => {}
                    Some((folder, name)) => packs.add(store, folder, name, file.len),
                }
            }
        }
        _ => packs.add_folders(store)?,
    }
    Ok(packs.finish())
}

/// Packs as they are listed.
#[derive(Default)]
struct Packs {
    listed: Vec<Listed>,
    misplaced: Vec<Misplaced>,
}

impl Packs {
    fn add(&mut self, store: &dyn Store, folder: &str, name: &str, len: Option<u64>) {
        let Some(id) = Id::parse(name.as_bytes()) else { return };
        self.listed.push(Listed { id, len: len.unwrap_or(0) });
        if !name.starts_with(folder) || folder.len() != 2 {
            let data = folder_of(FileKind::Pack);
            let place = if folder.is_empty() { Some(data) } else { data.join(folder) };
            let place = place.map(|place| store.show(&place).display().to_string());
            self.misplaced.extend(place.map(|place| Misplaced { id, place }));
        }
    }

    fn add_folders(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let data = folder_of(FileKind::Pack);
        let mut folders = Vec::new();
        for entry in store.list(&data)? {
            match entry.kind {
                EntryKind::Folder => folders.push(entry.name),
                _ => self.add(store, "", &entry.name, entry.len),
            }
        }
        for some in folders.chunks(FOLDERS_AT_ONCE) {
            let named: Vec<_> = some.iter().filter_map(|folder| data.join(folder)).collect();
            for (folder, entries) in some.iter().zip(store.list_all(&named)) {
                for entry in entries? {
                    self.add(store, folder, &entry.name, entry.len);
                }
            }
        }
        Ok(())
    }

    /// One that also lies in its place is not misplaced.
    fn finish(mut self) -> ListedPacks {
        self.listed.sort_unstable();
        self.misplaced.sort_by_key(|pack| pack.id);
        let wrong: Vec<Id> = self.misplaced.iter().map(|pack| pack.id).collect();
        let count = |ids: &[Id], id: Id| {
            ids.partition_point(|it| *it <= id) - ids.partition_point(|it| *it < id)
        };
        let listed = &self.listed;
        self.misplaced.retain(|pack| {
            let first = listed.partition_point(|it| it.id < pack.id);
            let all = listed[first..].iter().take_while(|it| it.id == pack.id).count();
            count(&wrong, pack.id) == all
        });
        (self.listed, self.misplaced)
    }
}

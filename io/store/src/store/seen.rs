//! A store whose own folder was listed a moment ago.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::ask::{Answer, Ask, Wanted};
use super::error::StoreError;
use super::listed::Listed;
use super::name::Name;
use super::read::{Access, Look, Store, WholeFile};
use super::version::Version;
use super::write::WriteStore;
use crate::pages::ByteSource;

/// A store whose own folder was listed by who recognised it: the first to list it gets that
/// listing, without a request. Whoever lists it again sees what is there then.
#[derive(Debug)]
pub struct Seen {
    store: Arc<dyn Store>,
    listed: Mutex<Option<Vec<Listed>>>,
}

impl Seen {
    /// A store, and the entries of its own folder.
    pub fn of(store: Arc<dyn Store>, listed: Vec<Listed>) -> Arc<dyn Store> {
        Arc::new(Seen { store, listed: Mutex::new(Some(listed)) })
    }

    fn take(&self) -> Option<Vec<Listed>> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Store for Seen {
    fn list(&self, folder: &Name) -> Result<Vec<Listed>, StoreError> {
        let listed = if *folder == Name::root() { self.take() } else { None };
        listed.map_or_else(|| self.store.list(folder), Ok)
    }

    fn look(&self, name: &Name) -> Result<Look, StoreError> {
        self.store.look(name)
    }

    fn open(&self, file: &Name, access: Access) -> Result<Box<dyn ByteSource>, StoreError> {
        self.store.open(file, access)
    }

    fn open_seen(
        &self,
        file: &Name,
        seen: Version,
        access: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        self.store.open_seen(file, seen, access)
    }

    fn open_listed(
        &self,
        folder: &Name,
        listed: &Listed,
        access: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        self.store.open_listed(folder, listed, access)
    }

    fn ask_all(&self, asked: &[Ask]) -> Vec<Result<Answer, StoreError>> {
        let place = asked.iter().position(|ask| *ask == Ask::Entries(Name::root()));
        let Some((place, listed)) = place.and_then(|place| Some((place, self.take()?))) else {
            return self.store.ask_all(asked);
        };
        let others = [&asked[..place], &asked[place + 1..]].concat();
        // What asks nothing is no round.
        let mut answers = if others.is_empty() { Vec::new() } else { self.store.ask_all(&others) };
        answers.insert(place, Ok(Answer::Entries(listed)));
        answers
    }

    fn bring(&self, wanted: &[Wanted]) -> bool {
        self.store.bring(wanted)
    }

    fn is_far(&self) -> bool {
        self.store.is_far()
    }

    fn map(&self, file: &Name) -> Result<Option<WholeFile>, StoreError> {
        self.store.map(file)
    }

    fn read_at(&self, file: &Name, at: u64, out: &mut [u8]) -> Result<(), StoreError> {
        self.store.read_at(file, at, out)
    }

    fn read(&self, file: &Name, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        self.store.read(file, len_max, out)
    }

    fn read_rest(&self, file: &Name, at: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        self.store.read_rest(file, at, out)
    }

    fn show(&self, name: &Name) -> PathBuf {
        self.store.show(name)
    }

    fn writer(&self) -> Option<&dyn WriteStore> {
        self.store.writer()
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::MemoryStore;
    use super::super::write::Replace;
    use super::*;

    #[test]
    fn the_first_to_list_gets_what_was_seen_and_the_next_what_is_there() {
        let store = MemoryStore::new(1);
        let name = |text: &str| Name::new(text).expect("a name");
        store.put(&name("a"), b"one", Replace::Any).expect("put");
        let listed = store.list(&Name::root()).expect("listed");
        let seen = Seen::of(Arc::new(store.clone()), listed);
        store.put(&name("b"), b"two", Replace::Any).expect("put");
        store.fail(None);
        let count = || seen.list(&Name::root()).expect("listed").len();
        assert_eq!((count(), store.counts().requests), (1, 0));
        assert_eq!((count(), store.counts().requests), (2, 1));
        let seen = Seen::of(Arc::new(store.clone()), Vec::new());
        store.fail(None);
        let asked = [Ask::Entries(Name::root()), Ask::Entries(Name::root())];
        let counts = seen.ask_all(&asked).into_iter().map(|answer| match answer {
            Ok(Answer::Entries(listed)) => listed.len(),
            other => panic!("{other:?}"),
        });
        assert_eq!(counts.collect::<Vec<_>>(), [0, 2]);
    }
}

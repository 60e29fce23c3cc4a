//! A folder of a store, as a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_core::watch::Meter;

use super::ask::{Answer, Ask, Wanted};
use super::error::StoreError;
use super::listed::Listed;
use super::name::Name;
use super::read::{Access, Look, Store, WholeFile, writer_of};
use super::version::Version;
use super::write::{Replace, WriteStore};
use crate::pages::ByteSource;

/// What lies below a folder of another store, whose counts and connections it shares.
#[derive(Clone, Debug)]
pub struct Below {
    store: Arc<dyn Store>,
    folder: Name,
}

impl Below {
    /// The folder of a store; the store's own is the store itself.
    pub fn of(store: Arc<dyn Store>, folder: Name) -> Arc<dyn Store> {
        if folder == Name::root() { store } else { Arc::new(Below { store, folder }) }
    }

    fn full(&self, name: &Name) -> Name {
        let text = name.as_str();
        if text.is_empty() {
            return self.folder.clone();
        }
        self.folder.join(text).expect("a name below a folder is a name")
    }
}

impl Store for Below {
    fn list(&self, folder: &Name) -> Result<Vec<Listed>, StoreError> {
        self.store.list(&self.full(folder))
    }

    fn look(&self, name: &Name) -> Result<Look, StoreError> {
        self.store.look(&self.full(name))
    }

    fn open(&self, file: &Name, access: Access) -> Result<Box<dyn ByteSource>, StoreError> {
        self.store.open(&self.full(file), access)
    }

    fn open_seen(
        &self,
        file: &Name,
        seen: Version,
        access: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        self.store.open_seen(&self.full(file), seen, access)
    }

    fn bring(&self, wanted: &[Wanted]) -> bool {
        let full = |one: &Wanted| Wanted { file: self.full(&one.file), ..one.clone() };
        self.store.bring(&wanted.iter().map(full).collect::<Vec<_>>())
    }

    fn is_far(&self) -> bool {
        self.store.is_far()
    }

    fn ask_all(&self, asked: &[Ask]) -> Vec<Result<Answer, StoreError>> {
        let asked: Vec<_> = asked.iter().map(|asked| asked.of(self.full(asked.name()))).collect();
        self.store.ask_all(&asked)
    }

    fn open_listed(
        &self,
        folder: &Name,
        listed: &Listed,
        access: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        self.store.open_listed(&self.full(folder), listed, access)
    }

    fn map(&self, file: &Name) -> Result<Option<WholeFile>, StoreError> {
        self.store.map(&self.full(file))
    }

    fn read_at(&self, file: &Name, at: u64, out: &mut [u8]) -> Result<(), StoreError> {
        self.store.read_at(&self.full(file), at, out)
    }

    fn read(&self, file: &Name, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        self.store.read(&self.full(file), len_max, out)
    }

    fn read_rest(&self, file: &Name, at: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        self.store.read_rest(&self.full(file), at, out)
    }

    fn show(&self, name: &Name) -> PathBuf {
        self.store.show(&self.full(name))
    }

    fn writer(&self) -> Option<&dyn WriteStore> {
        self.store.writer().map(|_| self as &dyn WriteStore)
    }
}

impl WriteStore for Below {
    fn put(&self, file: &Name, bytes: &[u8], replace: Replace) -> Result<Version, StoreError> {
        writer_of(&*self.store)?.put(&self.full(file), bytes, replace)
    }

    fn put_file(
        &self,
        file: &Name,
        source: &Path,
        replace: Replace,
        meter: &Meter<'_>,
    ) -> Result<Version, StoreError> {
        writer_of(&*self.store)?.put_file(&self.full(file), source, replace, meter)
    }

    fn remove(&self, file: &Name) -> Result<(), StoreError> {
        writer_of(&*self.store)?.remove(&self.full(file))
    }

    fn sweep(&self, folder: &Name, is_own: &dyn Fn(&str) -> bool) -> Result<(), StoreError> {
        writer_of(&*self.store)?.sweep(&self.full(folder), is_own)
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::MemoryStore;
    use super::*;

    fn name(text: &str) -> Name {
        Name::new(text).unwrap()
    }

    #[test]
    fn what_is_asked_at_once_is_one_round_of_the_store() {
        let store = MemoryStore::new(1);
        for file in ["a/b/one", "a/b/c/two", "a/three"] {
            store.put(&name(file), file.as_bytes(), Replace::Any).unwrap();
        }
        let below = Below::of(Arc::new(store.clone()), name("a"));
        store.fail(None);
        let asked = [
            Ask::Entries(name("b")),
            Ask::Below(Name::root()),
            Ask::Whole { file: name("three"), len_max: 100 },
            Ask::Range { file: name("b/one"), version: None, range: 2..5 },
            Ask::Beginning { folder: Name::root(), beginning: "b/c".to_owned() },
            Ask::Whole { file: name("gone"), len_max: 100 },
        ];
        let mut answers = below.ask_all(&asked);
        let counts = store.counts();
        assert_eq!((counts.rounds, counts.requests, counts.read_bytes), (1, 6, 10));
        assert!(answers.pop().unwrap().unwrap_err().is_missing());
        let answers: Vec<Answer> = answers.into_iter().map(Result::unwrap).collect();
        let Answer::Entries(entries) = &answers[0] else { panic!("{answers:?}") };
        assert_eq!(entries.len(), 2);
        let Answer::Below { files, is_whole: true } = &answers[1] else { panic!("{answers:?}") };
        let mut names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["b/c/two", "b/one", "three"]);
        let Answer::Below { files, is_whole: true } = &answers[4] else { panic!("{answers:?}") };
        assert!(files.len() == 1 && files[0].name == "b/c/two");
        assert_eq!(answers[2..4], [Answer::Bytes(b"a/three".into()), Answer::Bytes(b"b/o".into())]);
        let opened = below
            .open_seen(
                &name("three"),
                store.look(&name("a/three")).unwrap().version,
                Access::Mapped,
            )
            .unwrap();
        assert_eq!(opened.len(), 7);
        let read = below.read_all(&[name("three")], 100).pop().unwrap();
        assert_eq!(read.unwrap(), b"a/three");
        assert_eq!(below.list_all(&[name("b")]).pop().unwrap().unwrap().len(), 2);
    }

    #[test]
    fn names_are_those_below_the_folder() {
        let store = Arc::new(MemoryStore::new(1));
        for file in ["a/b/one", "a/b/c/two", "a/three"] {
            store.put(&name(file), file.as_bytes(), Replace::Any).unwrap();
        }
        let whole: Arc<dyn Store> = store;
        let below = Below::of(Arc::clone(&whole), name("a/b"));
        let mut listed = below.list(&Name::root()).unwrap();
        listed.sort_by(|one, other| one.name.cmp(&other.name));
        let names: Vec<_> = listed.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["c", "one"]);
        let mut bytes = Vec::new();
        below.read(&name("c/two"), 100, &mut bytes).unwrap();
        assert_eq!(bytes, b"a/b/c/two");
        assert_eq!(below.show(&name("one")), PathBuf::from("memory:a/b/one"));
        assert!(below.look(&name("three")).unwrap_err().is_missing());
        let own = Below::of(Arc::clone(&whole), Name::root());
        assert_eq!(own.look(&name("a/three")).unwrap().len, 7);
    }
}

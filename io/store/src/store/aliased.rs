//! Files of another store under names of their own, as a manifest lists them.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::error::StoreError;
use super::listed::Listed;
use super::name::Name;
use super::read::{Access, Look, Store, Wanted, WholeFile};
use super::version::Version;
use crate::entry::EntryKind;
use crate::pages::ByteSource;

/// A folder that lies nowhere: its files are those of another store that a manifest names, wherever
/// they lie. Listing it asks nothing of that store.
///
/// A file whose length is another than the manifest's is an error when it is looked at or opened.
#[derive(Clone, Debug)]
pub struct Aliased {
    store: Arc<dyn Store>,
    files: BTreeMap<String, Original>,
    shown: PathBuf,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// Name in the other store.
    pub name: Name,
    /// Length in bytes, by the manifest.
    pub len: u64,
    /// Its version, where a listing of the other store has it.
    pub version: Option<Version>,
}

impl Aliased {
    /// These files of a store. Messages call the folder `shown`, and its files by the names that
    /// they have in the store.
    pub fn new(store: Arc<dyn Store>, files: BTreeMap<String, Original>, shown: PathBuf) -> Self {
        Aliased { store, files, shown }
    }

    fn original(&self, name: &Name) -> Result<&Original, StoreError> {
        self.files.get(name.as_str()).ok_or_else(|| {
            let source = io::Error::new(io::ErrorKind::NotFound, "the manifest doesn't name it");
            StoreError { file: self.show(name), source }
        })
    }

    fn check_len(&self, original: &Original, len: u64) -> Result<(), StoreError> {
        if len == original.len {
            return Ok(());
        }
        let what = format!("{len} bytes; the manifest says {}", original.len);
        let source = io::Error::new(io::ErrorKind::InvalidData, what);
        Err(StoreError { file: self.store.show(&original.name), source })
    }
}

impl Store for Aliased {
    fn list(&self, folder: &Name) -> Result<Vec<Listed>, StoreError> {
        if *folder != Name::root() {
            self.original(folder)?;
            let source = io::Error::from(io::ErrorKind::NotADirectory);
            return Err(StoreError { file: self.show(folder), source });
        }
        let listed = |(name, original): (&String, &Original)| Listed {
            name: name.clone(),
            kind: EntryKind::File,
            len: Some(original.len),
            version: original.version,
        };
        Ok(self.files.iter().map(listed).collect())
    }

    fn look(&self, name: &Name) -> Result<Look, StoreError> {
        let original = self.original(name)?;
        let look = self.store.look(&original.name)?;
        self.check_len(original, look.len)?;
        Ok(look)
    }

    fn open(&self, file: &Name, access: Access) -> Result<Box<dyn ByteSource>, StoreError> {
        let original = self.original(file)?;
        let source = self.store.open(&original.name, access)?;
        self.check_len(original, source.len())?;
        Ok(source)
    }

    fn open_seen(
        &self,
        file: &Name,
        seen: Version,
        access: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        let original = self.original(file)?;
        self.check_len(original, seen.len())?;
        self.store.open_seen(&original.name, seen, access)
    }

    fn read_seen(&self, wanted: &[Wanted]) -> Vec<Result<Vec<u8>, StoreError>> {
        let original = |one: &Wanted| {
            let original = self.original(&one.file)?;
            self.check_len(original, one.version.len())?;
            Ok(Wanted { file: original.name.clone(), ..one.clone() })
        };
        let known: Vec<Result<Wanted, StoreError>> = wanted.iter().map(original).collect();
        let asked: Vec<Wanted> = known.iter().flatten().cloned().collect();
        let mut read = self.store.read_seen(&asked).into_iter();
        let answer = |known: Result<Wanted, _>| known.and_then(|_| read.next().expect("an answer"));
        known.into_iter().map(answer).collect()
    }

    fn map(&self, file: &Name) -> Result<Option<WholeFile>, StoreError> {
        let original = self.original(file)?;
        let whole = self.store.map(&original.name)?;
        if let Some(whole) = &whole {
            self.check_len(original, whole.version.len())?;
        }
        Ok(whole)
    }

    fn read_at(&self, file: &Name, at: u64, out: &mut [u8]) -> Result<(), StoreError> {
        self.store.read_at(&self.original(file)?.name, at, out)
    }

    fn read(&self, file: &Name, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let original = self.original(file)?;
        self.store.read(&original.name, len_max, out)?;
        self.check_len(original, out.len() as u64)
    }

    fn read_rest(&self, file: &Name, at: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        self.store.read_rest(&self.original(file)?.name, at, out)
    }

    fn show(&self, name: &Name) -> PathBuf {
        match self.files.get(name.as_str()) {
            Some(original) => self.store.show(&original.name),
            None if *name == Name::root() => self.shown.clone(),
            None => self.shown.join(name.as_str()),
        }
    }
}

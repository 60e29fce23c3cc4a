//! Files of another store under names of their own, as a manifest lists them.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::ask::{Answer, Ask};
use super::error::StoreError;
use super::listed::Listed;
use super::name::Name;
use super::read::{Access, Look, Store, WholeFile};
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

/// What becomes of a question.
enum Known<'a> {
    /// It is answered without the other store.
    Here(Answer),
    /// It is one of the other store's.
    Other(Ask, &'a Original),
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

    /// What is asked of the other store, or what is known without.
    fn known(&self, ask: &Ask) -> Result<Known<'_>, StoreError> {
        if let Ask::Entries(folder) | Ask::Below(folder) = ask {
            let files = self.list(folder)?;
            return Ok(Known::Here(match ask {
                Ask::Below(_) => Answer::Below { files, is_whole: true },
                _ => Answer::Entries(files),
            }));
        }
        let original = self.original(ask.name())?;
        if let Ask::Range { version: Some(version), .. } = ask {
            self.check_len(original, version.len())?;
        }
        Ok(Known::Other(ask.of(original.name.clone()), original))
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

    fn ask_all(&self, asked: &[Ask]) -> Vec<Result<Answer, StoreError>> {
        let known: Vec<_> = asked.iter().map(|ask| self.known(ask)).collect();
        let others = known.iter().filter_map(|known| match known {
            Ok(Known::Other(ask, _)) => Some(ask.clone()),
            _ => None,
        });
        let others: Vec<Ask> = others.collect();
        let mut answers =
            if others.is_empty() { Vec::new() } else { self.store.ask_all(&others) }.into_iter();
        let answer = |known: Result<Known<'_>, _>| match known? {
            Known::Here(answer) => Ok(answer),
            Known::Other(ask, original) => {
                let answer = answers.next().expect("an answer to each question")?;
                if let (Ask::Whole { .. }, Answer::Bytes(bytes)) = (&ask, &answer) {
                    self.check_len(original, bytes.len() as u64)?;
                }
                Ok(answer)
            }
        };
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

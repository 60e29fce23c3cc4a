//! Files in a folder of blocks, wherever it lies: in a local folder looked at as they are wanted,
//! elsewhere by one listing.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use manicule_store::Mapped;
use manicule_store::store::{Fetched, Listed, Name, StoreError};

use super::open::CHUNKS;

/// A folder.
#[derive(Debug)]
pub(crate) struct Folder {
    files: Fetched,
    name: Name,
    /// What lies in it; `None` of a local one.
    listed: Option<HashMap<String, Listed>>,
    /// Its folder of chunks, once it was listed.
    chunks: OnceCell<Rc<Folder>>,
}

/// A file or folder directly in a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'f> {
    folder: &'f Folder,
    name: &'f str,
}

impl Folder {
    /// A folder of a store. Elsewhere than in a local one it is listed.
    pub(crate) fn open(files: &Fetched, name: &Name) -> Result<Self, StoreError> {
        let listed = if files.is_in_place() { None } else { Some(files.store().list(name)?) };
        let by_name = |listed: Vec<Listed>| {
            listed.into_iter().map(|entry| (entry.name.clone(), entry)).collect()
        };
        let (files, name, listed) = (files.clone(), name.clone(), listed.map(by_name));
        Ok(Folder { files, name, listed, chunks: OnceCell::new() })
    }

    /// A local folder.
    pub(crate) fn local(path: &Path) -> Self {
        let (files, name) = (Fetched::local(path), Name::root());
        Folder { files, name, listed: None, chunks: OnceCell::new() }
    }

    /// Whether it is a local one.
    pub(crate) fn is_local(&self) -> bool {
        self.listed.is_none()
    }

    /// As messages have it.
    pub(crate) fn path(&self) -> PathBuf {
        self.files.store().show(&self.name)
    }

    /// A file or folder in it, be it there or not.
    pub(crate) fn part<'f>(&'f self, name: &'f str) -> Part<'f> {
        Part { folder: self, name }
    }

    /// A folder in it.
    pub(crate) fn folder(&self, name: &str) -> Result<Folder, StoreError> {
        Folder::open(&self.files, &self.part(name).full())
    }

    /// The folder of a block's chunks. It is listed once.
    pub(crate) fn chunks(&self) -> Result<Rc<Folder>, StoreError> {
        if let Some(known) = self.chunks.get() {
            return Ok(Rc::clone(known));
        }
        let chunks = Rc::new(self.folder(CHUNKS)?);
        Ok(Rc::clone(self.chunks.get_or_init(|| chunks)))
    }

    /// The names in it; none where it is missing.
    pub(crate) fn names(&self) -> Result<Vec<String>, StoreError> {
        match &self.listed {
            Some(listed) => Ok(listed.keys().cloned().collect()),
            None => match self.files.store().list(&self.name) {
                Err(error) if error.is_missing() => Ok(Vec::new()),
                listed => Ok(listed?.into_iter().map(|entry| entry.name).collect()),
            },
        }
    }
}

impl Part<'_> {
    fn full(&self) -> Name {
        self.folder.name.join(self.name).expect("parts of blocks have names")
    }

    /// As messages have it.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.files.store().show(&self.full())
    }

    /// The folder that it lies in.
    pub(crate) fn folder(&self) -> &Folder {
        self.folder
    }

    /// Whether it is there.
    pub(crate) fn exists(&self) -> bool {
        match &self.folder.listed {
            Some(listed) => listed.contains_key(self.name),
            None => self.folder.files.store().look(&self.full()).is_ok(),
        }
    }

    /// Its length in bytes; 0 of what can't be looked at.
    pub(crate) fn len(&self) -> u64 {
        let known = self.folder.listed.as_ref().map(|listed| listed.get(self.name)?.len);
        let look = || Some(self.folder.files.store().look(&self.full()).ok()?.len);
        known.unwrap_or_else(look).unwrap_or_default()
    }

    /// Its bytes, mapped.
    pub(crate) fn map(&self) -> io::Result<Mapped> {
        let whole = match self.known()? {
            Some(listed) => self.folder.files.map_listed(&self.folder.name, listed),
            None => self.folder.files.map(&self.full()),
        };
        Ok(whole.map_err(|error| error.source)?.bytes)
    }

    /// Its bytes, read.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        self.known()?;
        let mut bytes = Vec::new();
        let read = self.folder.files.store().read(&self.full(), u64::MAX, &mut bytes);
        read.map(|()| bytes).map_err(|error| error.source)
    }

    /// What a listing says of it; `None` where there is none.
    fn known(&self) -> io::Result<Option<&Listed>> {
        let Some(listed) = &self.folder.listed else { return Ok(None) };
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        listed.get(self.name).ok_or_else(missing).map(Some)
    }
}

//! Where SSTables are: a folder of a store, or one that is named by one of its files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_format_sstable::{Descriptor, UnreadVersion};
use manicule_store::EntryKind;
use manicule_store::store::{self, Ahead, Below, LocalStore, Name, Seen, Store};

use super::backup::{candidates, table_of};
use super::managed::{table_at, table_in};
use crate::RowsError;

/// A folder with SSTables, or a file of one.
#[derive(Clone, Debug)]
pub enum TablePlace {
    /// All SSTables of a store's own folder.
    Folder(Arc<dyn Store>),
    /// The SSTable that a file is of, which lies in a store's own folder.
    File(Arc<dyn Store>, PathBuf),
}

impl TablePlace {
    /// A local path; or a table of a backup, which its manifest has.
    ///
    /// # Errors
    /// A path where nothing is.
    pub fn local(path: &Path) -> Result<Self, RowsError> {
        let store = LocalStore::at(path).with_pipes();
        let seen = store.look(&Name::root());
        let is_folder = seen.as_ref().is_ok_and(|seen| seen.kind == EntryKind::Folder);
        if let Some(table) = table_of_backup(path, is_folder)? {
            return Ok(TablePlace::Folder(table));
        }
        if seen.is_err()
            && let Some(table) = table_of_file(path)?
        {
            return Ok(TablePlace::File(table, path.to_owned()));
        }
        seen?;
        if is_folder {
            return Ok(TablePlace::Folder(Arc::new(store)));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let store = LocalStore::at(folder.unwrap_or(Path::new("."))).with_pipes();
        Ok(TablePlace::File(Arc::new(store), path.to_owned()))
    }

    /// What a name leads to in a store where a round is dear and folders are beginnings of names;
    /// messages call it `path`. `listed` are the entries of that name, where they were listed a
    /// moment ago.
    ///
    /// Cost: a listing, and beside it one of each folder of a backup that it may name; of a table
    ///       of a backup its manifest and the folders of its files.
    pub fn far(
        store: &Arc<dyn Store>,
        name: &Name,
        path: &Path,
        listed: Option<Vec<store::Listed>>,
    ) -> Result<Self, RowsError> {
        let last = name.as_str().rsplit('/').next().unwrap_or_default();
        let is_file = Self::is_file(last);
        let folder = if is_file { name.parent().unwrap_or_default() } else { name.clone() };
        let place = |files| {
            if is_file {
                TablePlace::File(files, path.to_owned())
            } else {
                TablePlace::Folder(files)
            }
        };
        let shown = if is_file { path.parent().unwrap_or(path) } else { path };
        if let Some(table) = table_in(store, &folder, shown)? {
            return Ok(place(Ahead::over(table)));
        }
        let candidates = candidates(&folder);
        let metas: Vec<_> = candidates.iter().filter_map(|it| Some((it, it.meta()?))).collect();
        let own = listed.filter(|listed| !is_file && !listed.is_empty());
        let unlisted = own.is_none().then(|| folder.clone()).into_iter();
        let folders: Vec<Name> =
            unlisted.chain(metas.iter().map(|(_, meta)| meta.clone())).collect();
        let listed = if folders.is_empty() { Vec::new() } else { store.list_all(&folders) };
        let mut listed = listed.into_iter();
        let own = match own {
            Some(own) => own,
            None => listed.next().expect("a listing of each folder")?,
        };
        for ((candidate, _), meta) in metas.iter().zip(listed) {
            // What can't be listed is no backup: web servers have no empty folders.
            let meta = meta.unwrap_or_default();
            if let Some(table) = candidate.open(store, &own, &meta, shown)? {
                return Ok(place(Ahead::over(table)));
            }
        }
        Ok(place(Ahead::over(Seen::of(Below::of(Arc::clone(store), folder), own))))
    }

    /// Whether a name is one of an SSTable's file: in a store where folders are beginnings of names
    /// it says what is a file before anything is asked.
    pub fn is_file(name: &str) -> bool {
        Descriptor::parse(name).is_some() || UnreadVersion::of_name(name).is_some()
    }

    /// The place as messages have it.
    pub fn shown(&self) -> PathBuf {
        match self {
            TablePlace::Folder(store) => store.show(&Name::root()),
            TablePlace::File(_, path) => path.clone(),
        }
    }
}

/// The table of a backup that a path names.
fn table_of_backup(path: &Path, is_folder: bool) -> Result<Option<Arc<dyn Store>>, RowsError> {
    let managed = if is_folder { None } else { table_at(path)? };
    managed.map_or_else(|| table_of(path, is_folder), |table| Ok(Some(table)))
}

/// The table of a backup of which a path names a file.
fn table_of_file(path: &Path) -> Result<Option<Arc<dyn Store>>, RowsError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().filter(|_| TablePlace::is_file(&name));
    folder.map_or(Ok(None), |folder| table_of_backup(folder, false))
}

//! Named snapshots: manifests that are kept under a name, with all files that they name.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use manicule_format_leaf::manifest::Manifest;
use manicule_store::publish::{Aside, SHARED};
use manicule_store::{SharedFiles, list_names};

use crate::error::GraphError;

/// Folder of the manifests.
pub(super) const PIN_FOLDER: &str = "snapshots";
const ASIDE: &str = ".aside";
/// Maximum length of a name.
const NAME_LEN_MAX: usize = 100;

fn failed(path: &Path) -> impl Fn(io::Error) -> GraphError {
    move |source| GraphError::Io { file: path.to_owned(), source }
}

/// The file of a name; an error for what can't be one: letters, digits, `-`, `_` and dots, not
/// first.
pub(super) fn path_of(store: &Path, name: &str) -> Result<PathBuf, GraphError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_name = (1..=NAME_LEN_MAX).contains(&name.len())
        && name.bytes().all(is_plain)
        && !name.starts_with('.')
        && !name.ends_with(ASIDE);
    if is_name {
        return Ok(store.join(PIN_FOLDER).join(name));
    }
    Err(GraphError::SnapshotName { name: name.to_owned() })
}

/// Keeps a manifest under a name, which another one loses.
pub(super) fn pin(
    files: &SharedFiles,
    store: &Path,
    name: &str,
    manifest: &Manifest,
) -> Result<(), GraphError> {
    let path = path_of(store, name)?;
    let aside = store.join(PIN_FOLDER).join(format!("{name}{ASIDE}"));
    let put = || {
        let mut aside = Aside::create(files, &aside, SHARED)?;
        aside.file().write_all(&manifest.encode())?;
        aside.publish(&path)?;
        files.sync_folder(&store.join(PIN_FOLDER))
    };
    put().map_err(failed(&path))
}

/// Forgets a name. Whether there was one.
pub(super) fn unpin(files: &SharedFiles, store: &Path, name: &str) -> Result<bool, GraphError> {
    let path = path_of(store, name)?;
    if !path.is_file() {
        return Ok(false);
    }
    let folder = store.join(PIN_FOLDER);
    files.remove(&path).and_then(|()| files.sync_folder(&folder)).map_err(failed(&path))?;
    Ok(true)
}

/// The manifest of a name; none if there is no such name.
pub(super) fn pinned(store: &Path, name: &str) -> Result<Option<Manifest>, GraphError> {
    let path = path_of(store, name)?;
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.map_err(failed(&path))?,
    };
    let manifest = Manifest::decode(&bytes);
    manifest.map(Some).map_err(|source| GraphError::Damaged { file: path, source })
}

/// The names, in order.
pub(super) fn pin_names(store: &Path) -> Result<Vec<String>, GraphError> {
    let folder = store.join(PIN_FOLDER);
    let names = list_names(&folder).map_err(failed(&folder))?;
    let names = names.into_iter().filter_map(|name| name.name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| path_of(store, name).is_ok()).collect();
    names.sort();
    Ok(names)
}

/// The manifest of a name, or an error that says how one is made.
pub(super) fn named(store: &Path, name: &str) -> Result<Manifest, GraphError> {
    pinned(store, name)?.ok_or_else(|| {
        let why = format!("there is no snapshot {name:?}; `manicule graph snapshot` makes one");
        GraphError::Missing { place: store.to_owned(), why }
    })
}

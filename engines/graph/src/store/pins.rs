//! Named snapshots: manifests that are kept under a name, with all files that they name.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use manicule_format_leaf::manifest::Manifest;
use manicule_store::SharedFiles;
use manicule_store::publish::{Aside, SHARED};
use manicule_store::store::{Name, Store};

use crate::error::GraphError;

/// Folder of the manifests.
pub(super) const PIN_FOLDER: &str = "snapshots";
const ASIDE: &str = ".aside";
/// Maximum length of a name.
const NAME_LEN_MAX: usize = 100;

fn failed(path: &Path) -> impl Fn(io::Error) -> GraphError {
    move |source| GraphError::Io { file: path.to_owned(), source }
}

/// The file of a name; an error for what can't be one.
pub(super) fn path_of(store: &Path, name: &str) -> Result<PathBuf, GraphError> {
    check_name(name)?;
    Ok(store.join(PIN_FOLDER).join(name))
}

fn folder() -> Name {
    Name::new(PIN_FOLDER).expect("a name")
}

/// An error for what can't be a name: it is letters, digits, `-`, `_` and dots, not first.
fn check_name(name: &str) -> Result<(), GraphError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_name = (1..=NAME_LEN_MAX).contains(&name.len())
        && name.bytes().all(is_plain)
        && !name.starts_with('.')
        && !name.ends_with(ASIDE);
    if is_name {
        return Ok(());
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
pub(super) fn pinned(store: &dyn Store, name: &str) -> Result<Option<Manifest>, GraphError> {
    check_name(name)?;
    let file = folder().join(name).expect("what is checked is a name");
    let mut bytes = Vec::new();
    match store.read(&file, u64::MAX, &mut bytes) {
        Err(error) if error.is_missing() => return Ok(None),
        read => read?,
    }
    let manifest = Manifest::decode(&bytes);
    manifest.map(Some).map_err(|source| GraphError::Damaged { file: store.show(&file), source })
}

/// The names, in order.
pub(super) fn pin_names(store: &dyn Store) -> Result<Vec<String>, GraphError> {
    let names = store.list(&folder())?.into_iter().map(|entry| entry.name);
    let mut names: Vec<String> = names.filter(|name| check_name(name).is_ok()).collect();
    names.sort();
    Ok(names)
}

/// The manifest of a name, or an error that says how one is made.
pub(super) fn named(store: &dyn Store, name: &str) -> Result<Manifest, GraphError> {
    pinned(store, name)?.ok_or_else(|| {
        let why = format!("there is no snapshot {name:?}; `manicule graph snapshot` makes one");
        GraphError::Missing { place: store.show(&Name::root()), why }
    })
}

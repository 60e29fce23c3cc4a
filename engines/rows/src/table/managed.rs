//! Tables of a backup by ScyllaDB Manager, which are what its manifest says: their files lie in a
//! folder that all backups of the node share, beside files of others.
//!
//! `MANIFEST/KEYSPACE/TABLE` names a table of a backup, where `MANIFEST` is the manifest of a node
//! below `backup/meta/cluster`, as if it were a folder; a further name is the table's version.
//!
//! Bytes:   docs/formats/sstable.md, Backups

use std::collections::BTreeMap;
use std::path::{Path, absolute};
use std::sync::Arc;

use manicule_format_sstable::{Descriptor, ManagerTable, read_manager_manifest};
use manicule_store::store::{
    Aliased, Answer, Ask, Below, Listed, LocalStore, Name, Original, Store,
};

use crate::RowsError;
use crate::backups::MANIFEST_LEN_MAX;
use crate::manager::{MANIFESTS, ManifestName, Objects, UNFINISHED};

/// Number of the names of a manifest, from `backup` on.
const MANIFEST_NAMES: usize = 9;

/// A table of a backup that names lead to.
pub(super) struct Managed<'n> {
    manifest: String,
    name: ManifestName<'n>,
    keyspace: &'n str,
    table: &'n str,
    /// `None` where the backup has one version of it.
    version: Option<&'n str>,
}

/// The table that some names end with, and the number of those before it.
pub(super) fn managed<'n>(names: &[&'n str]) -> Option<(usize, Managed<'n>)> {
    [2, 3].into_iter().find_map(|below| {
        let before = names.len().checked_sub(MANIFEST_NAMES + below)?;
        let (manifest, table) = names[before..].split_at(MANIFEST_NAMES);
        let path = manifest.join("/");
        path.strip_prefix(MANIFESTS)?.strip_prefix('/')?;
        let name = ManifestName::parse(&manifest[MANIFEST_NAMES - 6..])?;
        let (keyspace, table, version) = (table[0], table[1], table.get(2).copied());
        // The name of a file is no version.
        if version.is_some_and(|version| Descriptor::parse(version).is_some()) {
            return None;
        }
        Some((before, Managed { manifest: path, name, keyspace, table, version }))
    })
}

/// The files of a local path that names a table of a backup; `None` for any other path, of which
/// nothing is looked at.
///
/// # Errors
/// Those of [`Managed::open`].
pub(super) fn table_at(path: &Path) -> Result<Option<Arc<dyn Store>>, RowsError> {
    let Ok(whole) = absolute(path) else { return Ok(None) };
    let last: Option<Vec<&str>> =
        whole.iter().rev().take(MANIFEST_NAMES + 3).map(|name| name.to_str()).collect();
    let Some(mut names) = last else { return Ok(None) };
    names.reverse();
    let Some((before, table)) = managed(&names) else { return Ok(None) };
    let Some(base) = whole.ancestors().nth(names.len() - before) else { return Ok(None) };
    table.open(Arc::new(LocalStore::at(base)), path).map(Some)
}

/// The files of a name that leads to a table of a backup in a store.
///
/// # Errors
/// Those of [`Managed::open`].
pub(super) fn table_in(
    store: &Arc<dyn Store>,
    folder: &Name,
    given: &Path,
) -> Result<Option<Arc<dyn Store>>, RowsError> {
    let names: Vec<&str> = folder.as_str().split('/').collect();
    let Some((before, table)) = managed(&names) else { return Ok(None) };
    let base = Name::new(&names[..before].join("/")).unwrap_or_default();
    table.open(Below::of(Arc::clone(store), base), given).map(Some)
}

/// The files of a folder among those below the one that it lies in.
fn in_folder(files: Vec<Listed>, folder: &str) -> Vec<Listed> {
    let own = |file: Listed| {
        let name = file.name.strip_prefix(folder)?.strip_prefix('/')?.to_owned();
        Some(Listed { name, ..file })
    };
    files.into_iter().filter_map(own).collect()
}

impl Managed<'_> {
    /// Its files, in a store where `backup` lies in its own folder.
    ///
    /// Cost: the manifest, and beside it a listing of the table's files.
    ///
    /// # Errors
    /// A backup that has not finished, a table that its manifest doesn't have or has in several
    /// versions, and a file that is not there.
    fn open(&self, base: Arc<dyn Store>, given: &Path) -> Result<Arc<dyn Store>, RowsError> {
        let missing = |why: String| RowsError::Missing { place: given.to_owned(), why };
        let named = |text: &str| {
            Name::new(text).ok_or_else(|| missing(format!("{text} is no name of a file")))
        };
        let manifest = named(&self.manifest)?;
        let folder = named(&self.name.table(self.keyspace, self.table))?;
        let whole = Ask::Whole { file: manifest.clone(), len_max: MANIFEST_LEN_MAX };
        let mut answers = base.ask_all(&[whole, Ask::Below(folder.clone())]).into_iter();
        let mut next = || answers.next().expect("an answer to each question");
        let bytes = match next() {
            Err(error) if error.is_missing() => {
                return Err(missing(self.why_missing(&*base, &manifest)));
            }
            answer => answer?.into_bytes(),
        };
        let tables = read_manager_manifest(&bytes, MANIFEST_LEN_MAX).map_err(|error| {
            RowsError::Contradicted { file: base.show(&manifest), what: error.to_string() }
        })?;
        let table = self.table_of(&tables).map_err(missing)?;
        let version = named(&format!("{}/{}", folder.as_str(), table.version))?;
        let listed = match next() {
            Err(error) if error.is_missing() => Vec::new(),
            Ok(Answer::Below { files, is_whole: true }) => in_folder(files, &table.version),
            answer => answer.and_then(|_| base.list(&version))?,
        };
        let files = self.files(&*base, table, &version, &listed)?;
        Ok(Arc::new(Aliased::new(base, files, given.to_owned())))
    }

    /// Why there is no manifest.
    fn why_missing(&self, base: &dyn Store, manifest: &Name) -> String {
        let unfinished = Name::new(&format!("{}{UNFINISHED}", self.manifest));
        let has_begun = unfinished.is_some_and(|unfinished| base.look(&unfinished).is_ok());
        let why = if has_begun { "the backup has not finished" } else { "no such backup" };
        format!("{why}, {} is not there", base.show(manifest).display())
    }

    /// The objects of a table's files, as its folder has them.
    fn files(
        &self,
        base: &dyn Store,
        table: &ManagerTable,
        version: &Name,
        listed: &[Listed],
    ) -> Result<BTreeMap<String, Original>, RowsError> {
        let objects = Objects::of(listed.iter().map(|entry| (entry.name.as_str(), entry)));
        let original = |file: &String| {
            let Some(entry) = objects.get(file, self.name.tag) else {
                let what = format!("{file} is not there, which the manifest names");
                return Err(RowsError::Contradicted { file: base.show(version), what });
            };
            let name = entry.file_in(version);
            let len = match entry.len {
                Some(len) => len,
                None => base.look(&name)?.len,
            };
            Ok((file.clone(), Original { name, len, version: entry.version }))
        };
        table.files.iter().map(original).collect()
    }

    /// The one table of a manifest that is named.
    fn table_of<'t>(&self, tables: &'t [ManagerTable]) -> Result<&'t ManagerTable, String> {
        let is_named = |table: &&ManagerTable| {
            table.keyspace == self.keyspace
                && table.table == self.table
                && self.version.is_none_or(|version| table.version == version)
        };
        let found: Vec<&ManagerTable> = tables.iter().filter(is_named).collect();
        if let [table] = found[..] {
            return Ok(table);
        }
        let all = if found.is_empty() { tables.iter().collect() } else { found };
        let names = all.iter().map(|it| format!("{}/{}/{}", it.keyspace, it.table, it.version));
        let names = names.collect::<Vec<_>>().join(", ");
        Err(format!("one table of the backup is wanted; it has {names}"))
    }
}

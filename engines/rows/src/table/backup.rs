//! Tables of a backup by Medusa, which are what its manifest says: of a differential backup their
//! files lie in a folder that all backups of the node share, beside files of others.
//!
//! ```text
//! PREFIX/NODE/BACKUP/meta/schema.cql         written first
//! PREFIX/NODE/BACKUP/meta/manifest.json      written last: without it the backup has not finished
//! PREFIX/NODE/BACKUP/data/KEYSPACE/TABLE-ID/ files of a full backup
//! PREFIX/NODE/data/KEYSPACE/TABLE-ID/        files of differential backups
//! ```
//!
//! `BACKUP/KEYSPACE/TABLE` and `BACKUP/data/KEYSPACE/TABLE-ID` name a table of a backup, whichever
//! of these folders there are; a further name below it a secondary index.
//!
//! Bytes:   docs/formats/sstable.md, Backups

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, absolute};
use std::sync::Arc;

use manicule_format_sstable::{MedusaTable, read_medusa_manifest};
use manicule_store::store::{Aliased, Below, Listed, LocalStore, Name, Original, Store};

use crate::RowsError;
use crate::backups::MANIFEST_LEN_MAX;

/// What a backup has last.
const MANIFEST: &str = "manifest.json";

/// What a backup has first, and a snapshot beside its SSTables.
const SCHEMA: &str = "schema.cql";

/// A table of a backup, by names.
#[derive(Clone, Copy, Debug)]
struct Wanted<'n> {
    keyspace: &'n str,
    table: &'n str,
    /// Folder of a secondary index in the table's; empty for the table itself.
    index: &'n str,
}

/// A backup of a node.
#[derive(Clone, Copy, Debug)]
struct Backup<'n> {
    /// The folder that the nodes' folders lie in.
    base: &'n Arc<dyn Store>,
    node: &'n str,
    name: &'n str,
}

/// The files of a local path that names a table of a backup; `None` for any other path, of which it
/// looks at one folder at most.
///
/// # Errors
/// A backup that has not finished, and a table that its manifest doesn't have.
pub(super) fn table_of(path: &Path, is_folder: bool) -> Result<Option<Arc<dyn Store>>, RowsError> {
    let Ok(whole) = absolute(path) else { return Ok(None) };
    let names: Vec<&str> = whole.iter().rev().take(4).map_while(|name| name.to_str()).collect();
    for (len, wanted) in ways(&names, is_folder) {
        let mut above = whole.ancestors().skip(len);
        let (Some(backup), Some(node), Some(base)) = (above.next(), above.next(), above.next())
        else {
            continue;
        };
        let name_of = |folder: &'_ Path| folder.file_name()?.to_str().map(str::to_owned);
        let (Some(name), Some(node)) = (name_of(backup), name_of(node)) else { continue };
        if !backup.join("meta").is_dir() {
            continue;
        }
        let base: Arc<dyn Store> = Arc::new(LocalStore::at(base));
        let backup = Backup { base: &base, node: &node, name: &name };
        if let Some(table) = backup.manifest(path)? {
            let mut files = backup.files(&table, wanted, path)?;
            files.extend(backup.schema()?);
            return Ok(Some(Arc::new(Aliased::new(base, files, path.to_owned()))));
        }
    }
    Ok(None)
}

/// A table of a backup that a name may lead to in a store where folders are beginnings of names.
pub(super) struct Candidate<'n> {
    wanted: Wanted<'n>,
    /// The folder that the nodes' folders lie in.
    base: Name,
    node: &'n str,
    name: &'n str,
    /// Whether it is what its manifest says even where a folder of that name has SSTables.
    goes_before_folder: bool,
}

impl Candidate<'_> {
    /// The folder that a backup is known by.
    pub(super) fn meta(&self) -> Option<Name> {
        self.base.join(&format!("{}/{}/meta", self.node, self.name))
    }

    /// Its files, if there is such a backup: by the listings of the name's own folder and of the
    /// backup's.
    ///
    /// Cost: the manifest is read, and the folders are listed in which its files lie.
    pub(super) fn open(
        &self,
        store: &Arc<dyn Store>,
        own: &[Listed],
        meta: &[Listed],
        given: &Path,
    ) -> Result<Option<Arc<dyn Store>>, RowsError> {
        let seen = |name: &str| meta.iter().find(|entry| entry.name == name);
        let is_backup = seen(MANIFEST).or(seen(SCHEMA)).is_some();
        if !is_backup || !(own.is_empty() || self.goes_before_folder) {
            return Ok(None);
        }
        let base = Below::of(Arc::clone(store), self.base.clone());
        let backup = Backup { base: &base, node: self.node, name: self.name };
        let Some(tables) = backup.manifest(given)? else { return Ok(None) };
        let mut files = backup.files(&tables, self.wanted, given)?;
        see_versions(&*base, &mut files)?;
        if let (Some(schema), Some(name)) = (seen(SCHEMA), backup.meta(SCHEMA)) {
            let (len, version) = (schema.len.unwrap_or_default(), schema.version);
            files.insert(SCHEMA.to_owned(), Original { name, len, version });
        }
        Ok(Some(Arc::new(Aliased::new(base, files, given.to_owned()))))
    }
}

/// The tables of backups that the name of a folder may lead to.
pub(super) fn candidates(folder: &Name) -> Vec<Candidate<'_>> {
    let names: Vec<&str> = folder.as_str().split('/').rev().collect();
    let last = &names[..names.len().min(4)];
    let candidate = |(len, wanted)| {
        let [name, node, above @ ..] = names.get(len..)? else { return None };
        let above: Vec<&str> = above.iter().rev().copied().collect();
        let base = if above.is_empty() { Name::root() } else { Name::new(&above.join("/"))? };
        let goes_before_folder = names[len - 1] == "data";
        Some(Candidate { wanted, base, node, name, goes_before_folder })
    };
    ways(last, false).into_iter().filter_map(candidate).collect()
}

/// Notes the versions of files that lie in other folders of a store, in one round of listings.
fn see_versions(
    store: &dyn Store,
    files: &mut BTreeMap<String, Original>,
) -> Result<(), RowsError> {
    let folders: BTreeSet<Name> =
        files.values().filter_map(|original| original.name.parent()).collect();
    let folders: Vec<Name> = folders.into_iter().collect();
    let mut versions = HashMap::new();
    for (folder, listed) in folders.iter().zip(store.list_all(&folders)) {
        let seen = listed?.into_iter().filter_map(|it| Some((it.file_in(folder), it.version?)));
        versions.extend(seen);
    }
    for original in files.values_mut() {
        original.version = versions.get(&original.name).copied();
    }
    Ok(())
}

/// The ways to read the last names of a path, last first, as a table of a backup: with the number
/// of those that are no part of the backup's own path.
fn ways<'n>(names: &[&'n str], is_folder: bool) -> Vec<(usize, Wanted<'n>)> {
    let of = |keyspace, table, index| Wanted { keyspace, table, index };
    let is_index = |name: &str| name.starts_with('.');
    let mut ways = Vec::new();
    match *names {
        [table, keyspace, "data", ..] => ways.push((3, of(keyspace, table, ""))),
        [index, table, keyspace, "data"] if is_index(index) => {
            ways.push((4, of(keyspace, table, index)));
        }
        _ => {}
    }
    match *names {
        [index, table, keyspace, ..] if !is_folder && is_index(index) => {
            ways.push((3, of(keyspace, table, index)));
        }
        [table, keyspace, ..] if !is_folder => ways.push((2, of(keyspace, table, ""))),
        _ => {}
    }
    ways
}

impl Backup<'_> {
    /// Its manifest; `None` where this is no backup.
    fn manifest(&self, given: &Path) -> Result<Option<Vec<MedusaTable>>, RowsError> {
        let Some(manifest) = self.meta(MANIFEST) else { return Ok(None) };
        let mut bytes = Vec::new();
        match self.base.read(&manifest, MANIFEST_LEN_MAX, &mut bytes) {
            Err(error) if error.is_missing() => {
                let has_begun = |first: Name| self.base.look(&first).is_ok();
                if !self.meta(SCHEMA).is_some_and(has_begun) {
                    return Ok(None);
                }
                let manifest = self.base.show(&manifest);
                let why =
                    format!("the backup has not finished, {} is not there", manifest.display());
                return Err(RowsError::Missing { place: given.to_owned(), why });
            }
            read => read?,
        }
        let tables = read_medusa_manifest(&bytes).map_err(|error| RowsError::Contradicted {
            file: self.base.show(&manifest),
            what: error.to_string(),
        })?;
        Ok(Some(tables))
    }

    /// The schema of all tables, as a snapshot has that of its own beside its SSTables.
    fn schema(&self) -> Result<Option<(String, Original)>, RowsError> {
        let Some(name) = self.meta(SCHEMA) else { return Ok(None) };
        match self.base.look(&name) {
            Err(error) if error.is_missing() => Ok(None),
            look => Ok(Some((SCHEMA.to_owned(), Original { len: look?.len, name, version: None }))),
        }
    }

    fn meta(&self, file: &str) -> Option<Name> {
        Name::new(&format!("{}/{}/meta/{file}", self.node, self.name))
    }

    /// The files of a table by their own names.
    fn files(
        &self,
        tables: &[MedusaTable],
        wanted: Wanted<'_>,
        given: &Path,
    ) -> Result<BTreeMap<String, Original>, RowsError> {
        let is_wanted = |table: &&MedusaTable| {
            table.keyspace == wanted.keyspace && table.is_called(wanted.table)
        };
        let found: Vec<&MedusaTable> = tables.iter().filter(is_wanted).collect();
        let [table] = found[..] else {
            let all = if found.is_empty() { tables.iter().collect() } else { found };
            let names = all.iter().map(|it| format!("{}/{}", it.keyspace, it.folder));
            let names = names.collect::<Vec<_>>().join(", ");
            let why = format!("one table of the backup is wanted; it has {names}");
            return Err(RowsError::Missing { place: given.to_owned(), why });
        };
        let mut files = BTreeMap::new();
        for object in &table.objects {
            let Some((index, file)) = below(&object.path, &table.folder) else {
                return Err(self.strange(&object.path));
            };
            if index == wanted.index {
                let name = self.object(&object.path).ok_or_else(|| self.strange(&object.path))?;
                files.insert(file.to_owned(), Original { name, len: object.size, version: None });
            }
        }
        Ok(files)
    }

    /// The name of an object, whose key has the prefix of the backups before the node.
    fn object(&self, key: &str) -> Option<Name> {
        let node = format!("{}/", self.node);
        let at = key.match_indices(&node).map(|(at, _)| at);
        let mut at = at.filter(|at| *at == 0 || key.as_bytes()[at - 1] == b'/');
        Name::new(&key[at.next()?..])
    }

    fn strange(&self, key: &str) -> RowsError {
        let file = self.meta(MANIFEST).map(|name| self.base.show(&name));
        let what = format!("{key}: no key of a file of a table of {}", self.node);
        RowsError::Contradicted { file: file.unwrap_or_default(), what }
    }
}

/// A key's part below its table's folder: the folder of a secondary index, or nothing, and the
/// file.
fn below<'k>(key: &'k str, folder: &str) -> Option<(&'k str, &'k str)> {
    let (_, below) = key.split_once(&format!("/{folder}/"))?;
    match below.rsplit_once('/') {
        Some((index, file)) => Some((index, file)),
        None => Some(("", below)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::table::{list, list_all};

    /// A differential backup of one table and its index, beside files of another backup.
    fn node() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |path: &str, bytes: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, bytes).expect("written");
        };
        let mut objects = Vec::new();
        for file in ["me-1-big", "me-2-big", ".i/me-7-big"] {
            for (component, bytes) in [("Data.db", "1234"), ("TOC.txt", "Data.db\nTOC.txt\n")] {
                let path = format!("n1/data/ks/t-0a/{file}-{component}");
                put(&format!("p/q/{path}"), bytes);
                if file != "me-1-big" {
                    let size = bytes.len();
                    objects
                        .push(format!(r#"{{"path": "p/q/{path}", "MD5": null, "size": {size}}}"#));
                }
            }
        }
        let objects = objects.join(", ");
        let table = r#""keyspace": "ks", "columnfamily": "t-0a""#;
        put("p/q/n1/b/meta/manifest.json", &format!(r#"[{{{table}, "objects": [{objects}]}}]"#));
        put("p/q/n1/b/meta/schema.cql", "");
        put("p/q/n1/late/meta/schema.cql", "");
        put("p/q/n1/late/data/ks/t-0a/me-3-big-Data.db", "");
        put("p/q/n1/late/data/ks/t-0a/me-3-big-TOC.txt", "Data.db\n");
        put("p/q/meta/other", "");
        folder
    }

    #[test]
    fn a_table_of_a_backup_has_the_files_of_its_manifest() {
        let folder = node();
        let node = folder.path().join("p/q/n1");
        let generations = |path: &str| -> Vec<String> {
            let (listed, left_out) = list(&node.join(path)).expect("a table");
            assert_eq!(left_out, []);
            assert_eq!(list_all(&node.join(path)).expect("a table").len(), listed.len());
            listed.into_iter().map(|it| it.descriptor.generation).collect()
        };
        for path in ["b/ks/t", "b/ks/t-0a", "b/data/ks/t", "b/data/ks/t-0a"] {
            assert_eq!(generations(path), ["2"], "{path}");
            assert_eq!(generations(&format!("{path}/.i")), ["7"], "{path}");
        }
        // Not by a backup: whatever lies there.
        assert_eq!(generations("data/ks/t-0a"), ["1", "2"]);
        let (listed, _) = list(&node.join("b/ks/t")).expect("a table");
        assert_eq!(listed[0].folder, node.join("b/ks/t"));
    }

    #[test]
    fn what_a_backup_does_not_have_is_an_error() {
        let folder = node();
        let node = folder.path().join("p/q/n1");
        let error = |path: &str| list(&node.join(path)).unwrap_err().to_string();
        for path in ["late/data/ks/t-0a", "late/ks/t"] {
            let error = error(path);
            assert!(error.contains("the backup has not finished"), "{error}");
            assert!(error.ends_with("late/meta/manifest.json is not there"), "{error}");
        }
        let none = error("b/ks/u");
        assert!(none.ends_with("one table of the backup is wanted; it has ks/t-0a"), "{none}");
        assert!(error("b/other/t").contains("it has ks/t-0a"));
        assert!(error("no/ks/t").contains("No such file"));
        // Shorter than the manifest says, and a manifest that is none.
        fs::write(node.join("data/ks/t-0a/me-2-big-TOC.txt"), "Data.db\n").expect("written");
        let short = error("b/ks/t");
        assert!(short.ends_with("me-2-big-TOC.txt: 8 bytes; the manifest says 16"), "{short}");
        fs::write(node.join("b/meta/manifest.json"), "[{]").expect("written");
        assert!(error("b/ks/t").contains("manifest.json: no manifest of a backup: key must be"));
    }
}

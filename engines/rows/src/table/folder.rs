//! Which files make up finished SSTables, and which are left out, and why.
//!
//! Bytes:   docs/formats/sstable.md, "Files"

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_format_sstable::{
    Component, Descriptor, Transaction, UnreadVersion, is_transaction_log, read_toc,
};
use manicule_store::EntryKind;
use manicule_store::store::{Name, Store};

use super::ahead::Files;
use super::bring::{Ahead, bring_listed};
use super::listed::{File, Listed, SNAPSHOT_SCHEMA, SchemaBeside, failed};
use super::table_place::TablePlace;
use crate::RowsError;

/// Files that are no finished SSTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// One of the files.
    pub path: PathBuf,
    /// Why, as a sentence.
    pub why: String,
    /// Whether the table is whole without it: by the log of a transaction it has been replaced, or
    /// what it replaces still stands.
    pub is_replaced: bool,
}

impl LeftOut {
    /// A part of a table that is missing.
    fn part(path: PathBuf, why: String) -> Self {
        LeftOut { path, why, is_replaced: false }
    }
}

/// The longest log of a transaction that is read: some ten thousand records.
const LOG_LEN_MAX: u64 = 4 << 20;

/// The longest TOC.txt that is read: a thousand names.
const TOC_LEN_MAX: u64 = 64 << 10;

/// The finished SSTables of a folder, ordered by version and generation, or the one of which `path`
/// is a file.
///
/// An SSTable named by its file is taken without TOC.txt too: files are copied without it. In a
/// folder one without it is a write that didn't end.
pub fn list(path: &Path) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    list_at(&TablePlace::local(path)?)
}

/// As [`list`], wherever the files are.
pub fn list_at(place: &TablePlace) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    list_for(place, Ahead::Everything)
}

/// As [`list_at`], for some questions.
pub(super) fn list_for(
    place: &TablePlace,
    ahead: Ahead,
) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    let listed = match place {
        TablePlace::Folder(store) => return in_folder(store, ahead),
        TablePlace::File(store, path) => of_file(store, path, ahead)?,
    };
    if listed.components.contains(&Component::Toc) {
        let there = listed.components.clone();
        return Ok((vec![with_toc(listed, &there)?.map_err(|out| missing(&out))?], Vec::new()));
    }
    Ok((vec![listed], Vec::new()))
}

/// The finished SSTables of a store's own folder, ordered by version and generation.
pub fn list_in(store: &Arc<dyn Store>) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    in_folder(store, Ahead::Everything)
}

fn in_folder(
    store: &Arc<dyn Store>,
    ahead: Ahead,
) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    // What vanished while it was listed has been replaced.
    match list_folder(store, ahead) {
        Err(error) if error.is_vanished() => list_folder(store, ahead),
        listed => listed,
    }
}

/// The SSTables of a folder, ordered by version and generation, or the one of which `path` is a
/// file, with the components that are there: whether it is finished or not, and whatever TOC.txt
/// says.
pub fn list_all(path: &Path) -> Result<Vec<Listed>, RowsError> {
    list_all_at(&TablePlace::local(path)?)
}

/// As [`list_all`], wherever the files are.
pub fn list_all_at(place: &TablePlace) -> Result<Vec<Listed>, RowsError> {
    match place {
        TablePlace::Folder(store) => list_all_in(store),
        TablePlace::File(store, path) => Ok(vec![of_file(store, path, Ahead::Everything)?]),
    }
}

/// As [`list_all`], of a store's own folder.
pub fn list_all_in(store: &Arc<dyn Store>) -> Result<Vec<Listed>, RowsError> {
    let mut found = all_of_folder(store, Ahead::Everything)?.found;
    sort(&mut found);
    Ok(found)
}

/// As [`list_all_at`], but those of a folder that don't count by the log of a transaction are left
/// out.
pub fn list_standing_at(place: &TablePlace) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    let store = match place {
        TablePlace::Folder(store) => store,
        TablePlace::File(store, path) => {
            return Ok((vec![of_file(store, path, Ahead::Everything)?], Vec::new()));
        }
    };
    let AllFound { found: mut listed, logs, .. } = all_of_folder(store, Ahead::Everything)?;
    sort(&mut listed);
    let (obsolete, mut left_out) = (obsolete(store, &logs)?, Vec::new());
    listed.retain(|listed| match obsolete.get(&listed.descriptor.to_string()) {
        Some(why) => {
            left_out.push(replaced(listed, why));
            false
        }
        None => true,
    });
    Ok((listed, left_out))
}

/// The SSTable of which `path` is a file in a store, with the components that are there.
fn of_file(store: &Arc<dyn Store>, path: &Path, ahead: Ahead) -> Result<Listed, RowsError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(unread) = UnreadVersion::of_name(&name) {
        return Err(unsupported(path, &unread));
    }
    let Some((descriptor, _)) = Descriptor::parse(&name) else {
        let why = "not a file of an SSTable: its name would be VERSION-GENERATION-big-Data.db";
        return Err(RowsError::Missing { place: path.to_owned(), why: why.to_owned() });
    };
    let mut names = names(store)?;
    let files = names.found.remove(&descriptor.to_string()).unwrap_or_default();
    let listed = Listed::of(store, descriptor, files, names.schema);
    bring_listed(&**store, &[listed.files()], ahead, listed.wanted_schema());
    Ok(listed)
}

fn unsupported(path: &Path, unread: &UnreadVersion) -> RowsError {
    RowsError::Unsupported { file: path.to_owned(), what: unread.to_string() }
}

/// What a folder has.
struct AllFound {
    /// SSTables with the components that are there.
    found: Vec<Listed>,
    /// The data of those of versions that aren't read.
    left_out: Vec<LeftOut>,
    /// Names of the logs of transactions.
    logs: Vec<String>,
}

/// Everything in a folder. An error where there are only versions that aren't read.
fn all_of_folder(store: &Arc<dyn Store>, ahead: Ahead) -> Result<AllFound, RowsError> {
    let Names { found, unread, logs, schema } = names(store)?;
    if let (true, Some((path, version))) = (found.is_empty(), unread.first()) {
        return Err(unsupported(path, version));
    }
    let listed = found.into_iter().filter_map(|(name, files)| {
        let (descriptor, _) = Descriptor::parse(&format!("{name}-Data.db"))?;
        Some(Listed::of(store, descriptor, files, schema))
    });
    let found: Vec<Listed> = listed.collect();
    let files: Vec<Files<'_>> = found.iter().map(Listed::files).collect();
    bring_listed(&**store, &files, ahead, found.first().and_then(Listed::wanted_schema));
    let unread = unread.into_iter();
    let unread = unread.map(|(path, version)| LeftOut::part(path, version.to_string()));
    Ok(AllFound { found, left_out: unread.collect(), logs })
}

fn sort(found: &mut [Listed]) {
    let number = |listed: &Listed| listed.descriptor.generation.parse::<u64>().ok();
    found.sort_by(|left, right| {
        let name = |listed: &Listed| listed.descriptor.to_string();
        number(left).cmp(&number(right)).then_with(|| name(left).cmp(&name(right)))
    });
}

fn list_folder(
    store: &Arc<dyn Store>,
    ahead: Ahead,
) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    let AllFound { found: all, mut left_out, logs } = all_of_folder(store, ahead)?;
    let (obsolete, mut found) = (obsolete(store, &logs)?, Vec::new());
    for listed in all {
        if let Some(why) = obsolete.get(&listed.descriptor.to_string()) {
            left_out.push(replaced(&listed, why));
        } else if listed.components.contains(&Component::Toc) {
            let there = listed.components.clone();
            match with_toc(listed, &there)? {
                Ok(listed) => found.push(listed),
                Err(out) => left_out.push(out),
            }
        } else {
            let path = listed.path(&listed.components[0]);
            let why = "not finished: TOC.txt, which is written last, is not there".to_owned();
            left_out.push(LeftOut::part(path, why));
        }
    }
    sort(&mut found);
    Ok((found, left_out))
}

/// What the names of a folder say.
#[derive(Default)]
struct Names {
    /// Files by what the names of an SSTable's files share.
    found: BTreeMap<String, Vec<File>>,
    /// Data of versions that aren't read.
    unread: Vec<(PathBuf, UnreadVersion)>,
    /// Names of the logs of transactions.
    logs: Vec<String>,
    schema: SchemaBeside,
}

/// Why an SSTable doesn't count, by what the names of its files share: servers of Cassandra remove
/// such when they start.
fn obsolete(
    store: &Arc<dyn Store>,
    logs: &[String],
) -> Result<BTreeMap<String, String>, RowsError> {
    let mut obsolete = BTreeMap::new();
    for log in logs {
        let Some(name) = Name::new(log) else { continue };
        let len = store.look(&name)?.len;
        if len > LOG_LEN_MAX {
            let file = store.show(&name);
            let what = format!("it has {len} bytes, more than the {LOG_LEN_MAX} that are read");
            return Err(RowsError::Unsupported { file, what });
        }
        let mut bytes = Vec::new();
        store.read(&name, LOG_LEN_MAX, &mut bytes)?;
        let transaction = Transaction::read(&String::from_utf8_lossy(&bytes));
        let why = if transaction.is_committed {
            format!("replaced by the transaction of {log}, which has ended")
        } else {
            format!("written by the transaction of {log}, which has not ended")
        };
        for table in transaction.obsolete() {
            obsolete.insert(table.clone(), why.clone());
        }
    }
    Ok(obsolete)
}

fn replaced(listed: &Listed, why: &str) -> LeftOut {
    let path = listed.path(&listed.components[0]);
    LeftOut { path, why: why.to_owned(), is_replaced: true }
}

fn names(store: &Arc<dyn Store>) -> Result<Names, RowsError> {
    let mut names = Names::default();
    if store.is_far() {
        names.schema = SchemaBeside::Absent;
    }
    for entry in store.list(&Name::root())? {
        let name = entry.name;
        let path = || store.show(&Name::root()).join(&name);
        if let Some((descriptor, component)) = Descriptor::parse(&name) {
            let is_known = !matches!(component, Component::Other(_));
            if is_known && entry.kind == EntryKind::Folder {
                let source = io::Error::new(
                    io::ErrorKind::IsADirectory,
                    "a folder, where a file of an SSTable belongs",
                );
                return Err(failed(path(), source));
            }
            let file = File { component, version: entry.version };
            names.found.entry(descriptor.to_string()).or_default().push(file);
        } else if name == SNAPSHOT_SCHEMA {
            let seen = entry.version.filter(|_| store.is_far());
            names.schema = seen.map_or(SchemaBeside::Unknown, SchemaBeside::There);
        } else if is_transaction_log(&name) {
            names.logs.push(name);
        } else if name.ends_with("-Data.db")
            && let Some(version) = UnreadVersion::of_name(&name)
        {
            names.unread.push((path(), version));
        }
    }
    names.unread.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(names)
}

/// An SSTable with the components of its TOC.txt, if they are all there.
fn with_toc(listed: Listed, there: &[Component]) -> Result<Result<Listed, LeftOut>, RowsError> {
    let path = listed.path(&Component::Toc);
    let len = listed.len_of(&Component::Toc)?;
    if len > TOC_LEN_MAX {
        let why = format!("TOC.txt has {len} bytes, more than the {TOC_LEN_MAX} that are read");
        return Ok(Err(LeftOut::part(path, why)));
    }
    let bytes = listed.read(&Component::Toc, TOC_LEN_MAX)?;
    let mut components = match read_toc(&bytes) {
        Ok(components) => components,
        Err(error) => return Ok(Err(LeftOut::part(path, error.to_string()))),
    };
    if !components.contains(&Component::Data) {
        let why = "not whole: TOC.txt doesn't name Data.db".to_owned();
        return Ok(Err(LeftOut::part(path, why)));
    }
    // A reader does without these, and a server makes them again: what is there counts.
    let is_needless = |component: &Component| {
        matches!(component, Component::Summary | Component::Filter | Component::Digest)
    };
    components.retain(|component| !is_needless(component));
    components.extend(there.iter().filter(|component| is_needless(component)).cloned());
    let not_whole = |why: String| Err(LeftOut::part(path.clone(), format!("not whole: {why}")));
    let is_named = |component: &&Component| components.contains(component);
    if let Some(absent) = components.iter().find(|component| !there.contains(component)) {
        return Ok(not_whole(format!("{absent} is not there")));
    }
    let unnamed = there.iter().find(|component| {
        !is_named(component) && !matches!(component, Component::Toc | Component::Other(_))
    });
    Ok(match unnamed {
        Some(unnamed) => not_whole(format!("{unnamed} is there, and TOC.txt doesn't name it")),
        None => Ok(Listed { components, ..listed }),
    })
}

fn missing(out: &LeftOut) -> RowsError {
    RowsError::Missing { place: out.path.clone(), why: out.why.clone() }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn put(folder: &Path, name: &str, bytes: &str) {
        fs::write(folder.join(name), bytes).unwrap();
    }

    #[test]
    fn what_is_not_finished_is_left_out_and_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for generation in [1, 2, 10] {
            put(path, &format!("me-{generation}-big-Data.db"), "");
            put(path, &format!("me-{generation}-big-TOC.txt"), "TOC.txt\nData.db\n");
        }
        put(path, "me-3-big-Data.db", "");
        put(path, "me-3-big-TOC.txt.tmp", "Data.db\n");
        put(path, "me-4-big-TOC.txt", "Data.db\nTOC.txt\n");
        put(path, "me-20-big-Data.db", "");
        put(path, "me-20-big-TOC.txt", "TOC.txt\nData.db\nSummary.db\nFilter.db\n");
        put(path, "manifest.json", "{}");
        let (listed, left_out) = list(path).unwrap();
        let names: Vec<_> = listed.iter().map(|listed| listed.descriptor.to_string()).collect();
        assert_eq!(names, ["me-1-big", "me-2-big", "me-10-big", "me-20-big"]);
        for listed in [&listed[0], &listed[3]] {
            assert_eq!(listed.components, [Component::Toc, Component::Data]);
        }
        let why: Vec<_> = left_out.iter().map(|out| out.why.as_str()).collect();
        let unfinished = "not finished: TOC.txt, which is written last, is not there";
        assert_eq!(why, [unfinished, "not whole: Data.db is not there"]);
        let (alone, _) = list(&path.join("me-3-big-Data.db")).unwrap();
        assert_eq!(alone[0].descriptor.generation, "3");
        assert!(alone[0].components.contains(&Component::Data));
        assert!(matches!(list(&path.join("me-4-big-TOC.txt")), Err(RowsError::Missing { .. })));
        assert!(matches!(list(&path.join("manifest.json")), Err(RowsError::Missing { .. })));
        let all: Vec<_> = list_all(path).unwrap();
        let all: Vec<_> = all.iter().map(|listed| listed.descriptor.generation.as_str()).collect();
        assert_eq!(all, ["1", "2", "3", "4", "10", "20"]);
    }

    #[test]
    fn what_a_transaction_leaves_behind_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for generation in 1..=3 {
            put(path, &format!("nb-{generation}-big-Data.db"), "");
            put(path, &format!("nb-{generation}-big-TOC.txt"), "TOC.txt\nData.db\n");
        }
        put(path, "nb-4-big-Data.db", "");
        let record = |word: &str, path: &str| {
            let mut sum = crc32fast::Hasher::new();
            [path.as_bytes(), word.as_bytes(), &[0; 12]].iter().for_each(|part| sum.update(part));
            format!("{word}:[{path},0,0][{}]\n", sum.finalize())
        };
        let [replaced, added] = [record("REMOVE", "/d/nb-1-big-"), record("ADD", "/d/nb-4-big-")];
        for (end, want) in [("", ["1", "2", "3"].as_slice()), ("COMMIT", &["2", "3"])] {
            let end = if end.is_empty() { String::new() } else { record(end, "") };
            put(path, "nb_txn_compaction_1.log", &format!("{added}{replaced}{end}"));
            let (listed, left_out) = list(path).unwrap();
            let names: Vec<_> =
                listed.iter().map(|listed| listed.descriptor.generation.as_str()).collect();
            assert_eq!(names, want);
            let obsolete: Vec<_> = left_out.iter().filter(|out| out.is_replaced).collect();
            assert!(obsolete[0].why.contains("the transaction of nb_txn_compaction_1.log, which"));
            let (standing, replaced) = list_standing_at(&TablePlace::local(path).unwrap()).unwrap();
            assert_eq!((standing.len(), replaced.len()), (3, 1), "{replaced:?}");
        }
    }

    #[test]
    fn a_folder_is_no_component_and_a_table_of_contents_names_the_data() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        put(path, "me-1-big-Data.db", "");
        put(path, "me-1-big-CompressionInfo.db", "");
        for toc in ["Data.db\nTOC.txt\n", "Data.db\nTOC.txt\nCompressionInf"] {
            put(path, "me-1-big-TOC.txt", toc);
            let (listed, left_out) = list(path).unwrap();
            assert!(listed.is_empty() && left_out[0].why.starts_with("not whole: Compr"));
        }
        let whole = "Data.db\nCompressionInfo.db\n";
        put(path, "me-1-big-TOC.txt", whole);
        put(path, "me-1-big-Filter.db", "");
        assert!(list(path).unwrap().0[0].components.contains(&Component::Filter));
        fs::remove_file(path.join("me-1-big-CompressionInfo.db")).unwrap();
        for toc in ["", "TOC.txt\nIndex.db\n"] {
            put(path, "me-1-big-TOC.txt", toc);
            let (listed, left_out) = list(path).unwrap();
            assert_eq!(listed, []);
            assert_eq!(left_out[0].why, "not whole: TOC.txt doesn't name Data.db");
        }
        fs::create_dir(path.join("me-1-big-Index.db")).unwrap();
        let error = list(path).unwrap_err().to_string();
        assert!(error.ends_with("me-1-big-Index.db: a folder, where a file of an SSTable belongs"));
    }

    #[test]
    fn versions_that_are_not_read_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        put(path, "ks-t-ka-1-Data.db", "");
        put(path, "ks-t-ka-1-TOC.txt", "");
        for path in [path.to_owned(), path.join("ks-t-ka-1-TOC.txt")] {
            let error = list(&path).unwrap_err();
            assert!(matches!(error, RowsError::Unsupported { .. }), "{error}");
            assert!(error.to_string().contains("version ka, of Cassandra 2.1"), "{error}");
        }
        put(path, "me-1-big-Data.db", "");
        put(path, "me-1-big-TOC.txt", "Data.db\n");
        let (listed, left_out) = list(path).unwrap();
        assert_eq!((listed.len(), left_out.len()), (1, 1));
    }
}

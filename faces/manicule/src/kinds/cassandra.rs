//! SSTables of Cassandra and ScyllaDB: folders of a table, and files of one by themselves.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_rows::inspect::outline;
use manicule_rows::signs;
use manicule_store::NamedEntry;

use super::address::ListedNames;
use super::kind::Kind;
use super::names::Names;
use super::reader::{Call, Place, Reader, no_parts};
use super::row::{KindRow, SystemRow};
use super::signs::Signs;
use super::system::System;
use crate::catalog::rows as tables;
use crate::find::kinds::{Places, Table as Searched};
use crate::inspect::{Error, IndexFile, Inspected, Verified};
use crate::place::{is_address, map};
use crate::rows::{self, OpenCall, Table, VerifyCall};

impl Kind {
    /// A folder of a table's SSTables.
    pub const SSTABLE_FOLDER: Kind =
        Kind::new("sstable-folder", "a folder of SSTables", System::CASSANDRA).ranked(4);
    /// One component of an SSTable.
    pub const SSTABLE_COMPONENT: Kind =
        Kind::new("sstable-component", "an SSTable file", System::CASSANDRA);
}

/// Cassandra and ScyllaDB.
pub(super) static ROW: SystemRow = SystemRow {
    system: System::CASSANDRA,
    signs: &Cassandra,
    kinds: &[
        KindRow { kind: Kind::SSTABLE_FOLDER, reader: FOLDER },
        KindRow { kind: Kind::SSTABLE_COMPONENT, reader: COMPONENT },
    ],
    searched: Some(|| Box::<Places<Searched>>::default()),
    tables: &[
        &tables::BACKUPS,
        &tables::CELLS,
        &tables::PARTITIONS,
        &tables::ROWS,
        &tables::SSTABLES,
    ],
};

struct Cassandra;

impl Signs for Cassandra {
    fn of_name(&self, path: &Path) -> Option<Kind> {
        let is_one = if is_address(path) {
            path.file_name().is_some_and(|name| signs::is_component_name(name.as_bytes()))
        } else {
            signs::is_given_component(path)
        };
        is_one.then_some(Kind::SSTABLE_COMPONENT)
    }

    fn searched_file(&self, path: &Path, name: &[u8]) -> Option<Kind> {
        let is_one = || is_address(path) || signs::is_component(path);
        let is_data = signs::is_data_name(name) && is_one();
        is_data.then_some(Kind::SSTABLE_COMPONENT)
    }

    fn takes_name(&self, name: &[u8]) -> bool {
        signs::is_component_name(name)
    }

    fn proven(&self, _: &Path, names: &Names) -> Vec<Kind> {
        let mut tables = names.paths(signs::is_data_name).take(signs::TABLES_MAX);
        // Two of the main components prove one that lacks the third, or whose list is damaged.
        let is_folder = tables.any(|path| signs::is_component(&path))
            || names.any(signs::is_main_name, signs::is_given_component);
        is_folder.then_some(Kind::SSTABLE_FOLDER).into_iter().collect()
    }

    fn given(&self, _: &Path, names: &Names, proven: &[Kind]) -> Vec<Kind> {
        let is_given = || names.any(signs::is_main_name, signs::is_given_component);
        let is_folder = !proven.is_empty() || is_given();
        is_folder.then_some(Kind::SSTABLE_FOLDER).into_iter().collect()
    }

    fn listed(&self, names: ListedNames<'_>) -> Vec<Kind> {
        let has = |name: &str| names.has_file(name);
        let mut main = names.files().filter(|name| signs::is_main_name(name.as_bytes()));
        let is_folder = main.any(|name| signs::is_given_among(name, &has));
        is_folder.then_some(Kind::SSTABLE_FOLDER).into_iter().collect()
    }

    fn owns(&self, _: &Path, entry: &NamedEntry, proven: &[Kind]) -> bool {
        let is_folder = proven.contains(&Kind::SSTABLE_FOLDER);
        is_folder && signs::is_component_name(entry.name.as_bytes())
    }

    fn noticed_endings(&self) -> &'static [&'static str] {
        &[signs::DATA_ENDING]
    }

    fn may_be_noticed(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| signs::is_data_name(name.as_bytes()))
    }

    fn passed(&self, path: &Path) -> Option<(Kind, PathBuf)> {
        let is_data = self.may_be_noticed(path) && signs::is_component(path);
        Some((Kind::SSTABLE_COMPONENT, path.parent().filter(|_| is_data)?.to_owned()))
    }
}

fn verify(
    place: &Place,
    call: &Call<'_>,
    failed: &mut dyn FnMut(Error),
) -> Result<Verified, Error> {
    let failed = &mut |error| failed(Error::Rows(error));
    rows::verify(&VerifyCall::new(place.path.clone()), call.watch, failed).map_err(Error::Rows)
}

fn inspect_sstables(place: &Place, call: &Call<'_>) -> Result<Inspected, Error> {
    let table = Table::open(&OpenCall::new(place.path.clone()));
    let inspected = table.and_then(|table| table.inspect(call.key, call.watch));
    inspected.map(Inspected::Sstables).map_err(Error::Rows)
}

/// The parts of a component. Data.db has none: what it holds, the whole SSTable says.
fn parts(place: &Place) -> Result<Option<IndexFile>, Error> {
    let path = &place.path;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if signs::is_data_name(name.as_bytes()) {
        return Ok(None);
    }
    let bytes = map(path).map_err(Error::io(path))?;
    let outline = outline(path, &bytes).map_err(|error| Error::Rows(error.into()))?;
    Ok(outline.map(|outline| IndexFile::new(place.kind.word(), bytes, outline)))
}

/// Of a folder of a table.
const FOLDER: Reader = Reader { inspect: inspect_sstables, parts: no_parts, verify };

/// Of a file of an SSTable by itself; of its data the whole SSTable.
const COMPONENT: Reader = Reader {
    inspect: |place, call| match parts(place)? {
        Some(file) => Ok(Inspected::File(file)),
        None => inspect_sstables(place, call),
    },
    parts,
    verify,
};

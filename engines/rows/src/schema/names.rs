//! Names of a table and of the columns of its key, which Statistics.db doesn't have: those of a CQL
//! file, of ScyllaDB's own component, or invented.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manicule_format_sstable::{
    ColumnKind, Component, Header, KeyNames, SchemaTable, ScyllaFile, read_schema,
};
use manicule_store::EntryKind;
use manicule_store::pages::{ReadCounts, Reading, SystemCache};
use manicule_store::store::{Access, Name};

use super::folder::table_of;
use crate::RowsError;
use crate::table::{Listed, Resident, SNAPSHOT_SCHEMA, SchemaBeside, TableOptions};

/// Length in bytes of the longest CQL file that is read: ten thousand tables.
const SCHEMA_LEN_MAX: u64 = 32 << 20;

/// Names, and what they are from.
#[derive(Debug)]
pub struct Named {
    /// The names.
    pub names: KeyNames,
    /// The file that has them; `None`: nothing has, and those of the key are invented.
    pub file: Option<PathBuf>,
    /// Why the `schema.cql` beside the SSTables was not used.
    pub passed_over: Option<RowsError>,
}

/// The names of a table whose SSTables have this header: of the CQL file that is given, else of a
/// `schema.cql` beside them, else of Scylla.db.
///
/// # Errors
/// A file that is given and can't be read, or has no table with such a key.
pub fn key_names(
    listed: &[Listed],
    header: &Header,
    given: Option<&Path>,
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<Named, RowsError> {
    let folder = listed.first().map_or(Path::new("."), |listed| &listed.folder);
    let own = table_of(folder);
    if let Some(file) = given {
        let (names, file) = (names_of_file(file, &own, header)?, Some(file.to_owned()));
        return Ok(Named { names, file, passed_over: None });
    }
    let (beside, mut passed_over) = (folder.join(SNAPSHOT_SCHEMA), None);
    let text = listed.first().and_then(|listed| text_beside(listed).transpose());
    match text.map(|text| names_of_text(&text?, &beside, &own, header)) {
        Some(Ok(names)) => return Ok(Named { names, file: Some(beside), passed_over }),
        Some(Err(error)) => passed_over = Some(error),
        None => {}
    }
    for listed in listed.iter().rev() {
        if let Some(names) = names_of_scylla(listed, header, options, reading) {
            let file = Some(listed.path(&Component::Scylla));
            return Ok(Named { names, file, passed_over });
        }
    }
    let [keyspace, table] = own.map(|name| name.unwrap_or_else(|| "unknown".to_owned()));
    let names = KeyNames::invented(header, &keyspace, &table);
    Ok(Named { names, file: None, passed_over })
}

fn names_of_file(
    file: &Path,
    own: &[Option<String>; 2],
    header: &Header,
) -> Result<KeyNames, RowsError> {
    let io = |source| RowsError::Io { file: file.to_owned(), source };
    check_len(file, fs::metadata(file).map_err(io)?.len())?;
    names_of_text(&fs::read_to_string(file).map_err(io)?, file, own, header)
}

fn check_len(file: &Path, len: u64) -> Result<(), RowsError> {
    if len <= SCHEMA_LEN_MAX {
        return Ok(());
    }
    let why = format!("{len} bytes are more than the {SCHEMA_LEN_MAX} that are read");
    Err(RowsError::NoTable { file: file.to_owned(), why })
}

/// The text of the CQL file beside an SSTable, if it is there.
fn text_beside(listed: &Listed) -> Result<Option<String>, RowsError> {
    let Some(bytes) = bytes_beside(listed)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| {
        let (file, what) =
            (listed.folder.join(SNAPSHOT_SCHEMA), "stream did not contain valid UTF-8");
        RowsError::Io { file, source: io::Error::new(io::ErrorKind::InvalidData, what) }
    })
}

/// The bytes of the CQL file beside an SSTable, if it is there.
pub(super) fn bytes_beside(listed: &Listed) -> Result<Option<Vec<u8>>, RowsError> {
    let name = Name::new(SNAPSHOT_SCHEMA).expect("a name");
    match listed.schema {
        SchemaBeside::Unknown => {}
        SchemaBeside::Absent => return Ok(None),
        SchemaBeside::There(version) => {
            let file = listed.store.show(&name);
            check_len(&file, version.len())?;
            let access = Access::Positioned(SystemCache::Used);
            let source = listed.store.open_seen(&name, version, access)?;
            let mut bytes = vec![0; version.len() as usize];
            let read = source.read_at(0, &mut bytes, &mut ReadCounts::default());
            read.map_err(|source| RowsError::Io { file, source })?;
            return Ok(Some(bytes));
        }
    }
    let look = match listed.store.look(&name) {
        Err(error) if error.is_missing() => return Ok(None),
        look => look?,
    };
    if look.kind != EntryKind::File {
        return Ok(None);
    }
    let file = listed.store.show(&name);
    check_len(&file, look.len)?;
    let mut bytes = Vec::new();
    listed.store.read(&name, SCHEMA_LEN_MAX, &mut bytes)?;
    Ok(Some(bytes))
}

/// The names that a CQL file has by its text.
fn names_of_text(
    text: &str,
    file: &Path,
    own: &[Option<String>; 2],
    header: &Header,
) -> Result<KeyNames, RowsError> {
    let tables =
        read_schema(text).map_err(|source| RowsError::Schema { file: file.to_owned(), source })?;
    Ok(names_of(choose(&tables, own, header, file)?, own))
}

/// The names of a table of a CQL file: of its folder the keyspace, where the file doesn't say it.
pub(super) fn names_of(table: &SchemaTable, own: &[Option<String>; 2]) -> KeyNames {
    let keyspace = table.keyspace.clone().or_else(|| own[0].clone());
    KeyNames {
        keyspace: keyspace.unwrap_or_else(|| "unknown".to_owned()),
        table: table.name.clone(),
        partition_key: table.partition_key.clone(),
        clustering: table.clustering.clone(),
    }
}

/// The table of the folder's name, else the only one that has all columns, else the only one with
/// such a key.
fn choose<'t>(
    tables: &'t [SchemaTable],
    own: &[Option<String>; 2],
    header: &Header,
    file: &Path,
) -> Result<&'t SchemaTable, RowsError> {
    if let [table] = tables {
        let schema = |source| RowsError::Schema { file: file.to_owned(), source };
        return table.check(header).map(|()| table).map_err(schema);
    }
    let fits: Vec<_> = tables.iter().filter(|table| table.check(header).is_ok()).collect();
    let [own_keyspace, own_table] = own.each_ref().map(Option::as_ref);
    let is_of = |table: &&SchemaTable| {
        let is_other = own_keyspace.zip(table.keyspace.as_ref()).is_some_and(|(a, b)| a != b);
        own_table == Some(&table.name) && !is_other
    };
    let has_columns = |table: &&SchemaTable| {
        let columns = header.statics.iter().chain(&header.regulars);
        let has = |name: &[u8]| table.columns.iter().any(|other| other.name.as_bytes() == name);
        columns.clone().all(|column| has(&column.name))
    };
    let only = |found: Vec<&'t SchemaTable>| if let [only] = found[..] { Some(only) } else { None };
    let chosen = only(fits.iter().copied().filter(is_of).collect())
        .or_else(|| only(fits.iter().copied().filter(has_columns).collect()))
        .or_else(|| only(fits.clone()));
    chosen.ok_or_else(|| {
        let (key, clustering) = (header.key.key_parts().len(), header.clustering.len());
        let why = format!(
            "{} of its {} tables have {key} columns of the partition key and {clustering} \
             clustering columns: which one is meant is not clear",
            fits.len(),
            tables.len()
        );
        RowsError::NoTable { file: file.to_owned(), why }
    })
}

/// Names of a Scylla.db that has them for all columns of the key; a broken one has none.
fn names_of_scylla(
    listed: &Listed,
    header: &Header,
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Option<KeyNames> {
    if !listed.components.contains(&Component::Scylla) {
        return None;
    }
    let file = Resident::open(listed, &Component::Scylla, options, reading).ok()?;
    let schema = ScyllaFile::open(file.bytes()).ok()?.schema().ok()??;
    let of = |wanted: ColumnKind| -> Vec<String> {
        let columns = schema.columns.iter().filter(|(kind, ..)| *kind == wanted);
        columns.map(|(_, name, _)| String::from_utf8_lossy(name).into_owned()).collect()
    };
    let (partition_key, clustering) = (of(ColumnKind::PartitionKey), of(ColumnKind::Clustering));
    let (keyspace, table) = (schema.keyspace.to_owned(), schema.table.to_owned());
    let is_whole = partition_key.len() == header.key.key_parts().len()
        && clustering.len() == header.clustering.len();
    is_whole.then_some(KeyNames { keyspace, table, partition_key, clustering })
}

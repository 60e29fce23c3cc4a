//! A `schema.cql` beside SSTables that were written, as snapshots have one: names of the key's
//! columns are in no SSTable.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use manicule_format_sstable::{Header, SchemaTable, put_schema};
use manicule_store::publish::{Aside, SHARED};

use super::folder::table_of;
use super::names::{SCHEMA_LEN_MAX, SNAPSHOT_SCHEMA, names_of};
use crate::RowsError;
use crate::write::Target;

/// Leaves the schema of a table beside its SSTables, unless one is there.
pub fn leave_schema(
    target: &Target,
    table: &SchemaTable,
    header: &Header,
) -> Result<(), RowsError> {
    let mut cql = String::new();
    put_schema(header, &names_of(table, &table_of(&target.folder)), &mut cql);
    put(target, cql.as_bytes())
}

/// Leaves the schema that lies in a folder beside SSTables that were made of those of the folder,
/// unless one is there.
pub fn carry_schema(from: &Path, target: &Target) -> Result<(), RowsError> {
    let file = from.join(SNAPSHOT_SCHEMA);
    let failed = |source| RowsError::Io { file: file.clone(), source };
    match fs::metadata(&file) {
        Ok(found) if found.is_file() && found.len() <= SCHEMA_LEN_MAX => {
            put(target, &fs::read(&file).map_err(failed)?)
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}

fn put(target: &Target, cql: &[u8]) -> Result<(), RowsError> {
    let Target { files, folder, is_dry, .. } = target;
    let file = folder.join(SNAPSHOT_SCHEMA);
    if *is_dry || file.exists() {
        return Ok(());
    }
    let written = || {
        let aside = folder.join(format!("{SNAPSHOT_SCHEMA}.tmp"));
        let mut aside = Aside::create(files, &aside, SHARED)?;
        aside.file().write_all(cql)?;
        aside.publish(&file)?;
        files.sync_folder(folder)
    };
    written().map_err(|source| RowsError::Io { file: file.clone(), source })
}

//! A `schema.cql` beside SSTables that were written, as snapshots have one: names of the key's
//! columns are in no SSTable.

use std::io::Write;

use manicule_format_sstable::{Header, SchemaTable, put_schema};
use manicule_store::publish::{Aside, SHARED};

use super::folder::table_of;
use super::names::{bytes_beside, names_of};
use crate::RowsError;
use crate::table::{Listed, SNAPSHOT_SCHEMA};
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

/// Leaves the schema that lies beside an SSTable beside those that were made of it, unless one is
/// there. One that is too long to be read is left.
pub fn carry_schema(from: &Listed, target: &Target) -> Result<(), RowsError> {
    match bytes_beside(from) {
        Ok(Some(cql)) => put(target, &cql),
        Ok(None) | Err(RowsError::NoTable { .. }) => Ok(()),
        Err(error) => Err(error),
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

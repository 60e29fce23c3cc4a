//! What a table of Arrow or Parquet is asked for.

use std::path::Path;

use anyhow::Result;
use manicule::graph::{ColumnTypes, RowsAs, TableCall};
use manicule::tables::{TableFormat, check_built};

use crate::print::not_for_terminal;

/// Formats of typed columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// Arrow IPC: a file where one is named, else a stream.
    Arrow,
    Parquet,
}

/// Rows as a table. `is_seen` says whether it would be written to standard output if no file is
/// named.
pub(super) fn table(
    columns: Columns,
    untyped: bool,
    output: Option<&Path>,
    is_seen: bool,
) -> Result<RowsAs> {
    check_built()?;
    if is_seen {
        not_for_terminal(output)?;
    }
    let format = match (columns, output) {
        (Columns::Parquet, _) => TableFormat::Parquet,
        (Columns::Arrow, Some(_)) => TableFormat::ArrowFile,
        (Columns::Arrow, None) => TableFormat::ArrowStream,
    };
    let types = if untyped { ColumnTypes::Text } else { ColumnTypes::OfValues };
    let scratch = match output.and_then(Path::parent) {
        Some(folder) if folder == Path::new("") => Path::new(".").to_owned(),
        Some(folder) => folder.to_owned(),
        None => std::env::temp_dir(),
    };
    Ok(RowsAs::Table(TableCall { format, types, scratch }))
}

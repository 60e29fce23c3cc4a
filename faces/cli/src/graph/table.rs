//! What a table of Arrow or Parquet is asked for, and how a program built without them answers.
//!
//! Callers: graph/query

use std::path::Path;

use anyhow::Result;
use manicule::graph::RowsAs;

/// Formats of typed columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// Arrow IPC: a file where one is named, else a stream.
    Arrow,
    Parquet,
}

/// Rows as a table. `is_seen` says whether it would be written to standard output if no file is named.
#[cfg(feature = "tables")]
pub(super) fn table(
    columns: Columns,
    untyped: bool,
    output: Option<&Path>,
    is_seen: bool,
) -> Result<RowsAs> {
    use std::io::{IsTerminal, stdout};

    use manicule::graph::{ColumnTypes, TableCall};
    use manicule::tables::TableFormat;

    if is_seen && output.is_none() && stdout().is_terminal() {
        anyhow::bail!("a table of Arrow or Parquet is nothing for a terminal: say -o FILE");
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

/// Says how to get a program that has them.
#[cfg(not(feature = "tables"))]
pub(super) fn table(_: Columns, _: bool, _: Option<&Path>, _: bool) -> Result<RowsAs> {
    anyhow::bail!(
        "Arrow and Parquet are not in this build of manicule: build it with --features tables, or ask for csv or json"
    )
}

#[cfg(all(test, not(feature = "tables")))]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_tables_says_how_to_get_them() {
        let error = table(Columns::Parquet, false, None, false).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("--features tables"), "{error}");
    }
}

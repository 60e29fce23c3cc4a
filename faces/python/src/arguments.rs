//! What Python asks of a table.

use std::path::PathBuf;

use manicule::Failure;
use manicule::answer::{Asked, conditions};
use manicule::catalog::{Arguments, Call, Table, table};

/// A table with what is asked of it: paths, arguments in order, columns, conditions as a text,
/// maximum number of rows.
pub(crate) struct Question {
    pub(crate) table: &'static Table,
    pub(crate) call: Call,
}

pub(crate) type Named = Vec<(String, String)>;

/// Finds the table, and reads the conditions.
pub(crate) fn question(
    name: &str,
    paths: Vec<PathBuf>,
    named: Named,
    columns: Option<Vec<String>>,
    r#where: Option<&str>,
    limit: Option<u64>,
) -> Result<Question, Failure> {
    let absent = || Failure::asked(format!("there is no table {name:?}"));
    let table = table(name).ok_or_else(absent)?;
    let conditions = r#where.map(conditions).transpose()?.unwrap_or_default();
    let asked = Asked { columns, conditions, limit };
    Ok(Question { table, call: Call { arguments: Arguments { paths, named }, asked } })
}

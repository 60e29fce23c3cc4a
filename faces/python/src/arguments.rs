//! What Python asks of a table.

use std::path::PathBuf;

use manicule::Failure;
use manicule::answer::{Asked, conditions};
use manicule::catalog::{Arguments, Call, Table, table};
use pyo3::prelude::*;

/// A tuple of Python's: the table's name, paths, arguments in order, columns, conditions as a text,
/// and the maximum number of rows.
#[derive(FromPyObject)]
pub(crate) struct Question(
    String,
    Vec<PathBuf>,
    Vec<(String, String)>,
    Option<Vec<String>>,
    Option<String>,
    Option<u64>,
);

impl Question {
    /// Finds the table, and reads the conditions.
    pub(crate) fn read(self) -> Result<(&'static Table, Call), Failure> {
        let Question(name, paths, named, columns, tests, limit) = self;
        let absent = || Failure::asked(format!("there is no table {name:?}"));
        let table = table(&name).ok_or_else(absent)?;
        let conditions = tests.as_deref().map(conditions).transpose()?.unwrap_or_default();
        let asked = Asked { columns, conditions, limit };
        Ok((table, Call { arguments: Arguments { paths, named }, asked }))
    }
}

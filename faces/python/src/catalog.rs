//! The catalogue of tables, and its tables opened.

use std::path::PathBuf;

use manicule::Failure;
use manicule::answer::{Answer, arrow_schema, plain_fields};
use manicule::catalog::{Argument, open_partition as open_part, tables};
use pyo3::prelude::*;
use pythonize::pythonize;
use serde_json::{Value, json};

use crate::arguments::{Named, Question, question};
use crate::calls::run;
use crate::errors::raised;
use crate::stream::{Schema, Stream};

/// The catalogue: for each table its name, what a row is, its arguments, its order.
#[pyfunction]
pub(crate) fn catalog(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let argument = |argument: &Argument| {
        let Argument { name, takes, about } = argument;
        json!({ "name": name, "takes": takes.word(), "about": about })
    };
    let list: Vec<Value> = tables()
        .iter()
        .map(|table| {
            let arguments: Vec<Value> = table.arguments.iter().map(argument).collect();
            json!({
                "name": table.name, "about": table.about, "order": table.order,
                "partition": table.partition, "arguments": arguments,
            })
        })
        .collect();
    Ok(pythonize(py, &list)?)
}

/// The columns of a table, of those that are asked for.
#[pyfunction]
#[pyo3(signature = (name, paths, named, columns=None, plain=false))]
pub(crate) fn fields(
    py: Python<'_>,
    name: &str,
    paths: Vec<PathBuf>,
    named: Named,
    columns: Option<Vec<String>>,
    plain: bool,
) -> PyResult<Schema> {
    let question = question(name, paths, named, columns, None, None);
    let Question { table, call } = question.map_err(|failure| raised(py, &failure))?;
    let fields = run(py, None, move |_| table.shown_fields(&call))?;
    let fields = if plain { plain_fields(&fields) } else { fields };
    Ok(Schema::new(arrow_schema(&fields), fields))
}

/// Opens a table: its rows are read by the stream.
#[pyfunction]
#[pyo3(signature = (name, paths, named, columns=None, r#where=None, limit=None, plain=false))]
#[expect(clippy::too_many_arguments, reason = "as Python has them, by name")]
pub(crate) fn open(
    py: Python<'_>,
    name: &str,
    paths: Vec<PathBuf>,
    named: Named,
    columns: Option<Vec<String>>,
    r#where: Option<&str>,
    limit: Option<u64>,
    plain: bool,
) -> PyResult<Stream> {
    let question = question(name, paths, named, columns, r#where, limit);
    let Question { table, call } = question.map_err(|failure| raised(py, &failure))?;
    stream(py, plain, move || table.open(&call))
}

/// Opens a partition by its text.
#[pyfunction]
#[pyo3(signature = (text, plain=false))]
pub(crate) fn open_partition(py: Python<'_>, text: String, plain: bool) -> PyResult<Stream> {
    stream(py, plain, move || open_part(&text))
}

fn stream(
    py: Python<'_>,
    plain: bool,
    open: impl FnOnce() -> Result<Answer, Failure> + Send + 'static,
) -> PyResult<Stream> {
    let answer = run(py, None, move |_| open())?;
    Ok(Stream::new(if plain { answer.into_plain() } else { answer }))
}

/// Divides a table into about a number of partitions, each described by a text.
#[pyfunction]
#[pyo3(signature = (name, paths, named, wanted, columns=None, r#where=None, limit=None))]
#[expect(clippy::too_many_arguments, reason = "as Python has them, by name")]
pub(crate) fn partitions(
    py: Python<'_>,
    name: &str,
    paths: Vec<PathBuf>,
    named: Named,
    wanted: usize,
    columns: Option<Vec<String>>,
    r#where: Option<&str>,
    limit: Option<u64>,
) -> PyResult<Vec<String>> {
    let question = question(name, paths, named, columns, r#where, limit);
    let Question { table, call } = question.map_err(|failure| raised(py, &failure))?;
    run(py, None, move |_| table.partitions(&call, wanted))
}

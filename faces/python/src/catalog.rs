//! The catalogue of tables, and its tables opened.

use manicule::Failure;
use manicule::answer::{Answer, arrow_schema, plain_fields};
use manicule::catalog::{Argument, open_partition as open_part, tables};
use pyo3::prelude::*;
use pythonize::pythonize;
use serde_json::{Value, json};

use crate::arguments::Question;
use crate::calls::run;
use crate::stream::{Schema, Stream};

/// The catalogue: for each table its name, what a row is, its arguments, its order.
#[pyfunction]
pub(crate) fn catalog(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let argument = |argument: &Argument| {
        let Argument { name, takes, about, .. } = argument;
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
#[pyo3(signature = (question, plain=false))]
pub(crate) fn fields(py: Python<'_>, question: Question, plain: bool) -> PyResult<Schema> {
    let fields = run(py, None, move |_| {
        let (table, call) = question.read()?;
        table.shown_fields(&call)
    })?;
    let fields = if plain { plain_fields(&fields) } else { fields };
    Ok(Schema::new(arrow_schema(&fields), fields))
}

/// Opens a table: its rows are read by the stream.
#[pyfunction]
#[pyo3(signature = (question, plain=false))]
pub(crate) fn open(py: Python<'_>, question: Question, plain: bool) -> PyResult<Stream> {
    stream(py, plain, move || {
        let (table, call) = question.read()?;
        table.open(&call)
    })
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
pub(crate) fn partitions(
    py: Python<'_>,
    question: Question,
    wanted: usize,
) -> PyResult<Vec<String>> {
    run(py, None, move |_| {
        let (table, call) = question.read()?;
        table.partitions(&call, wanted)
    })
}

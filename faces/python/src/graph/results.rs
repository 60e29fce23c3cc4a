//! Yes or no, and answers that are read from documents.

use std::path::PathBuf;

use manicule::graph::write_boolean;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sparesults::{QueryResultsParser, ReaderQueryResultsParserOutput};

use super::answers::{QuerySolutions, Rows};
use super::errors::{raised_graph, raised_io};
use super::formats::{QueryResultsFormat, row_format};
use super::parsed::{Parsed, raised_parse};
use super::places::{Input, Target, returned};

/// The answer of an ASK.
#[pyclass(frozen, eq, ord, hash, module = "manicule.graph")]
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct QueryBoolean(pub(super) bool);

#[pymethods]
impl QueryBoolean {
    fn __bool__(&self) -> bool {
        self.0
    }

    fn __repr__(&self) -> String {
        format!("<QueryBoolean {}>", self.0)
    }

    #[pyo3(signature = (output=None, format=None))]
    fn serialize<'py>(
        &self,
        py: Python<'py>,
        output: Option<&Bound<'py, PyAny>>,
        format: Option<PyRef<'py, QueryResultsFormat>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let target = Target::of(output)?;
        let format = row_format(QueryResultsFormat::of_target(format, &target)?)?;
        let mut line = Vec::new();
        write_boolean(self.0, format, &mut line).map_err(|error| raised_graph(py, error))?;
        let document = target.written(|out| out.write_all(line.trim_ascii_end()));
        Ok(returned(py, document.map_err(raised_io)?))
    }
}

/// Reads the answer of a query from a document.
#[pyfunction]
#[pyo3(signature = (input=None, format=None, *, path=None))]
pub(crate) fn parse_query_results<'py>(
    py: Python<'py>,
    input: Option<&Bound<'py, PyAny>>,
    format: Option<PyRef<'py, QueryResultsFormat>>,
    path: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    let input = Input::of(input, path.clone())?;
    let format = QueryResultsFormat::of(format, input.path())?;
    let read = input.into_read().map_err(raised_io)?;
    let parsed = QueryResultsParser::from_format(format).for_reader(read);
    match parsed.map_err(|error| raised_parse(py, error, &path))? {
        ReaderQueryResultsParserOutput::Boolean(answer) => {
            QueryBoolean(answer).into_bound_py_any(py)
        }
        ReaderQueryResultsParserOutput::Solutions(rows) => {
            let variables = rows.variables().to_vec();
            let rows = Rows::Parsed(Box::new(Parsed::new(rows, path)));
            QuerySolutions::new(variables, rows).into_bound_py_any(py)
        }
    }
}

//! Rows of an answer that are read from a document.

use std::io::Read;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use manicule::ErrorClass;
use manicule::graph::Solution;
use pyo3::prelude::*;
use sparesults::{QueryResultsParseError, ReaderSolutionsParser};

use super::errors::{Place, raised_io, syntax_error};

/// Rows of a document.
pub(super) struct Parsed {
    rows: Mutex<ReaderSolutionsParser<Box<dyn Read + Send>>>,
    path: Option<PathBuf>,
}

impl Parsed {
    pub(super) fn new(
        rows: ReaderSolutionsParser<Box<dyn Read + Send>>,
        path: Option<PathBuf>,
    ) -> Parsed {
        Parsed { rows: Mutex::new(rows), path }
    }

    pub(super) fn next(&mut self, py: Python<'_>) -> PyResult<Option<Solution>> {
        let Parsed { rows, path } = self;
        let row = rows.get_mut().unwrap_or_else(PoisonError::into_inner).next();
        let row = row.transpose().map_err(|error| raised_parse(py, error, path))?;
        Ok(row.map(|row| (row.variables().to_vec(), row.values().to_vec()).into()))
    }
}

/// The exception of a document that can't be read.
pub(super) fn raised_parse(
    py: Python<'_>,
    error: QueryResultsParseError,
    path: &Option<PathBuf>,
) -> PyErr {
    match error {
        QueryResultsParseError::Io(error) => raised_io(error),
        QueryResultsParseError::Syntax(error) => {
            let place = error.location().map(|place| Place {
                lines: place.start.line + 1..=place.end.line + 1,
                columns: place.start.column + 1..=place.end.column + 1,
            });
            syntax_error(py, ErrorClass::Damaged, &error.to_string(), path.as_deref(), place)
        }
    }
}

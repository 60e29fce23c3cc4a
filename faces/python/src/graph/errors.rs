//! Errors of graph stores as exceptions: those of syntax are SyntaxErrors too, with their places.

use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

use manicule::graph::{Error, TextPlace};
use manicule::{ErrorClass, Failure};
use pyo3::prelude::*;

use crate::errors::{class_named, raised};

/// Where a text contradicts its syntax: lines and columns from 1, the end after the last character.
pub(super) struct Place {
    pub(super) lines: RangeInclusive<u64>,
    pub(super) columns: RangeInclusive<u64>,
}

/// The exception of an error.
pub(super) fn raised_graph(py: Python<'_>, error: Error) -> PyErr {
    let Some(TextPlace { file, place }) = error.place() else {
        return raised(py, &Failure::from(error));
    };
    let place = place.map(|(line, column)| Place { lines: line..=line, columns: column..=column });
    syntax_error(py, error.class(), &error.to_string(), file, place)
}

/// The exception of an error of syntax.
pub(super) fn syntax_error(
    py: Python<'_>,
    class: ErrorClass,
    text: &str,
    file: Option<&Path>,
    place: Option<Place>,
) -> PyErr {
    let name = match class {
        ErrorClass::Asked => "QuerySyntaxError",
        _ => "DocumentSyntaxError",
    };
    let exception = || {
        let class = class_named(py, name)?;
        let Some(Place { lines, columns }) = place else { return class.call1((text,)) };
        let (file, line) = (file.map(Path::as_os_str), None::<&str>);
        let place = (file, lines.start(), columns.start(), line, lines.end(), columns.end());
        class.call1((text, place))
    };
    exception().map_or_else(|error| error, PyErr::from_value)
}

/// The exception of an error of files or streams: that of Python's own where one is inside.
pub(super) fn raised_io(error: io::Error) -> PyErr {
    PyErr::from(error)
}

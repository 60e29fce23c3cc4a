//! Documents of RDF read without a store.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use manicule::ErrorClass;
use oxrdfio::{RdfParseError, RdfParser, ReaderQuadParser};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::errors::{Place, raised_io, syntax_error};
use super::formats::RdfFormat;
use super::places::Input;
use super::quad::Quad;

/// Quads of a document, read as they are taken.
#[pyclass(module = "manicule.graph")]
pub(crate) struct QuadParser {
    quads: Mutex<ReaderQuadParser<Box<dyn Read + Send>>>,
    path: Option<PathBuf>,
}

#[pymethods]
impl QuadParser {
    /// The prefixes that were declared so far.
    #[getter]
    fn prefixes(&mut self) -> BTreeMap<String, String> {
        let prefixes = self.quads().prefixes();
        prefixes.map(|(name, iri)| (name.to_owned(), iri.to_owned())).collect()
    }

    /// The base IRI at this point.
    #[getter]
    fn base_iri(&mut self) -> Option<String> {
        self.quads().base_iri().map(str::to_owned)
    }

    fn __iter__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Quad>> {
        match self.quads().next() {
            None => Ok(None),
            Some(Ok(quad)) => Ok(Some(Quad(quad))),
            Some(Err(RdfParseError::Io(error))) => Err(raised_io(error)),
            Some(Err(RdfParseError::Syntax(error))) => {
                let place = error.location().map(|place| Place {
                    lines: place.start.line + 1..=place.end.line + 1,
                    columns: place.start.column + 1..=place.end.column + 1,
                });
                let (text, path) = (error.to_string(), self.path.as_deref());
                Err(syntax_error(py, ErrorClass::Damaged, &text, path, place))
            }
        }
    }
}

impl QuadParser {
    fn quads(&mut self) -> &mut ReaderQuadParser<Box<dyn Read + Send>> {
        self.quads.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a document of RDF.
#[pyfunction]
#[pyo3(signature = (
    input=None, format=None, *, path=None, base_iri=None, without_named_graphs=false,
    rename_blank_nodes=false, lenient=false,
))]
pub(crate) fn parse(
    input: Option<&Bound<'_, PyAny>>,
    format: Option<PyRef<'_, RdfFormat>>,
    path: Option<PathBuf>,
    base_iri: Option<&str>,
    without_named_graphs: bool,
    rename_blank_nodes: bool,
    lenient: bool,
) -> PyResult<QuadParser> {
    let input = Input::of(input, path.clone())?;
    let mut parser = RdfParser::from_format(RdfFormat::of(format, input.path())?);
    if let Some(base) = base_iri {
        parser = parser.with_base_iri(base).map_err(|e| PyValueError::new_err(e.to_string()))?;
    }
    if without_named_graphs {
        parser = parser.without_named_graphs();
    }
    if rename_blank_nodes {
        parser = parser.rename_blank_nodes();
    }
    if lenient {
        parser = parser.lenient();
    }
    let read = input.into_read().map_err(raised_io)?;
    Ok(QuadParser { quads: Mutex::new(parser.for_reader(read)), path })
}

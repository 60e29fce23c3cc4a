//! Answers of queries: rows and triples that come while a query goes on.

use std::io;

use manicule::graph::{Part, Solution, write_solutions};
use oxrdf::Variable as Name;
use oxrdfio::RdfSerializer;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyTuple};

use super::errors::{raised_graph, raised_io};
use super::formats::{QueryResultsFormat, RdfFormat, row_format};
use super::labels::Labels;
use super::parsed::Parsed;
use super::places::{Target, returned};
use super::question::Parts;
use super::terms::Triple;
use super::terms::{Variable, of_term, repr_term};

/// Rows of a SELECT, which are taken once.
#[pyclass(module = "manicule.graph")]
pub(crate) struct QuerySolutions {
    variables: Vec<Name>,
    rows: Rows,
}

/// Where rows come from.
pub(super) enum Rows {
    /// A query of a store.
    Asked(Parts, Labels),
    /// A document.
    Parsed(Box<Parsed>),
}

impl QuerySolutions {
    pub(super) fn new(variables: Vec<Name>, rows: Rows) -> QuerySolutions {
        QuerySolutions { variables, rows }
    }

    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Solution>> {
        match &mut self.rows {
            Rows::Parsed(parsed) => parsed.next(py),
            Rows::Asked(parts, labels) => match parts.next(py)? {
                None => Ok(None),
                Some(Part::Row(row)) => Ok(Some(labels.shown_row(row))),
                Some(other) => unreachable!("among rows there is no {other:?}"),
            },
        }
    }
}

#[pymethods]
impl QuerySolutions {
    #[getter]
    fn variables(&self) -> Vec<Variable> {
        self.variables.iter().cloned().map(Variable).collect()
    }

    fn __iter__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<QuerySolution>> {
        Ok(self.next(py)?.map(QuerySolution))
    }

    #[pyo3(signature = (output=None, format=None))]
    fn serialize<'py>(
        &mut self,
        py: Python<'py>,
        output: Option<&Bound<'py, PyAny>>,
        format: Option<PyRef<'py, QueryResultsFormat>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let target = Target::of(output)?;
        let format = row_format(QueryResultsFormat::of_target(format, &target)?)?;
        let variables = self.variables.clone();
        let mut raised = None;
        let rows = std::iter::from_fn(|| match self.next(py) {
            Ok(row) => row.map(Ok),
            Err(error) => {
                raised = Some(error);
                Some(Err(io::Error::other("a row can't be read")))
            }
        });
        let mut failed = None;
        let written = target.written(|out| {
            write_solutions(&variables, rows, format, out).map_err(|error| {
                failed = Some(raised_graph(py, error));
                io::Error::other("rows can't be written")
            })
        });
        match (raised.or(failed), written) {
            (Some(error), _) => Err(error),
            (None, written) => Ok(returned(py, written.map_err(raised_io)?)),
        }
    }
}

/// A row of an answer: a term for each variable, or none.
#[pyclass(frozen, eq, module = "manicule.graph")]
#[derive(PartialEq, Eq)]
pub(crate) struct QuerySolution(Solution);

#[pymethods]
impl QuerySolution {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let term = if let Ok(name) = key.extract::<&str>() {
            self.0.get(name)
        } else if let Ok(variable) = key.cast::<Variable>() {
            self.0.get(&variable.get().0)
        } else if let Ok(index) = key.extract::<usize>() {
            if index >= self.0.len() {
                return Err(PyIndexError::new_err(format!("a row of {} terms", self.0.len())));
            }
            self.0.get(index)
        } else {
            let wanted = "a number from 0, a name or a Variable is wanted";
            return Err(PyTypeError::new_err(wanted));
        };
        term.map(|term| of_term(py, term.clone())).transpose()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let term = |term: &Option<oxrdf::Term>| {
            term.as_ref().map(|term| of_term(py, term.clone())).transpose()
        };
        let terms = self.0.values().iter().map(term).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, terms)?.try_iter()
    }

    fn __repr__(&self) -> String {
        let bound = self.0.iter();
        let bound = bound.map(|(name, term)| format!(" {}={}", name.as_str(), repr_term(term)));
        format!("<QuerySolution{}>", bound.collect::<String>())
    }

    fn __copy__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __deepcopy__(own: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        own
    }
}

/// Triples of a CONSTRUCT or DESCRIBE, which are taken once.
#[pyclass(module = "manicule.graph")]
pub(crate) struct QueryTriples {
    parts: Parts,
    labels: Labels,
}

impl QueryTriples {
    pub(super) fn new(parts: Parts, labels: Labels) -> QueryTriples {
        QueryTriples { parts, labels }
    }

    fn next(&mut self, py: Python<'_>) -> PyResult<Option<oxrdf::Triple>> {
        match self.parts.next(py)? {
            None => Ok(None),
            Some(Part::Triple(mut triple)) => {
                self.labels.shown_triple(&mut triple);
                Ok(Some(triple))
            }
            Some(other) => unreachable!("among triples there is no {other:?}"),
        }
    }
}

#[pymethods]
impl QueryTriples {
    fn __iter__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Triple>> {
        Ok(self.next(py)?.map(Triple))
    }

    #[pyo3(signature = (output=None, format=None))]
    fn serialize<'py>(
        &mut self,
        py: Python<'py>,
        output: Option<&Bound<'py, PyAny>>,
        format: Option<PyRef<'py, RdfFormat>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let target = Target::of(output)?;
        let format = RdfFormat::of_target(format, &target)?;
        let document = target.written(|out| -> PyResult<()> {
            let mut document = RdfSerializer::from_format(format).for_writer(out);
            while let Some(triple) = self.next(py)? {
                document.serialize_triple(&triple)?;
            }
            document.finish()?;
            Ok(())
        })?;
        Ok(returned(py, document))
    }
}

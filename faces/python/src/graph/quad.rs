//! Quads as values of Python.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use super::terms::{Triple, graph, of_graph, of_node, of_term, repr_places, repr_term, statement};

type Value<'py> = Bound<'py, PyAny>;

/// A triple in a graph.
#[pyclass(frozen, eq, hash, module = "manicule.graph")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Quad(pub(super) oxrdf::Quad);

#[pymethods]
impl Quad {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str, &'static str, &'static str) {
        ("subject", "predicate", "object", "graph_name")
    }

    #[new]
    #[pyo3(signature = (subject, predicate, object, graph_name=None))]
    fn new(
        subject: &Value<'_>,
        predicate: &Value<'_>,
        object: &Value<'_>,
        graph_name: Option<&Value<'_>>,
    ) -> PyResult<Quad> {
        let triple = statement(subject, predicate, object)?;
        let graph = graph_name.map_or(Ok(oxrdf::GraphName::DefaultGraph), graph)?;
        Ok(Quad(triple.in_graph(graph)))
    }

    #[getter]
    fn subject<'py>(&self, py: Python<'py>) -> PyResult<Value<'py>> {
        of_node(py, self.0.subject.clone())
    }

    #[getter]
    fn predicate<'py>(&self, py: Python<'py>) -> PyResult<Value<'py>> {
        of_term(py, self.0.predicate.clone().into())
    }

    #[getter]
    fn object<'py>(&self, py: Python<'py>) -> PyResult<Value<'py>> {
        of_term(py, self.0.object.clone())
    }

    #[getter]
    fn graph_name<'py>(&self, py: Python<'py>) -> PyResult<Value<'py>> {
        of_graph(py, self.0.graph_name.clone())
    }

    #[getter]
    fn triple(&self) -> Triple {
        Triple(self.0.clone().into())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let graph = match &self.0.graph_name {
            oxrdf::GraphName::DefaultGraph => "<DefaultGraph>".to_owned(),
            oxrdf::GraphName::NamedNode(node) => repr_term(&node.clone().into()),
            oxrdf::GraphName::BlankNode(node) => repr_term(&node.clone().into()),
        };
        format!("<Quad {} graph_name={graph}>", repr_places(&self.0.clone().into()))
    }

    fn __len__(&self) -> usize {
        4
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Value<'py>> {
        match index {
            0 => self.subject(py),
            1 => self.predicate(py),
            2 => self.object(py),
            3 => self.graph_name(py),
            _ => Err(PyIndexError::new_err("a quad has four terms")),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.__getnewargs__(py)?.try_iter()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let own = [self.subject(py)?, self.predicate(py)?, self.object(py)?, self.graph_name(py)?];
        PyTuple::new(py, own)
    }

    fn __copy__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __deepcopy__(own: Py<Self>, memo: &Value<'_>) -> Py<Self> {
        let _ = memo;
        own
    }
}

//! A set of quads in memory, without a store.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use super::quad::Quad;
use super::terms::{graph, named, node, term};

type Value<'py> = Bound<'py, PyAny>;

/// A set of quads in memory. Terms stay in memory when their quads are removed.
#[pyclass(frozen, module = "manicule.graph")]
pub(crate) struct Dataset(Mutex<oxrdf::Dataset>);

#[pymethods]
impl Dataset {
    #[new]
    #[pyo3(signature = (quads=None))]
    fn new(quads: Option<&Value<'_>>) -> PyResult<Dataset> {
        let mut dataset = oxrdf::Dataset::new();
        if let Some(quads) = quads {
            for quad in quads.try_iter()? {
                dataset.insert(&quad?.cast::<Quad>()?.get().0);
            }
        }
        Ok(Dataset(Mutex::new(dataset)))
    }

    fn add(&self, quad: &Bound<'_, Quad>) {
        self.quads().insert(&quad.get().0);
    }

    fn remove(&self, quad: &Bound<'_, Quad>) -> PyResult<()> {
        let quad = &quad.get().0;
        if self.quads().remove(quad) {
            Ok(())
        } else {
            Err(PyKeyError::new_err(format!("{quad} is not in the dataset")))
        }
    }

    fn discard(&self, quad: &Bound<'_, Quad>) {
        self.quads().remove(&quad.get().0);
    }

    fn clear(&self) {
        self.quads().clear();
    }

    fn quads_for_subject<'py>(
        &self,
        py: Python<'py>,
        subject: &Value<'py>,
    ) -> PyResult<Bound<'py, PyIterator>> {
        listed(py, self.quads().quads_for_subject(&node(subject)?))
    }

    fn quads_for_predicate<'py>(
        &self,
        py: Python<'py>,
        predicate: &Value<'py>,
    ) -> PyResult<Bound<'py, PyIterator>> {
        listed(py, self.quads().quads_for_predicate(&named(predicate)?))
    }

    fn quads_for_object<'py>(
        &self,
        py: Python<'py>,
        object: &Value<'py>,
    ) -> PyResult<Bound<'py, PyIterator>> {
        listed(py, self.quads().quads_for_object(&term(object)?))
    }

    fn quads_for_graph_name<'py>(
        &self,
        py: Python<'py>,
        graph_name: &Value<'py>,
    ) -> PyResult<Bound<'py, PyIterator>> {
        listed(py, self.quads().quads_for_graph_name(&graph(graph_name)?))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        listed(py, self.quads().iter())
    }

    fn __contains__(&self, quad: &Bound<'_, Quad>) -> bool {
        self.quads().contains(&quad.get().0)
    }

    fn __len__(&self) -> usize {
        self.quads().len()
    }

    fn __bool__(&self) -> bool {
        !self.quads().is_empty()
    }

    fn __eq__(own: &Bound<'_, Self>, other: &Bound<'_, Self>) -> bool {
        own.is(other) || *own.get().quads() == *other.get().quads()
    }

    fn __str__(&self) -> String {
        self.quads().to_string()
    }
}

impl Dataset {
    fn quads(&self) -> MutexGuard<'_, oxrdf::Dataset> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Quads as they are now, whatever is changed while they are walked.
fn listed<'py, 'q>(
    py: Python<'py>,
    quads: impl Iterator<Item = oxrdf::QuadRef<'q>>,
) -> PyResult<Bound<'py, PyIterator>> {
    let quads = quads.map(|quad| Bound::new(py, Quad(quad.into_owned())));
    PyList::new(py, quads.collect::<PyResult<Vec<_>>>()?)?.try_iter()
}

//! Quads of a pattern, read as they are taken.

use std::sync::{Mutex, PoisonError};
use std::vec::IntoIter;

use manicule::graph::Scan;
use pyo3::prelude::*;

use super::errors::raised_graph;
use super::labels::Labels;
use super::quad::Quad;
use crate::calls::context;

/// Quads of the moment at which their reading began, whatever is written meanwhile.
#[pyclass(module = "manicule.graph")]
pub(crate) struct QuadIterator {
    scan: Mutex<Scan>,
    ready: IntoIter<oxrdf::Quad>,
    labels: Labels,
}

impl QuadIterator {
    pub(super) fn new(scan: Scan, labels: Labels) -> QuadIterator {
        QuadIterator { scan: Mutex::new(scan), ready: Vec::new().into_iter(), labels }
    }

    /// The next quad; none at the end.
    pub(super) fn next(&mut self, py: Python<'_>) -> PyResult<Option<oxrdf::Quad>> {
        if self.ready.len() == 0 {
            let scan = self.scan.get_mut().unwrap_or_else(PoisonError::into_inner);
            let batch = py.detach(|| context().enter(|| scan.next_batch()));
            self.ready = batch.map_err(|error| raised_graph(py, error))?.into_iter();
            py.check_signals()?;
        }
        Ok(self.ready.next().map(|mut quad| {
            self.labels.shown_quad(&mut quad);
            quad
        }))
    }
}

#[pymethods]
impl QuadIterator {
    fn __iter__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Quad>> {
        Ok(self.next(py)?.map(Quad))
    }
}

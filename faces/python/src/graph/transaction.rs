//! Changes of a store over several calls.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use manicule::Failure;
use manicule::graph::{Error, Transaction as Changes, UpdateCall};
use manicule::watch::Watch;
use pyo3::prelude::*;

use super::arguments::{all, load_call, with_prefixes};
use super::errors::raised_graph;
use super::formats::RdfFormat;
use super::handle::{Begun, Handle};
use super::labels::Labels;
use super::quad::Quad;
use crate::calls::run;
use crate::errors::raised;

type Value<'py> = Bound<'py, PyAny>;

/// Changes of a store that hold together, or not at all. An error of a method ends them: nothing is
/// changed then.
#[pyclass(frozen, module = "manicule.graph")]
pub(crate) struct Transaction {
    handle: Arc<Handle>,
    begun: Mutex<Option<Begun>>,
}

#[pymethods]
impl Transaction {
    fn __enter__<'py>(own: Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let begun = own.get().handle.begin(own.py())?;
        own.get().put(begun);
        Ok(own)
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Value<'_>>,
        error: Option<&Value<'_>>,
        trace: Option<&Value<'_>>,
    ) -> PyResult<()> {
        let _ = (error, trace);
        if kind.is_some() {
            drop(self.lock().take());
            return Ok(());
        }
        let begun = self.taken(py)?;
        py.detach(|| begun.commit()).map_err(|error| raised_graph(py, error))
    }

    /// Adds a quad.
    fn add(&self, py: Python<'_>, quad: &Bound<'_, Quad>) -> PyResult<()> {
        self.insert(py, vec![quad.get().0.clone()])
    }

    /// Adds quads.
    fn extend(&self, py: Python<'_>, quads: &Value<'_>) -> PyResult<()> {
        self.insert(py, all(quads)?)
    }

    /// Removes a quad, if it is there.
    fn remove(&self, py: Python<'_>, quad: &Bound<'_, Quad>) -> PyResult<()> {
        let mut quad = quad.get().0.clone();
        self.change(py, move |changes, labels, _| {
            labels.own_quad(&mut quad);
            changes.remove(quad.as_ref())
        })
    }

    /// Does a request of SPARQL 1.2 Update, which sees what was changed before it.
    #[pyo3(signature = (update, *, base_iri=None, prefixes=None))]
    fn update(
        &self,
        py: Python<'_>,
        update: &str,
        base_iri: Option<String>,
        prefixes: Option<BTreeMap<String, String>>,
    ) -> PyResult<()> {
        let call =
            UpdateCall { base: base_iri, ..UpdateCall::new(with_prefixes(update, prefixes)?) };
        self.change(py, move |changes, _, watch| changes.update(&call, watch).map(drop))
    }

    /// Loads a document.
    #[pyo3(signature = (
        input=None, format=None, *, path=None, base_iri=None, to_graph=None, lenient=false,
    ))]
    #[expect(clippy::too_many_arguments, reason = "as Python has them, by name")]
    fn load(
        &self,
        py: Python<'_>,
        input: Option<&Value<'_>>,
        format: Option<PyRef<'_, RdfFormat>>,
        path: Option<PathBuf>,
        base_iri: Option<String>,
        to_graph: Option<&Value<'_>>,
        lenient: bool,
    ) -> PyResult<()> {
        let call = load_call(py, input, format, path, base_iri, to_graph, lenient)?;
        self.change(py, move |changes, _, watch| changes.load(&call, watch).map(drop))
    }
}

impl Transaction {
    pub(super) fn new(handle: Arc<Handle>) -> Transaction {
        Transaction { handle, begun: Mutex::new(None) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Begun>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, begun: Begun) {
        *self.lock() = Some(begun);
    }

    /// What was begun, for a call: an error of it leaves nothing here.
    fn taken(&self, py: Python<'_>) -> PyResult<Begun> {
        let why = match self.lock().take() {
            Some(begun) if begun.is_own() => return Ok(begun),
            Some(_) => "the transaction was begun before a fork: it is the parent's",
            None => "the transaction has not begun, or has ended; an error ends it",
        };
        Err(raised(py, &Failure::asked(why)))
    }

    fn insert(&self, py: Python<'_>, mut quads: Vec<oxrdf::Quad>) -> PyResult<()> {
        self.change(py, move |changes, labels, _| {
            quads.iter_mut().try_for_each(|quad| {
                labels.own_quad(quad);
                changes.insert(quad.as_ref())
            })
        })
    }

    fn change(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut Changes, &Labels, &Watch<'_>) -> Result<(), Error> + Send + 'static,
    ) -> PyResult<()> {
        let mut begun = self.taken(py)?;
        let changed = run(py, None, move |watch| {
            Ok(begun.change(|changes, labels| job(changes, labels, watch)).map(|()| begun))
        })?;
        self.put(changed.map_err(|error| raised_graph(py, error))?);
        Ok(())
    }
}

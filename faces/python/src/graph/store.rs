//! A store of RDF.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use manicule::graph::{
    AnswerCall, DefaultGraphChoice, Part, QuadPattern, QueryLimits, UpdateCall, backup,
};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::answers::{QuerySolutions, QueryTriples, Rows};
use super::arguments::{all, dataset, load_call, name_of, refuse, with_prefixes};
use super::errors::raised_graph;
use super::formats::RdfFormat;
use super::handle::Handle;
use super::places::{Target, returned};
use super::quad::Quad;
use super::quads::QuadIterator;
use super::question::Parts;
use super::results::QueryBoolean;
use super::terms::{graph, named, node, of_node, term};
use super::transaction::Transaction;
use super::writer::serializer;
use crate::calls::run;

type Value<'py> = Bound<'py, PyAny>;

/// A store of RDF, which one process writes at a time and any number read.
///
/// Each method that changes it is one commit: all of it is on the disk when the method returns, or
/// nothing is changed. Threads' commits are synced together.
#[pyclass(frozen, weakref, module = "manicule.graph")]
pub(crate) struct Store {
    handle: Arc<Handle>,
}

#[pymethods]
impl Store {
    #[new]
    #[pyo3(signature = (path=None))]
    fn new(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Store> {
        Ok(Store { handle: Arc::new(Handle::open(py, path)?) })
    }

    /// Opens a store, or one at an address, to be read, whoever writes it. It shows the moment at
    /// which it was opened or last `look_again`-ed.
    #[staticmethod]
    fn read_only(py: Python<'_>, path: PathBuf) -> PyResult<Store> {
        Ok(Store { handle: Arc::new(Handle::read_only(py, path)?) })
    }

    /// Its folder.
    #[getter]
    fn path(&self) -> PathBuf {
        self.handle.path().to_owned()
    }

    /// Adds a quad.
    fn add(&self, py: Python<'_>, quad: &Bound<'_, Quad>) -> PyResult<()> {
        self.insert(py, vec![quad.get().0.clone()])
    }

    /// Adds quads, all in one commit.
    fn extend(&self, py: Python<'_>, quads: &Value<'_>) -> PyResult<()> {
        self.insert(py, all(quads)?)
    }

    /// As `extend`.
    fn bulk_extend(&self, py: Python<'_>, quads: &Value<'_>) -> PyResult<()> {
        self.insert(py, all(quads)?)
    }

    /// Removes a quad, if it is there.
    fn remove(&self, py: Python<'_>, quad: &Bound<'_, Quad>) -> PyResult<()> {
        let mut quad = quad.get().0.clone();
        self.handle.change(py, |transaction, labels| {
            labels.own_quad(&mut quad);
            transaction.remove(quad.as_ref())
        })
    }

    /// Makes a graph, be it empty.
    fn add_graph(&self, py: Python<'_>, graph_name: &Value<'_>) -> PyResult<()> {
        let Some(mut name) = name_of(graph(graph_name)?) else { return Ok(()) };
        self.handle.change(py, |transaction, labels| {
            labels.own_node(&mut name);
            transaction.create_graph(name.as_ref())
        })
    }

    /// Removes the quads of a graph, which stays.
    fn clear_graph(&self, py: Python<'_>, graph_name: &Value<'_>) -> PyResult<()> {
        let mut name = graph(graph_name)?;
        self.handle.change(py, |transaction, labels| {
            labels.own_graph(&mut name);
            transaction.clear_graph(name.as_ref())
        })
    }

    /// Removes a graph and its quads.
    fn remove_graph(&self, py: Python<'_>, graph_name: &Value<'_>) -> PyResult<()> {
        let mut name = graph(graph_name)?;
        self.handle.change(py, |transaction, labels| {
            labels.own_graph(&mut name);
            match name_of(name) {
                Some(name) => transaction.drop_graph(name.as_ref()),
                // It is always there.
                None => transaction.clear_graph(oxrdf::GraphNameRef::DefaultGraph),
            }
        })
    }

    /// Removes all quads and graphs.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.handle.change(py, |transaction, _| transaction.clear())
    }

    /// The quads that have these terms, as they are now, whatever is written meanwhile.
    #[pyo3(signature = (subject, predicate, object, graph_name=None))]
    fn quads_for_pattern(
        &self,
        py: Python<'_>,
        subject: Option<&Value<'_>>,
        predicate: Option<&Value<'_>>,
        object: Option<&Value<'_>>,
        graph_name: Option<&Value<'_>>,
    ) -> PyResult<QuadIterator> {
        self.quads(
            py,
            QuadPattern {
                subject: subject.map(node).transpose()?,
                predicate: predicate.map(named).transpose()?,
                object: object.map(term).transpose()?,
                graph: graph_name.map(graph).transpose()?,
            },
        )
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<QuadIterator> {
        self.quads(py, QuadPattern::default())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let (reading, _) = self.handle.reading(py)?;
        let count = reading.store().quad_count().map_err(|error| raised_graph(py, error))?;
        Ok(usize::try_from(count).expect("quads fit into the address space"))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        let (reading, _) = self.handle.reading(py)?;
        reading.store().has(&QuadPattern::default()).map_err(|error| raised_graph(py, error))
    }

    fn __contains__(&self, py: Python<'_>, quad: &Bound<'_, Quad>) -> PyResult<bool> {
        let (reading, labels) = self.handle.reading(py)?;
        let mut quad = quad.get().0.clone();
        labels.own_quad(&mut quad);
        let pattern = QuadPattern {
            subject: Some(quad.subject),
            predicate: Some(quad.predicate),
            object: Some(quad.object),
            graph: Some(quad.graph_name),
        };
        reading.store().has(&pattern).map_err(|error| raised_graph(py, error))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let mut quads = self.quads(py, QuadPattern::default())?;
        let mut text = String::new();
        while let Some(quad) = quads.next(py)? {
            text += &format!("{quad} .\n");
        }
        Ok(text)
    }

    /// The names of the named graphs.
    fn named_graphs<'py>(&self, py: Python<'py>) -> PyResult<Value<'py>> {
        let (reading, labels) = self.handle.reading(py)?;
        let names = reading.store().graph_names().map_err(|error| raised_graph(py, error))?;
        let shown = names.into_iter().map(|mut name| {
            labels.shown_node(&mut name);
            of_node(py, name)
        });
        Ok(shown.collect::<PyResult<Vec<_>>>()?.into_bound_py_any(py)?.try_iter()?.into_any())
    }

    /// Whether there is a graph of a name.
    fn contains_named_graph(&self, py: Python<'_>, graph_name: &Value<'_>) -> PyResult<bool> {
        let (reading, labels) = self.handle.reading(py)?;
        let mut name = graph(graph_name)?;
        labels.own_graph(&mut name);
        let Some(name) = name_of(name) else { return Ok(true) };
        reading.store().has_graph(name.as_ref()).map_err(|error| raised_graph(py, error))
    }

    /// Asks a query of SPARQL 1.2.
    ///
    /// The last three arguments are pyoxigraph's, and refused.
    ///
    /// Raises `QuerySyntaxError` if it is none; the place is said.
    #[pyo3(signature = (
        query, *, base_iri=None, prefixes=None, use_default_graph_as_union=false,
        default_graph=None, named_graphs=None, substitutions=None, custom_functions=None,
        custom_aggregate_functions=None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "as Python has them, by name")]
    fn query<'py>(
        &self,
        py: Python<'py>,
        query: &str,
        base_iri: Option<String>,
        prefixes: Option<BTreeMap<String, String>>,
        use_default_graph_as_union: bool,
        default_graph: Option<&Value<'py>>,
        named_graphs: Option<&Value<'py>>,
        substitutions: Option<&Value<'py>>,
        custom_functions: Option<&Value<'py>>,
        custom_aggregate_functions: Option<&Value<'py>>,
    ) -> PyResult<Value<'py>> {
        refuse(py, "substitutions", substitutions)?;
        refuse(py, "custom_functions", custom_functions)?;
        refuse(py, "custom_aggregate_functions", custom_aggregate_functions)?;
        let (reading, labels) = self.handle.reading(py)?;
        let call = AnswerCall {
            text: with_prefixes(query, prefixes)?,
            base: base_iri,
            default_graph: if use_default_graph_as_union {
                DefaultGraphChoice::Union
            } else {
                DefaultGraphChoice::Own
            },
            dataset: dataset(default_graph, named_graphs, &labels)?,
            limits: QueryLimits::NONE,
        };
        let mut parts = Parts::asked(py, reading, call)?;
        match parts.next(py)? {
            Some(Part::Boolean(answer)) => QueryBoolean(answer).into_bound_py_any(py),
            Some(Part::Triples) => QueryTriples::new(parts, labels).into_bound_py_any(py),
            Some(Part::Variables(variables)) => {
                let rows = Rows::Asked(parts, labels);
                QuerySolutions::new(variables, rows).into_bound_py_any(py)
            }
            other => unreachable!("no answer begins with {other:?}"),
        }
    }

    /// Does a request of SPARQL 1.2 Update, all of it in one commit.
    ///
    /// Raises `QuerySyntaxError` if it is none; the place is said.
    #[pyo3(signature = (
        update, *, base_iri=None, prefixes=None, custom_functions=None,
        custom_aggregate_functions=None,
    ))]
    fn update(
        &self,
        py: Python<'_>,
        update: &str,
        base_iri: Option<String>,
        prefixes: Option<BTreeMap<String, String>>,
        custom_functions: Option<&Value<'_>>,
        custom_aggregate_functions: Option<&Value<'_>>,
    ) -> PyResult<()> {
        refuse(py, "custom_functions", custom_functions)?;
        refuse(py, "custom_aggregate_functions", custom_aggregate_functions)?;
        let call =
            UpdateCall { base: base_iri, ..UpdateCall::new(with_prefixes(update, prefixes)?) };
        self.handle.write_long(py, move |writer, watch| writer.update(&call, watch).map(drop))
    }

    /// Loads a document in one commit, beside other changes. Files may be compressed. With
    /// `lenient` a bad statement is left out.
    ///
    /// Raises `DocumentSyntaxError` if it is none of its format; the place is said.
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
        self.handle.write_long(py, move |writer, watch| {
            let mut transaction = writer.begin()?;
            transaction.load(&call, watch)?;
            transaction.commit().map(drop)
        })
    }

    /// As `load`; a store to which nothing was ever written is filled by several threads, without
    /// the log.
    #[pyo3(signature = (
        input=None, format=None, *, path=None, base_iri=None, to_graph=None, lenient=false,
    ))]
    #[expect(clippy::too_many_arguments, reason = "as Python has them, by name")]
    fn bulk_load(
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
        self.handle.write_long(py, move |writer, watch| writer.load(&call, watch).map(drop))
    }

    /// Changes that hold together: `with store.transaction() as changes:` commits them at its end,
    /// and forgets them where it is left by an exception. Other threads that write wait for it.
    fn transaction(&self) -> Transaction {
        Transaction::new(Arc::clone(&self.handle))
    }

    /// Writes all quads, or the triples of a graph, as a document.
    #[pyo3(signature = (output=None, format=None, *, from_graph=None, prefixes=None, base_iri=None))]
    fn dump<'py>(
        &self,
        py: Python<'py>,
        output: Option<&Value<'py>>,
        format: Option<PyRef<'py, RdfFormat>>,
        from_graph: Option<&Value<'py>>,
        prefixes: Option<BTreeMap<String, String>>,
        base_iri: Option<&str>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let target = Target::of(output)?;
        let format = RdfFormat::of_target(format, &target)?;
        let graph = from_graph.map(graph).transpose()?;
        let has_graph = graph.is_some();
        if !has_graph && !format.supports_datasets() {
            let why = format!("{} has no named graphs: say from_graph", format.name());
            return Err(PyValueError::new_err(why));
        }
        let serializer = serializer(format, prefixes, base_iri)?;
        let mut quads = self.quads(py, QuadPattern { graph, ..QuadPattern::default() })?;
        let document = target.written(|out| -> PyResult<()> {
            let mut document = serializer.for_writer(out);
            while let Some(quad) = quads.next(py)? {
                if has_graph {
                    document.serialize_triple(&oxrdf::Triple::from(quad))?;
                } else {
                    document.serialize_quad(&quad)?;
                }
            }
            document.finish()?;
            Ok(())
        })?;
        Ok(returned(py, document))
    }

    /// Writes the store from scratch: all commits in full leaves.
    fn optimize(&self, py: Python<'_>) -> PyResult<()> {
        self.handle
            .write_long(py, |writer, watch| writer.compact(&Default::default(), watch).map(drop))
    }

    /// Waits for a merge that is being made. Commits are durable already.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.handle.write_long(py, |writer, _| writer.wait_for_merge())
    }

    /// Copies the store into a folder that isn't there or is empty.
    fn backup(&self, py: Python<'_>, target_directory: PathBuf) -> PyResult<()> {
        let path = self.handle.path().to_owned();
        let copied =
            run(
                py,
                None,
                move |watch| Ok(backup(&path, None, &target_directory, watch).map(drop)),
            )?;
        copied.map_err(|error| raised_graph(py, error))
    }

    /// Has a store that is open to be read show what others have committed since.
    fn look_again(&self, py: Python<'_>) -> PyResult<()> {
        let (reading, _) = self.handle.reading(py)?;
        py.detach(|| reading.store().look_again()).map_err(|error| raised_graph(py, error))
    }
}

impl Store {
    fn insert(&self, py: Python<'_>, mut quads: Vec<oxrdf::Quad>) -> PyResult<()> {
        self.handle.change(py, move |transaction, labels| {
            quads.iter_mut().try_for_each(|quad| {
                labels.own_quad(quad);
                transaction.insert(quad.as_ref())
            })
        })
    }

    fn quads(&self, py: Python<'_>, mut pattern: QuadPattern) -> PyResult<QuadIterator> {
        let (reading, labels) = self.handle.reading(py)?;
        if let Some(node) = &mut pattern.subject {
            labels.own_node(node);
        }
        if let Some(term) = &mut pattern.object {
            labels.own_term(term);
        }
        if let Some(name) = &mut pattern.graph {
            labels.own_graph(name);
        }
        let scan = reading.store().scan(&pattern).map_err(|error| raised_graph(py, error))?;
        Ok(QuadIterator::new(scan, labels))
    }
}

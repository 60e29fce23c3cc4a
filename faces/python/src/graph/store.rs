//! A store of RDF.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

use manicule::graph::{
    AnswerCall, DefaultGraphChoice, LoadCall, NamedDataset, OnFault, Part, QuadPattern,
    QueryLimits, UpdateCall, backup,
};
use manicule::{ErrorClass, Failure};
use oxrdf::{GraphName, NamedOrBlankNode};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::answers::{QuerySolutions, QueryTriples, Rows};
use super::errors::{raised_graph, raised_io};
use super::formats::{RdfFormat, syntax};
use super::handle::Handle;
use super::labels::Labels;
use super::places::{Input, Target, returned};
use super::quads::QuadIterator;
use super::question::Parts;
use super::results::QueryBoolean;
use super::terms::{graph, named, node, of_node, term};
use super::triples::Quad;
use super::writer::serializer;
use crate::calls::run;
use crate::errors::raised;

type Value<'py> = Bound<'py, PyAny>;

/// What messages call a document that is no file.
const GIVEN: &str = "<input>";

/// A store of RDF, which one process writes at a time and any number read.
///
/// Each method that changes it is one commit: all of it is on the disk when the method returns, or
/// nothing is changed. Threads' commits are synced together.
#[pyclass(frozen, weakref, module = "manicule.graph")]
pub(crate) struct Store {
    handle: Handle,
}

#[pymethods]
impl Store {
    #[new]
    #[pyo3(signature = (path=None))]
    fn new(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Store> {
        Ok(Store { handle: Handle::open(py, path)? })
    }

    /// Opens a store, or one at an address, to be read, whoever writes it. It shows the moment at
    /// which it was opened or last `look_again`-ed.
    #[staticmethod]
    fn read_only(py: Python<'_>, path: PathBuf) -> PyResult<Store> {
        Ok(Store { handle: Handle::read_only(py, path)? })
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

    /// Asks a query of SPARQL 1.1.
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

    /// Does a request of SPARQL 1.1 Update, all of it in one commit.
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
        let call = UpdateCall {
            text: with_prefixes(update, prefixes)?,
            base: base_iri,
            default_graph: DefaultGraphChoice::Own,
            limits: QueryLimits::NONE,
        };
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

/// Refuses an argument of pyoxigraph's that the engine can't heed.
fn refuse(py: Python<'_>, name: &str, value: Option<&Value<'_>>) -> PyResult<()> {
    match value {
        Some(value) if value.is_truthy()? => {
            let why = format!("{name}: queries are answered in Rust alone; use BIND and VALUES");
            Err(raised(py, &Failure::new(ErrorClass::Unsupported, why)))
        }
        _ => Ok(()),
    }
}

/// The quads of an iterable.
fn all(quads: &Value<'_>) -> PyResult<Vec<oxrdf::Quad>> {
    quads.try_iter()?.map(|quad| Ok(quad?.cast::<Quad>()?.get().0.clone())).collect()
}

/// The name of a graph that has one.
fn name_of(name: GraphName) -> Option<NamedOrBlankNode> {
    match name {
        GraphName::NamedNode(node) => Some(node.into()),
        GraphName::BlankNode(node) => Some(node.into()),
        GraphName::DefaultGraph => None,
    }
}

/// The graphs that a query is asked of, where some are named.
fn dataset(
    default_graph: Option<&Value<'_>>,
    named_graphs: Option<&Value<'_>>,
    labels: &Labels,
) -> PyResult<Option<NamedDataset>> {
    if default_graph.is_none() && named_graphs.is_none() {
        return Ok(None);
    }
    let name = |value: &Value<'_>| {
        let mut name = graph(value)?;
        labels.own_graph(&mut name);
        Ok(name)
    };
    let default = default_graph.map(|value| match name(value) {
        Ok(one) => Ok(vec![one]),
        Err(_) => value.try_iter()?.map(|value| name(&value?)).collect::<PyResult<Vec<_>>>(),
    });
    let named = named_graphs.map(|names| {
        let node = |value: PyResult<Value<'_>>| {
            let mut name = node(&value?)?;
            labels.own_node(&mut name);
            Ok(name)
        };
        names.try_iter()?.map(node).collect::<PyResult<Vec<_>>>()
    });
    Ok(Some(NamedDataset { default: default.transpose()?, named: named.transpose()? }))
}

/// A text after declarations of prefixes, which are on its first line: places stay what they are
/// below it.
fn with_prefixes(text: &str, prefixes: Option<BTreeMap<String, String>>) -> PyResult<String> {
    let mut whole = String::new();
    for (name, iri) in prefixes.into_iter().flatten() {
        let is_plain = |char: char| char.is_alphanumeric() || "_-.".contains(char);
        if !name.chars().all(is_plain) {
            return Err(PyValueError::new_err(format!("{name:?} is no name of a prefix")));
        }
        let iri = oxrdf::NamedNode::new(iri);
        let iri = iri.map_err(|error| PyValueError::new_err(error.to_string()))?;
        whole += &format!("PREFIX {name}: {iri} ");
    }
    Ok(whole + text)
}

fn load_call(
    py: Python<'_>,
    input: Option<&Value<'_>>,
    format: Option<PyRef<'_, RdfFormat>>,
    path: Option<PathBuf>,
    base_iri: Option<String>,
    to_graph: Option<&Value<'_>>,
    lenient: bool,
) -> PyResult<LoadCall> {
    let input = Input::of(input, path)?;
    let syntax = match (&format, input.path()) {
        // A name may say more than a format's, as that it is compressed.
        (None, Some(_)) => None,
        _ => Some(syntax(RdfFormat::of(format, input.path())?)?),
    };
    let graph = match to_graph.map(graph).transpose()? {
        None | Some(GraphName::DefaultGraph) => None,
        Some(GraphName::NamedNode(node)) => Some(node.into_string()),
        Some(GraphName::BlankNode(_)) => {
            let why = "a document is loaded into the default graph or into one with an IRI";
            return Err(raised(py, &Failure::asked(why)));
        }
    };
    let (mut files, mut texts) = (Vec::new(), Vec::new());
    match input {
        // An absolute name is never that of standard input.
        Input::File(path) => files.push(std::path::absolute(path).map_err(raised_io)?),
        Input::Bytes(bytes) => texts.push((GIVEN.into(), bytes.into())),
        Input::Reader(mut reader) => {
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).map_err(raised_io)?;
            texts.push((GIVEN.into(), bytes.into()));
        }
    }
    let on_fault = if lenient { OnFault::LeaveOut } else { OnFault::Stop };
    Ok(LoadCall { texts, syntax, base: base_iri, graph, on_fault, ..LoadCall::new(files) })
}

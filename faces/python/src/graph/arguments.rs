//! Arguments of the methods that read and change a store.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

use manicule::graph::{LoadCall, NamedDataset, OnFault};
use manicule::{ErrorClass, Failure};
use oxrdf::{GraphName, NamedOrBlankNode};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::errors::raised_io;
use super::formats::{RdfFormat, syntax};
use super::labels::Labels;
use super::places::Input;
use super::quad::Quad;
use super::terms::{graph, node};
use crate::errors::raised;

type Value<'py> = Bound<'py, PyAny>;

/// What messages call a document that is no file.
const GIVEN: &str = "<input>";

/// Refuses an argument of pyoxigraph's that the engine can't heed.
pub(super) fn refuse(py: Python<'_>, name: &str, value: Option<&Value<'_>>) -> PyResult<()> {
    match value {
        Some(value) if value.is_truthy()? => {
            let why = format!("{name}: queries are answered in Rust alone; use BIND and VALUES");
            Err(raised(py, &Failure::new(ErrorClass::Unsupported, why)))
        }
        _ => Ok(()),
    }
}

/// The quads of an iterable.
pub(super) fn all(quads: &Value<'_>) -> PyResult<Vec<oxrdf::Quad>> {
    quads.try_iter()?.map(|quad| Ok(quad?.cast::<Quad>()?.get().0.clone())).collect()
}

/// The name of a graph that has one.
pub(super) fn name_of(name: GraphName) -> Option<NamedOrBlankNode> {
    match name {
        GraphName::NamedNode(node) => Some(node.into()),
        GraphName::BlankNode(node) => Some(node.into()),
        GraphName::DefaultGraph => None,
    }
}

/// The graphs that a query is asked of, where some are named.
pub(super) fn dataset(
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
pub(super) fn with_prefixes(
    text: &str,
    prefixes: Option<BTreeMap<String, String>>,
) -> PyResult<String> {
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

/// The arguments of a load.
pub(super) fn load_call(
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

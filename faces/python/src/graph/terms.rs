//! Terms as values of Python.

use std::cmp::Ordering;
use std::iter;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyIterator, PyString, PyTuple};

type Value<'py> = Bound<'py, PyAny>;

/// Maximum number of triples inside each other.
const LEVELS_MAX: usize = manicule::graph::TRIPLE_LEVELS_MAX;

/// A class whose values have one text: of `made` it is made, by Python's `value`.
macro_rules! of_one_text {
    ($(#[$about:meta])* $name:ident, $value:ident: $kind:ty, $signature:tt, $made:expr) => {
        $(#[$about])*
        #[pyclass(frozen, eq, ord, hash, module = "manicule.graph")]
        #[derive(PartialEq, Eq, Hash)]
        pub(crate) struct $name(pub(super) oxrdf::$name);

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.as_str().cmp(other.0.as_str())
            }
        }

        #[pymethods]
        impl $name {
            #[classattr]
            fn __match_args__() -> (&'static str,) {
                ("value",)
            }

            #[new]
            #[pyo3(signature = $signature)]
            fn new($value: $kind) -> PyResult<$name> {
                Ok($name($made))
            }

            #[getter]
            fn value(&self) -> &str {
                self.0.as_str()
            }

            fn __str__(&self) -> String {
                self.0.to_string()
            }

            fn __repr__(&self) -> String {
                format!(concat!("<", stringify!($name), " value={}>"), self.0.as_str())
            }

            fn __getnewargs__(&self) -> (&str,) {
                (self.0.as_str(),)
            }

            fn __copy__(own: Py<Self>) -> Py<Self> {
                own
            }

            fn __deepcopy__(own: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
                let _ = memo;
                own
            }
        }
    };
}

of_one_text!(
    /// An IRI.
    NamedNode, value: String, (value), oxrdf::NamedNode::new(value).map_err(wrong)?
);
of_one_text!(
    /// A blank node.
    ///
    /// A store knows the label of a node as long as it is open; then the node has one of the
    /// store's own, `b` and a number.
    BlankNode, value: Option<String>, (value = None), match value {
    None => oxrdf::BlankNode::default(),
    Some(label) => oxrdf::BlankNode::new(label).map_err(wrong)?,
}
);
of_one_text!(
    /// A variable of a query.
    Variable, value: String, (value), oxrdf::Variable::new(value).map_err(wrong)?
);

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A literal. Of an int, a float or a bool without a datatype it has the one of that.
#[pyclass(frozen, eq, hash, module = "manicule.graph")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Literal(pub(super) oxrdf::Literal);

#[pymethods]
impl Literal {
    #[classattr]
    fn __match_args__() -> (&'static str,) {
        ("value",)
    }

    #[new]
    #[pyo3(signature = (value, *, datatype=None, language=None, direction=None))]
    fn new(
        value: &Bound<'_, PyAny>,
        datatype: Option<PyRef<'_, NamedNode>>,
        language: Option<String>,
        direction: Option<&str>,
    ) -> PyResult<Literal> {
        let datatype = datatype.map(|datatype| datatype.0.clone());
        if let Some(language) = language {
            let text: String = value.extract()?;
            let literal = match direction.map(base_direction).transpose()? {
                Some(direction) => {
                    let new = oxrdf::Literal::new_directional_language_tagged_literal;
                    new(text, language, direction)
                }
                None => oxrdf::Literal::new_language_tagged_literal(text, language),
            };
            let literal = literal.map_err(wrong)?;
            return match datatype {
                Some(datatype) if datatype.as_ref() != literal.datatype() => Err(wrong(
                    "the datatype of a literal with a language is rdf:langString, with a direction too rdf:dirLangString",
                )),
                _ => Ok(Literal(literal)),
            };
        }
        if direction.is_some() {
            return Err(wrong("a literal with a direction has a language"));
        }
        let own = of_value(value)?;
        Ok(Literal(match datatype {
            Some(datatype) => oxrdf::Literal::new_typed_literal(own.value(), datatype),
            None => own,
        }))
    }

    #[getter]
    fn value(&self) -> &str {
        self.0.value()
    }

    #[getter]
    fn language(&self) -> Option<&str> {
        self.0.language()
    }

    #[getter]
    fn direction(&self) -> Option<&'static str> {
        self.0.direction().map(direction_name)
    }

    #[getter]
    fn datatype(&self) -> NamedNode {
        NamedNode(self.0.datatype().into_owned())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        repr_literal(&self.0)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&str,), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        if let Some(language) = self.0.language() {
            named.set_item("language", language)?;
            if let Some(direction) = self.direction() {
                named.set_item("direction", direction)?;
            }
        } else if self.0.datatype() != oxrdf::vocab::xsd::STRING {
            named.set_item("datatype", self.datatype())?;
        }
        Ok(((self.0.value(),), named))
    }

    fn __copy__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __deepcopy__(own: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        own
    }
}

/// A base direction by its name.
fn base_direction(name: &str) -> PyResult<oxrdf::BaseDirection> {
    match name {
        "ltr" => Ok(oxrdf::BaseDirection::Ltr),
        "rtl" => Ok(oxrdf::BaseDirection::Rtl),
        _ => Err(wrong(format!("a direction is ltr or rtl, not {name}"))),
    }
}

fn direction_name(direction: oxrdf::BaseDirection) -> &'static str {
    match direction {
        oxrdf::BaseDirection::Ltr => "ltr",
        oxrdf::BaseDirection::Rtl => "rtl",
    }
}

/// A value of Python's as the literal that it is without more said.
fn of_value(value: &Bound<'_, PyAny>) -> PyResult<oxrdf::Literal> {
    if value.is_instance_of::<PyString>() {
        Ok(oxrdf::Literal::new_simple_literal(value.extract::<String>()?))
    } else if value.is_instance_of::<PyBool>() {
        Ok(oxrdf::Literal::from(value.extract::<bool>()?))
    } else if value.is_instance_of::<PyInt>() {
        // Of any length.
        let digits = value.str()?.to_string();
        Ok(oxrdf::Literal::new_typed_literal(digits, oxrdf::vocab::xsd::INTEGER))
    } else if value.is_instance_of::<PyFloat>() {
        Ok(oxrdf::Literal::from(value.extract::<f64>()?))
    } else {
        Err(wrong("the value of a literal is a str, an int, a float or a bool"))
    }
}

/// A triple that is said, whose object may have as many levels as a term may.
pub(super) fn statement(
    subject: &Value<'_>,
    predicate: &Value<'_>,
    object: &Value<'_>,
) -> PyResult<oxrdf::Triple> {
    let (subject, predicate) = (node(subject)?, named(predicate)?);
    Ok(oxrdf::Triple { subject, predicate, object: term(object)? })
}

/// Three terms.
#[pyclass(frozen, eq, hash, module = "manicule.graph")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Triple(pub(super) oxrdf::Triple);

#[pymethods]
impl Triple {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str, &'static str) {
        ("subject", "predicate", "object")
    }

    #[new]
    fn new(subject: &Value<'_>, predicate: &Value<'_>, object: &Value<'_>) -> PyResult<Triple> {
        let triple = statement(subject, predicate, object)?;
        // Who walks through a term calls itself for each level.
        let inside = iter::successors(Some(&triple.object), |term| match term {
            oxrdf::Term::Triple(triple) => Some(&triple.object),
            _ => None,
        });
        if inside.count() > LEVELS_MAX {
            return Err(wrong(format!("more than {LEVELS_MAX} triples inside each other")));
        }
        Ok(Triple(triple))
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

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Triple {}>", repr_places(&self.0))
    }

    fn __len__(&self) -> usize {
        3
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Value<'py>> {
        match index {
            0 => self.subject(py),
            1 => self.predicate(py),
            2 => self.object(py),
            _ => Err(PyIndexError::new_err("a triple has three terms")),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.__getnewargs__(py)?.try_iter()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, [self.subject(py)?, self.predicate(py)?, self.object(py)?])
    }

    fn __copy__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __deepcopy__(own: Py<Self>, memo: &Value<'_>) -> Py<Self> {
        let _ = memo;
        own
    }
}

/// The name of the graph that has none.
#[pyclass(frozen, eq, hash, module = "manicule.graph")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct DefaultGraph;

#[pymethods]
impl DefaultGraph {
    #[new]
    fn new() -> DefaultGraph {
        DefaultGraph
    }

    fn __str__(&self) -> &'static str {
        "DEFAULT"
    }

    fn __repr__(&self) -> &'static str {
        "<DefaultGraph>"
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        PyTuple::empty(py)
    }

    fn __copy__(own: Py<Self>) -> Py<Self> {
        own
    }

    fn __deepcopy__(own: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        own
    }
}

pub(super) fn repr_literal(literal: &oxrdf::Literal) -> String {
    match literal.language() {
        Some(language) => {
            let direction = literal.direction().map(direction_name);
            let direction = direction.map(|direction| format!(" direction={direction}"));
            let direction = direction.unwrap_or_default();
            format!("<Literal value={} language={language}{direction}>", literal.value())
        }
        None => {
            let datatype = literal.datatype().as_str();
            format!("<Literal value={} datatype=<NamedNode value={datatype}>>", literal.value())
        }
    }
}

pub(super) fn repr_places(triple: &oxrdf::Triple) -> String {
    let [subject, predicate, object] = [
        repr_term(&triple.subject.clone().into()),
        repr_term(&triple.predicate.clone().into()),
        repr_term(&triple.object),
    ];
    format!("subject={subject} predicate={predicate} object={object}")
}

pub(super) fn repr_term(term: &oxrdf::Term) -> String {
    match term {
        oxrdf::Term::NamedNode(node) => format!("<NamedNode value={}>", node.as_str()),
        oxrdf::Term::BlankNode(node) => format!("<BlankNode value={}>", node.as_str()),
        oxrdf::Term::Literal(literal) => repr_literal(literal),
        oxrdf::Term::Triple(triple) => format!("<Triple {}>", repr_places(triple)),
    }
}

/// A term as a value.
pub(super) fn of_term(py: Python<'_>, term: oxrdf::Term) -> PyResult<Value<'_>> {
    match term {
        oxrdf::Term::NamedNode(node) => NamedNode(node).into_bound_py_any(py),
        oxrdf::Term::BlankNode(node) => BlankNode(node).into_bound_py_any(py),
        oxrdf::Term::Literal(literal) => Literal(literal).into_bound_py_any(py),
        oxrdf::Term::Triple(triple) => Triple(*triple).into_bound_py_any(py),
    }
}

/// An IRI or a blank node as a value.
pub(super) fn of_node(py: Python<'_>, node: oxrdf::NamedOrBlankNode) -> PyResult<Value<'_>> {
    of_term(py, node.into())
}

/// The name of a graph as a value.
pub(super) fn of_graph(py: Python<'_>, name: oxrdf::GraphName) -> PyResult<Value<'_>> {
    match name {
        oxrdf::GraphName::NamedNode(node) => NamedNode(node).into_bound_py_any(py),
        oxrdf::GraphName::BlankNode(node) => BlankNode(node).into_bound_py_any(py),
        oxrdf::GraphName::DefaultGraph => DefaultGraph.into_bound_py_any(py),
    }
}

/// What can't be a term of a place.
fn not_one(what: &str, value: &Value<'_>) -> PyErr {
    let kind = value.get_type();
    let kind = kind.name().map_or_else(|_| String::new(), |name| name.to_string());
    PyTypeError::new_err(format!("{what}, not {kind}"))
}

/// A value as a term.
pub(super) fn term(value: &Value<'_>) -> PyResult<oxrdf::Term> {
    if let Ok(node) = value.cast::<NamedNode>() {
        Ok(node.get().0.clone().into())
    } else if let Ok(node) = value.cast::<BlankNode>() {
        Ok(node.get().0.clone().into())
    } else if let Ok(literal) = value.cast::<Literal>() {
        Ok(literal.get().0.clone().into())
    } else if let Ok(triple) = value.cast::<Triple>() {
        Ok(triple.get().0.clone().into())
    } else {
        Err(not_one("a NamedNode, a BlankNode, a Literal or a Triple is wanted", value))
    }
}

/// A value as a subject.
pub(super) fn node(value: &Value<'_>) -> PyResult<oxrdf::NamedOrBlankNode> {
    if let Ok(node) = value.cast::<NamedNode>() {
        Ok(node.get().0.clone().into())
    } else if let Ok(node) = value.cast::<BlankNode>() {
        Ok(node.get().0.clone().into())
    } else {
        Err(not_one("a NamedNode or a BlankNode is wanted", value))
    }
}

/// A value as a predicate.
pub(super) fn named(value: &Value<'_>) -> PyResult<oxrdf::NamedNode> {
    match value.cast::<NamedNode>() {
        Ok(node) => Ok(node.get().0.clone()),
        Err(_) => Err(not_one("a NamedNode is wanted", value)),
    }
}

/// A value as the name of a graph.
pub(super) fn graph(value: &Value<'_>) -> PyResult<oxrdf::GraphName> {
    if value.is_instance_of::<DefaultGraph>() {
        return Ok(oxrdf::GraphName::DefaultGraph);
    }
    let wanted = "a NamedNode, a BlankNode or the DefaultGraph is wanted";
    node(value).map(Into::into).map_err(|_| not_one(wanted, value))
}

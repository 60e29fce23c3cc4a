//! Triples and quads written without a store.

use std::collections::BTreeMap;
use std::io::Write;

use oxrdfio::{RdfSerializer, WriterQuadSerializer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::formats::RdfFormat;
use super::places::{Target, returned};
use super::quad::Quad;
use super::terms::Triple;

/// Writes triples or quads as a document of RDF.
#[pyfunction]
#[pyo3(signature = (input, output=None, format=None, *, prefixes=None, base_iri=None))]
pub(crate) fn serialize<'py>(
    py: Python<'py>,
    input: &Bound<'py, PyAny>,
    output: Option<&Bound<'py, PyAny>>,
    format: Option<PyRef<'py, RdfFormat>>,
    prefixes: Option<BTreeMap<String, String>>,
    base_iri: Option<&str>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let target = Target::of(output)?;
    let format = RdfFormat::of_target(format, &target)?;
    let serializer = serializer(format, prefixes, base_iri)?;
    let document = target.written(|out| -> PyResult<()> {
        let mut document = serializer.for_writer(out);
        for item in input.try_iter()? {
            put(&mut document, &item?, format)?;
        }
        document.finish()?;
        Ok(())
    })?;
    Ok(returned(py, document))
}

fn put<W: Write>(
    document: &mut WriterQuadSerializer<W>,
    item: &Bound<'_, PyAny>,
    format: oxrdfio::RdfFormat,
) -> PyResult<()> {
    if let Ok(triple) = item.cast::<Triple>() {
        return Ok(document.serialize_triple(&triple.get().0)?);
    }
    let Ok(quad) = item.cast::<Quad>() else {
        return Err(PyTypeError::new_err("triples or quads are wanted"));
    };
    let quad = &quad.get().0;
    if !quad.graph_name.is_default_graph() && !format.supports_datasets() {
        let why = format!("{} has no named graphs", format.name());
        return Err(PyValueError::new_err(why));
    }
    Ok(document.serialize_quad(quad)?)
}

/// A serializer with prefixes and a base.
pub(super) fn serializer(
    format: oxrdfio::RdfFormat,
    prefixes: Option<BTreeMap<String, String>>,
    base_iri: Option<&str>,
) -> PyResult<RdfSerializer> {
    let wrong = |error: String| PyValueError::new_err(error);
    let mut serializer = RdfSerializer::from_format(format);
    for (name, iri) in prefixes.into_iter().flatten() {
        serializer = serializer.with_prefix(name, iri).map_err(|e| wrong(e.to_string()))?;
    }
    if let Some(base) = base_iri {
        serializer = serializer.with_base_iri(base).map_err(|e| wrong(e.to_string()))?;
    }
    Ok(serializer)
}

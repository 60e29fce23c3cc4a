//! Formats of documents and of answers.

use std::path::Path;

use manicule::graph::{RowFormat, Syntax};
use oxrdfio::{JsonLdProfile, RdfFormat as Rdf};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sparesults::QueryResultsFormat as Results;

use super::places::Target;

/// What both classes of formats have.
macro_rules! format_class {
    ($(#[$about:meta])* $name:ident($inner:ty) { $($constant:ident = $value:expr,)* } $($own:tt)*) => {
        $(#[$about])*
        #[pyclass(frozen, eq, hash, module = "manicule.graph")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) struct $name(pub(super) $inner);

        #[pymethods]
        impl $name {
            $(
                #[classattr]
                #[expect(non_snake_case, reason = "as Python spells constants")]
                fn $constant() -> $name {
                    $name($value)
                }
            )*

            $($own)*

            #[getter]
            fn iri(&self) -> &'static str {
                self.0.iri()
            }

            #[getter]
            fn media_type(&self) -> &'static str {
                self.0.media_type()
            }

            #[getter]
            fn file_extension(&self) -> &'static str {
                self.0.file_extension()
            }

            #[getter]
            fn name(&self) -> &'static str {
                self.0.name()
            }

            #[staticmethod]
            fn from_media_type(media_type: &str) -> Option<$name> {
                <$inner>::from_media_type(media_type).map($name)
            }

            #[staticmethod]
            fn from_extension(extension: &str) -> Option<$name> {
                <$inner>::from_extension(extension).map($name)
            }

            fn __str__(&self) -> &'static str {
                self.0.name()
            }

            fn __repr__(&self) -> String {
                format!(concat!("<", stringify!($name), " {}>"), self.0.name())
            }

            /// By its media type, which tells all formats apart.
            fn __reduce__<'py>(
                &self,
                py: Python<'py>,
            ) -> PyResult<(Bound<'py, PyAny>, (&'static str,))> {
                let made = py.get_type::<$name>().getattr("from_media_type")?;
                Ok((made, (self.0.media_type(),)))
            }

            fn __copy__(own: Py<Self>) -> Py<Self> {
                own
            }

            fn __deepcopy__(own: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
                let _ = memo;
                own
            }
        }

        impl $name {
            /// The format that is asked for, or else the one that the name of a file says.
            pub(super) fn of(
                format: Option<PyRef<'_, $name>>,
                path: Option<&Path>,
            ) -> PyResult<$inner> {
                if let Some(format) = format {
                    return Ok(format.0);
                }
                let Some(path) = path else {
                    return Err(PyValueError::new_err("without a path the format has to be given"));
                };
                let extension = path.extension().and_then(|extension| extension.to_str());
                extension.and_then(<$inner>::from_extension).ok_or_else(|| {
                    let path = path.display();
                    PyValueError::new_err(format!("{path}: its name doesn't say its format"))
                })
            }

            /// The same for what is written.
            pub(super) fn of_target(
                format: Option<PyRef<'_, $name>>,
                target: &Target,
            ) -> PyResult<$inner> {
                <$name>::of(format, target.path())
            }
        }
    };
}

format_class!(
    /// A format of documents. Stores load and write all but N3, which `parse` reads.
    RdfFormat(Rdf) {
    JSON_LD = Rdf::JsonLd { profile: Default::default() },
    STREAMING_JSON_LD = Rdf::JsonLd { profile: JsonLdProfile::Streaming.into() },
    N3 = Rdf::N3,
    N_QUADS = Rdf::NQuads,
    N_TRIPLES = Rdf::NTriples,
    RDF_XML = Rdf::RdfXml,
    TRIG = Rdf::TriG,
    TURTLE = Rdf::Turtle,
}
    #[getter]
    fn supports_datasets(&self) -> bool {
        self.0.supports_datasets()
    }
);

format_class!(
    /// A format of answers.
    QueryResultsFormat(Results) {
    CSV = Results::Csv,
    JSON = Results::Json,
    TSV = Results::Tsv,
    XML = Results::Xml,
});

/// A format as the syntax that a store loads and writes.
pub(super) fn syntax(format: Rdf) -> PyResult<Syntax> {
    Ok(match format {
        Rdf::NTriples => Syntax::NTriples,
        Rdf::NQuads => Syntax::NQuads,
        Rdf::Turtle => Syntax::Turtle,
        Rdf::TriG => Syntax::TriG,
        Rdf::RdfXml => Syntax::RdfXml,
        Rdf::JsonLd { .. } => Syntax::JsonLd,
        other => return Err(PyValueError::new_err(format!("a store takes no {}", other.name()))),
    })
}

/// A format as that in which rows are written.
pub(super) fn row_format(format: Results) -> PyResult<RowFormat> {
    Ok(match format {
        Results::Csv => RowFormat::Csv,
        Results::Json => RowFormat::Json,
        Results::Tsv => RowFormat::Tsv,
        Results::Xml => RowFormat::Xml,
        other => return Err(PyValueError::new_err(format!("no rows are written as {other}"))),
    })
}

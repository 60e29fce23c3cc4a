//! Errors of the jobs on stores of RDF.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use manicule_core::watch::Stopped;
use manicule_graph::GraphError;
use manicule_graph::export::ExportError;
use manicule_graph::load::LoadError;
use manicule_graph::sparql::SparqlError;
use manicule_store::context::OverBudget;

use crate::tables::TableError;

/// Reason why a job on a store was not done.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A store can't be opened, read or written.
    Store(GraphError),
    /// A document can't be loaded.
    Load(LoadError),
    /// A document can't be written.
    Export(ExportError),
    /// A query or an update can't be done.
    Sparql(SparqlError),
    /// An answer can't be written as a table.
    Table(TableError),
    /// The syntax of a document isn't known.
    Syntax {
        /// The document.
        file: PathBuf,
    },
    /// The answer of a query can't be written as was asked.
    Format {
        /// Whether it has triples, and not rows.
        gives_triples: bool,
    },
    /// There is no graph of a name.
    NoGraph {
        /// Its IRI.
        iri: String,
    },
    /// Other calls hold the memory.
    Memory(OverBudget),
    /// The system gave no random bytes.
    Random(io::Error),
}

/// A place in a text that somebody wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextPlace<'e> {
    /// The document; none for a query.
    pub file: Option<&'e Path>,
    /// Line and column, from 1, where they are known.
    pub place: Option<(u64, u64)>,
}

impl Error {
    /// Where a text contradicts its syntax; none where it is no error of syntax.
    pub fn place(&self) -> Option<TextPlace<'_>> {
        match self {
            Error::Load(LoadError::Fault { file, fault }) => {
                let place = Some((fault.line, fault.column)).filter(|(line, _)| *line > 0);
                Some(TextPlace { file: Some(file), place })
            }
            Error::Sparql(error @ SparqlError::Syntax(_)) => {
                Some(TextPlace { file: None, place: error.place() })
            }
            _ => None,
        }
    }

    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::Store(error) => error.class(),
            Error::Load(error) => error.class(),
            Error::Export(error) => error.class(),
            Error::Sparql(error) => error.class(),
            Error::Table(error) => error.class(),
            Error::Syntax { .. } | Error::Format { .. } => ErrorClass::Asked,
            Error::NoGraph { .. } => ErrorClass::Missing,
            Error::Memory(over) => over.class(),
            Error::Random(_) => ErrorClass::Failed,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Store(error) => error.fmt(f),
            Error::Load(error) => error.fmt(f),
            Error::Export(error) => error.fmt(f),
            Error::Sparql(error) => error.fmt(f),
            Error::Table(error) => error.fmt(f),
            Error::Syntax { file } => write!(
                f,
                "{}: its name doesn't say its syntax; say --format ntriples, nquads, turtle, trig, rdfxml or jsonld",
                file.display()
            ),
            Error::Format { gives_triples: true } => f.write_str(
                "the query gives triples, and the format is one of rows; say --format ntriples, nquads, turtle, trig, rdfxml, jsonld, arrow or parquet",
            ),
            Error::Format { gives_triples: false } => f.write_str(
                "the query gives rows, and the format is one of triples; say --format table, json, xml, csv, tsv, arrow or parquet",
            ),
            Error::NoGraph { iri } => write!(f, "there is no graph <{iri}> in the store"),
            Error::Memory(over) => over.fmt(f),
            Error::Random(error) => write!(f, "random bytes of the system: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Store(error) => Some(error),
            Error::Load(error) => Some(error),
            Error::Export(error) => Some(error),
            Error::Sparql(error) => Some(error),
            Error::Table(error) => Some(error),
            Error::Syntax { .. }
            | Error::Format { .. }
            | Error::NoGraph { .. }
            | Error::Memory(_) => None,
            Error::Random(error) => Some(error),
        }
    }
}

impl From<GraphError> for Error {
    fn from(error: GraphError) -> Self {
        Error::Store(error)
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        Error::Load(error)
    }
}

impl From<ExportError> for Error {
    fn from(error: ExportError) -> Self {
        Error::Export(error)
    }
}

impl From<SparqlError> for Error {
    fn from(error: SparqlError) -> Self {
        Error::Sparql(error)
    }
}

impl From<TableError> for Error {
    fn from(error: TableError) -> Self {
        Error::Table(error)
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        Error::Store(stopped.into())
    }
}

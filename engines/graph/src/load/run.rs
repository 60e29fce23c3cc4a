//! A load: documents into a transaction, faults collected, progress reported.

use std::fmt;
use std::io;
use std::path::PathBuf;

use manicule_core::ErrorClass;
use manicule_core::watch::{Meter, Phase, Stopped, Unit, Watch};
use manicule_format_leaf::Id;

use super::document::{Document, DocumentError, Rest};
use super::fault::Fault;
use super::format::Syntax;
use super::insert::{Insert, NamedGraphs};
use super::lines::read_lines;
use super::raw::Sink;
use super::source::{Pieces, Place, Source};
use crate::error::GraphError;
use crate::store::Transaction;
use crate::term::TermRef;

/// Number of bytes of lines that are read between two looks at the watch.
const PIECE_LEN: usize = 1 << 20;

/// Number of statements of other documents between two looks.
const STATEMENTS: usize = 4096;

/// Maximum number of faults that are kept with their places; the others are counted.
pub(crate) const FAULTS_LISTED_MAX: usize = 20;

/// A document to be loaded.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where it comes from.
    pub place: Place,
    /// Its syntax.
    pub syntax: Syntax,
    /// What relative IRIs are resolved against.
    pub base: Option<String>,
}

impl Input {
    /// Error of a document that can't be read.
    pub(crate) fn unreadable(&self, source: io::Error) -> LoadError {
        LoadError::Unreadable { file: self.place.name().to_owned(), source }
    }
}

/// What is done about a statement that isn't one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnFault {
    /// The load ends, and nothing of it is kept.
    Stop,
    /// It is left out and counted.
    LeaveOut,
}

/// How documents are loaded.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions<'l> {
    /// IRI of the graph that statements without one go to; `None` is the default graph.
    pub graph: Option<&'l str>,
    /// Bad statements.
    pub on_fault: OnFault,
}

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct LoadReport {
    /// Number of statements, repeated ones too.
    pub statements: u64,
    /// Number of bad statements that were left out.
    pub fault_count: u64,
    /// The first of them, with their documents.
    pub faults: Vec<(PathBuf, Fault)>,
}

/// Error of a load.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The store can't be read or written, or the watch ended the load.
    Store(GraphError),
    /// A document can't be read.
    Unreadable {
        /// The document.
        file: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// A statement is none.
    Fault {
        /// The document.
        file: PathBuf,
        /// The place and what is wrong.
        fault: Fault,
    },
    /// A statement names a graph, and the documents are for one graph.
    NamedGraph {
        /// The document.
        file: PathBuf,
        /// The graph.
        graph: String,
    },
    /// The IRI of a base or a graph is none.
    Iri {
        /// The text.
        iri: String,
        /// Why it is none.
        why: String,
    },
}

impl LoadError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            LoadError::Store(error) => error.class(),
            LoadError::Unreadable { source, .. } => ErrorClass::of_io(source),
            LoadError::Fault { .. } => ErrorClass::Damaged,
            LoadError::Iri { .. } | LoadError::NamedGraph { .. } => ErrorClass::Asked,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Store(source) => source.fmt(f),
            LoadError::Unreadable { file, source } => write!(f, "{}: {source}", file.display()),
            LoadError::Fault { file, fault } => write!(f, "{}:{fault}", file.display()),
            LoadError::NamedGraph { file, graph } => {
                let file = file.display();
                write!(
                    f,
                    "{file}: a statement is of the graph {graph}: this is for one graph alone"
                )
            }
            LoadError::Iri { iri, why } => write!(f, "<{iri}> is no absolute IRI: {why}"),
        }
    }
}

// Causes are part of the error's own words.
impl std::error::Error for LoadError {}

impl From<GraphError> for LoadError {
    fn from(source: GraphError) -> Self {
        LoadError::Store(source)
    }
}

impl From<Stopped> for LoadError {
    fn from(stopped: Stopped) -> Self {
        LoadError::Store(stopped.into())
    }
}

/// Reads documents into a transaction, which is not committed.
pub fn load_into(
    transaction: &mut Transaction,
    inputs: &[Input],
    options: &LoadOptions<'_>,
    named: NamedGraphs,
    watch: &Watch<'_>,
) -> Result<LoadReport, LoadError> {
    let graph = match options.graph {
        None => Id::DEFAULT_GRAPH,
        Some(iri) => {
            check_iri(iri)?;
            transaction.intern(TermRef::Iri(iri))?
        }
    };
    let (mut report, mut sink) = (LoadReport::default(), Insert::new(transaction, graph, named));
    let meter = watch.endless(Phase::Reading, Unit::Bytes);
    for input in inputs {
        sink.begin_document();
        let mut faults = Faults {
            file: input.place.name().to_owned(),
            on_fault: options.on_fault,
            report: &mut report,
            stop: None,
        };
        read_input(input, &mut sink, &mut faults, &meter)?;
        if let Some(graph) = sink.refused() {
            let (file, graph) = (input.place.name().to_owned(), graph.to_owned());
            return Err(LoadError::NamedGraph { file, graph });
        }
    }
    meter.end();
    report.statements = sink.end()?;
    Ok(report)
}

/// An error unless the text is an absolute IRI.
pub fn check_iri(iri: &str) -> Result<(), LoadError> {
    let wrong = |error: oxrdf::IriParseError| LoadError::Iri {
        iri: iri.to_owned(),
        why: error.to_string(),
    };
    oxrdf::NamedNodeRef::new(iri).map(drop).map_err(wrong)
}

/// Faults of a document as they come.
struct Faults<'r> {
    file: PathBuf,
    on_fault: OnFault,
    report: &'r mut LoadReport,
    /// The one that ends the load.
    stop: Option<Fault>,
}

impl Faults<'_> {
    /// Notes one; whether to go on.
    fn note(&mut self, fault: Fault) -> bool {
        if self.on_fault == OnFault::Stop {
            self.stop = Some(fault);
            return false;
        }
        self.report.fault_count += 1;
        if self.report.faults.len() < FAULTS_LISTED_MAX {
            self.report.faults.push((self.file.clone(), fault));
        }
        true
    }

    fn check(&mut self) -> Result<(), LoadError> {
        let file = self.file.clone();
        self.stop.take().map_or(Ok(()), |fault| Err(LoadError::Fault { file, fault }))
    }
}

fn read_input(
    input: &Input,
    sink: &mut Insert<'_>,
    faults: &mut Faults<'_>,
    meter: &Meter<'_>,
) -> Result<(), LoadError> {
    let source = input.place.open().map_err(|source| input.unreadable(source))?;
    if !input.syntax.is_lines() {
        let read =
            read_document(input, source, sink, |fault| faults.note(fault), |_| Ok(()), meter);
        return faults.check().and(read);
    }
    let pieces = Pieces::new(source, PIECE_LEN);
    while let Some(piece) = pieces.take().map_err(|source| input.unreadable(source))? {
        let (bytes, has_graphs) = (pieces.bytes(&piece), input.syntax.has_graphs());
        read_lines(bytes, has_graphs, sink, |fault| {
            let before = pieces.lines_before(&piece);
            faults.note(Fault { line: before + fault.line, ..fault })
        });
        faults.check()?;
        meter.step(bytes.len() as u64)?;
    }
    Ok(())
}

/// Reads a document of a syntax that isn't lines, to its end or until `note` wants no more after a
/// fault. `after` is called now and then between statements.
pub(crate) fn read_document<S: Sink>(
    input: &Input,
    source: Source,
    sink: &mut S,
    mut note: impl FnMut(Fault) -> bool,
    mut after: impl FnMut(&mut S) -> Result<(), LoadError>,
    meter: &Meter<'_>,
) -> Result<(), LoadError> {
    let base = input.base.as_deref();
    let counted = Counted { bytes: source.into_reader(), meter };
    let mut document = Document::new(input.syntax, base, counted)
        .map_err(|why| LoadError::Iri { iri: base.unwrap_or_default().to_owned(), why })?;
    loop {
        let rest = document.read(sink, STATEMENTS, |fault| note(fault.clone()));
        meter.step(0)?;
        match rest {
            Ok(Rest::More) => after(sink)?,
            Ok(Rest::None) | Err(DocumentError::Fault(_)) => return Ok(()),
            Err(DocumentError::Io(source)) => return Err(input.unreadable(source)),
        }
    }
}

/// A reader whose bytes are progress.
struct Counted<'m, R> {
    bytes: R,
    meter: &'m Meter<'m>,
}

impl<R: io::Read> io::Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.bytes.read(buffer)?;
        self.meter.add(len as u64);
        Ok(len)
    }
}

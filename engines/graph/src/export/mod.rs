//! What a view holds, written as a document of RDF.
//!
//! N-Triples and N-Quads are canonical; the other syntaxes are written by their serializers.

mod lines;

use std::fmt;
use std::io::{self, Write};

use manicule_core::ErrorClass;
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_leaf::Id;
use oxrdf::{GraphName, NamedNode, NamedOrBlankNode, QuadRef, Term};
use oxrdfio::RdfSerializer;

use crate::error::GraphError;
use crate::load::Syntax;
use crate::quad::{GraphChoice, Pattern, Quad};
use crate::snapshot::Snapshot;
use crate::sparql::to_term;
use crate::view::View;
pub use lines::put_term;

/// Number of bytes that are collected before they are written.
const BUFFER_LEN: usize = 1 << 16;

/// Which graphs are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportedGraphs {
    /// All of them, each quad with its graph. Of a syntax without graphs it is an error if there is
    /// a named one with a quad.
    All,
    /// The triples of one, or of all named ones, without their graph.
    Triples(GraphChoice),
}

/// Order of the lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineOrder {
    /// As the store holds them. It takes no memory.
    Stored,
    /// By their bytes, of N-Triples and N-Quads only. All lines are held in memory.
    Sorted,
}

/// How a view is written.
#[derive(Clone, Copy, Debug)]
pub struct ExportOptions<'e> {
    /// The syntax.
    pub syntax: Syntax,
    /// The graphs.
    pub graphs: ExportedGraphs,
    /// The order.
    pub order: LineOrder,
    /// Prefixes for the syntaxes that have them: name and IRI.
    pub prefixes: &'e [(String, String)],
}

/// Error of an export.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// The store can't be read, or the watch ended the call.
    Store(GraphError),
    /// The document can't be written.
    Output(io::Error),
    /// The syntax has no named graphs, and there are some.
    NoGraphs(Syntax),
    /// An IRI of a prefix is none.
    Prefix(String),
    /// A literal or a triple term lies where a quad can't have one: the store is damaged.
    Misplaced(Id),
}

impl ExportError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            ExportError::Store(error) => error.class(),
            ExportError::Output(_) => ErrorClass::Failed,
            ExportError::NoGraphs(_) | ExportError::Prefix(_) => ErrorClass::Asked,
            ExportError::Misplaced(_) => ErrorClass::Damaged,
        }
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::Store(source) => source.fmt(f),
            ExportError::Output(source) => write!(f, "the document can't be written: {source}"),
            ExportError::NoGraphs(syntax) => write!(
                f,
                "there are named graphs, which {} has no place for; write nquads or trig, or choose a graph",
                syntax.name()
            ),
            ExportError::Prefix(why) => write!(f, "prefix {why}"),
            ExportError::Misplaced(id) => write!(
                f,
                "the store is damaged: a literal or triple term ({id:?}) is a subject, a predicate or a graph; `manicule verify` lists more"
            ),
        }
    }
}

// Causes are part of the error's own words.
impl std::error::Error for ExportError {}

impl From<GraphError> for ExportError {
    fn from(source: GraphError) -> Self {
        ExportError::Store(source)
    }
}

impl From<io::Error> for ExportError {
    fn from(source: io::Error) -> Self {
        ExportError::Output(source)
    }
}

/// Writes a snapshot. Returns the number of statements.
pub fn export(
    snapshot: &Snapshot,
    options: &ExportOptions<'_>,
    out: &mut dyn Write,
    watch: &Watch<'_>,
) -> Result<u64, ExportError> {
    export_view(snapshot, options, out, watch)
}

/// Writes a view, as [`export`] a snapshot.
pub fn export_view<V: View>(
    view: &V,
    options: &ExportOptions<'_>,
    out: &mut dyn Write,
    watch: &Watch<'_>,
) -> Result<u64, ExportError> {
    let patterns = match options.graphs {
        ExportedGraphs::Triples(graph) => vec![all_of(graph)],
        ExportedGraphs::All if options.syntax.has_graphs() => {
            vec![all_of(GraphChoice::Default), all_of(GraphChoice::AnyNamed)]
        }
        ExportedGraphs::All => {
            if let Some(quad) = view.quads(&all_of(GraphChoice::AnyNamed)).next() {
                quad?;
                return Err(ExportError::NoGraphs(options.syntax));
            }
            vec![all_of(GraphChoice::Default)]
        }
    };
    let keeps_graphs = matches!(options.graphs, ExportedGraphs::All);
    let meter = watch.endless(Phase::Writing, Unit::Rows);
    let source = Source { view, patterns: &patterns, keeps_graphs, meter: &meter };
    let count = match (options.syntax.is_lines(), options.order) {
        (true, LineOrder::Sorted) => source.sorted(out),
        (true, LineOrder::Stored) => source.stored(out),
        (false, _) => source.serialized(options, out),
    }?;
    out.flush()?;
    meter.end();
    Ok(count)
}

fn all_of(graph: GraphChoice) -> Pattern {
    Pattern { subject: None, predicate: None, object: None, graph }
}

/// What is exported.
struct Source<'e, V> {
    view: &'e V,
    patterns: &'e [Pattern],
    /// Whether quads of named graphs are written with their graphs.
    keeps_graphs: bool,
    meter: &'e Meter<'e>,
}

impl<V: View> Source<'_, V> {
    /// Calls `each` with the quads, counted.
    fn walk(
        &self,
        mut each: impl FnMut(&Quad) -> Result<(), ExportError>,
    ) -> Result<u64, ExportError> {
        let (mut count, mut steps) = (0, self.meter.steps());
        for pattern in self.patterns {
            for quad in self.view.quads(pattern) {
                each(&quad?)?;
                count += 1;
                steps.add(1).map_err(GraphError::from)?;
            }
        }
        Ok(count)
    }

    fn has_graph(&self, quad: &Quad) -> bool {
        self.keeps_graphs && quad.graph != Id::DEFAULT_GRAPH
    }

    /// Appends the line of a quad.
    fn put_line(&self, quad: &Quad, out: &mut Vec<u8>) -> Result<(), GraphError> {
        let terms = [quad.subject, quad.predicate, quad.object, quad.graph];
        for id in &terms[..3 + usize::from(self.has_graph(quad))] {
            self.view.read_term(*id, |term| put_term(term, out))?;
            out.push(b' ');
        }
        out.extend_from_slice(b".\n");
        Ok(())
    }

    fn stored(&self, out: &mut dyn Write) -> Result<u64, ExportError> {
        let mut buffer = Vec::with_capacity(BUFFER_LEN + (BUFFER_LEN >> 2));
        let count = self.walk(|quad| {
            self.put_line(quad, &mut buffer)?;
            if buffer.len() >= BUFFER_LEN {
                out.write_all(&buffer)?;
                buffer.clear();
            }
            Ok(())
        })?;
        out.write_all(&buffer)?;
        Ok(count)
    }

    fn sorted(&self, out: &mut dyn Write) -> Result<u64, ExportError> {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        let count = self.walk(|quad| {
            self.put_line(quad, &mut bytes)?;
            ends.push(bytes.len());
            Ok(())
        })?;
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let mut lines: Vec<&[u8]> =
            starts.zip(&ends).map(|(start, end)| &bytes[start..*end]).collect();
        lines.sort_unstable();
        for line in lines {
            out.write_all(line)?;
        }
        Ok(count)
    }

    fn serialized(
        &self,
        options: &ExportOptions<'_>,
        out: &mut dyn Write,
    ) -> Result<u64, ExportError> {
        let mut serializer = RdfSerializer::from_format(options.syntax.format());
        for (name, iri) in options.prefixes {
            let with = serializer.with_prefix(name, iri);
            serializer = with.map_err(|error| ExportError::Prefix(format!("{name}: {error}")))?;
        }
        let mut serializer = serializer.for_writer(io::BufWriter::with_capacity(BUFFER_LEN, out));
        let owned = |id| self.view.read_term(id, to_term);
        let count = self.walk(|quad| {
            let misplaced = |id| move |()| ExportError::Misplaced(id);
            let subject = node(owned(quad.subject)?).map_err(misplaced(quad.subject))?;
            let predicate = iri(owned(quad.predicate)?).map_err(misplaced(quad.predicate))?;
            let object = owned(quad.object)?;
            let graph = if self.has_graph(quad) {
                node(owned(quad.graph)?).map_err(misplaced(quad.graph))?.into()
            } else {
                GraphName::DefaultGraph
            };
            let quad = QuadRef {
                subject: subject.as_ref(),
                predicate: predicate.as_ref(),
                object: object.as_ref(),
                graph_name: graph.as_ref(),
            };
            Ok(serializer.serialize_quad(quad)?)
        })?;
        serializer.finish()?.flush()?;
        Ok(count)
    }
}

fn node(term: Term) -> Result<NamedOrBlankNode, ()> {
    match term {
        Term::NamedNode(node) => Ok(node.into()),
        Term::BlankNode(node) => Ok(node.into()),
        Term::Literal(_) | Term::Triple(_) => Err(()),
    }
}

fn iri(term: Term) -> Result<NamedNode, ()> {
    if let Term::NamedNode(node) = term { Ok(node) } else { Err(()) }
}

//! What a store holds, as a document.

use std::io::Write;
use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_graph::export::{ExportOptions, ExportedGraphs, LineOrder};
use manicule_graph::load::{Syntax, check_iri};
use manicule_graph::term::TermRef;
use manicule_graph::{GraphChoice, View};

use super::error::Error;
use super::open::open_to_read;

/// Graphs that are exported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExportFrom {
    /// All of them, each quad with its graph.
    All,
    /// The triples of the default graph.
    Default,
    /// The triples of the graph of an IRI.
    Named(String),
}

/// Arguments of an export.
#[derive(Clone, Debug)]
pub struct ExportCall {
    /// Folder of the store.
    pub store: PathBuf,
    /// Name of the snapshot that is read; `None` is the store as it is now.
    pub at: Option<String>,
    /// The syntax.
    pub syntax: Syntax,
    /// The graphs.
    pub from: ExportFrom,
    /// Order of lines, of N-Triples and N-Quads.
    pub order: LineOrder,
    /// Prefixes for Turtle, TriG and RDF/XML: names and IRIs.
    pub prefixes: Vec<(String, String)>,
}

/// Writes the document. Returns the number of statements.
pub fn export(call: &ExportCall, out: &mut dyn Write, watch: &Watch<'_>) -> Result<u64, Error> {
    let snapshot = open_to_read(&call.store, call.at.as_deref())?;
    snapshot.check_files(&call.store, watch)?;
    let graphs = match &call.from {
        ExportFrom::All => ExportedGraphs::All,
        ExportFrom::Default => ExportedGraphs::Triples(GraphChoice::Default),
        ExportFrom::Named(iri) => {
            check_iri(iri)?;
            match snapshot.find_term(TermRef::Iri(iri))? {
                Some(name) if snapshot.has_graph(name)? => {
                    ExportedGraphs::Triples(GraphChoice::Named(name))
                }
                _ => return Err(Error::NoGraph { iri: iri.clone() }),
            }
        }
    };
    let options =
        ExportOptions { syntax: call.syntax, graphs, order: call.order, prefixes: &call.prefixes };
    Ok(manicule_graph::export::export(&snapshot, &options, out, watch)?)
}

//! What a store holds, as a document.

use std::io::Write;

use manicule_core::watch::Watch;
use manicule_graph::export::{ExportOptions, ExportedGraphs, LineOrder};
use manicule_graph::load::{Syntax, check_iri};
use manicule_graph::term::TermRef;
use manicule_graph::{GraphChoice, View};

use super::error::Error;
use super::store::Store;

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

/// What is asked whether it is whole before anything is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checked {
    /// All files of the store, by their checksums: for a document that is to be kept.
    Files,
    /// Nothing more than what is read, as of a query: each page when it is first read.
    Pages,
}

/// Arguments of an export.
#[derive(Clone, Debug)]
pub struct ExportCall {
    /// The syntax.
    pub syntax: Syntax,
    /// The graphs.
    pub from: ExportFrom,
    /// Order of lines, of N-Triples and N-Quads.
    pub order: LineOrder,
    /// Prefixes for Turtle, TriG and RDF/XML: names and IRIs.
    pub prefixes: Vec<(String, String)>,
    /// What is checked before.
    pub checked: Checked,
}

impl Store {
    /// Writes what the store holds as a document. Returns the number of statements.
    pub fn export(
        &self,
        call: &ExportCall,
        out: &mut dyn Write,
        watch: &Watch<'_>,
    ) -> Result<u64, Error> {
        let snapshot = self.snapshot();
        if call.checked == Checked::Files {
            snapshot.check_files(self.path(), watch)?;
        }
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
        let options = ExportOptions {
            syntax: call.syntax,
            graphs,
            order: call.order,
            prefixes: &call.prefixes,
        };
        Ok(manicule_graph::export::export(&snapshot, &options, out, watch)?)
    }
}

//! Kinds of RDF outside of a store: recognised, searched as text although HDT hardly is, and
//! refused otherwise.

use std::path::Path;

use manicule_graph::rdf;

use super::kind::Kind;
use super::reader::Reader;
use super::row::{KindRow, SystemRow};
use super::signs::Signs;
use super::system::System;

impl Kind {
    /// RDF as text: Turtle, N-Triples, N-Quads, TriG, RDF/XML, JSON-LD, Notation3.
    pub const RDF_TEXT: Kind = Kind::new("rdf", "an RDF file", System::RDF);
    /// RDF as HDT.
    pub const RDF_HDT: Kind = Kind::new("rdf-hdt", "an RDF file in HDT", System::RDF);
}

/// RDF as text, and as HDT.
pub(super) static ROW: SystemRow = SystemRow {
    system: System::RDF,
    signs: &Rdf,
    kinds: &[
        KindRow { kind: Kind::RDF_TEXT, reader: Reader::refusing() },
        KindRow { kind: Kind::RDF_HDT, reader: Reader::refusing() },
    ],
    searched: None,
    tables: &[],
};

struct Rdf;

impl Signs for Rdf {
    fn of_head(&self, head: &[u8]) -> Option<Kind> {
        head.starts_with(rdf::HDT_MAGIC).then_some(Kind::RDF_HDT)
    }

    fn of_name(&self, path: &Path) -> Option<Kind> {
        rdf::is_text_name(path).then_some(Kind::RDF_TEXT)
    }
}

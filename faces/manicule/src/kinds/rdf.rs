//! Kinds of RDF outside of a store: recognised, searched as text although HDT hardly is, and
//! refused otherwise.

use std::path::Path;

use manicule_graph::rdf;

use super::kind::Kind;
use super::reader::Reader;
use super::signs::Signs;

/// RDF as text, and as HDT.
pub(super) struct Rdf;

impl Signs for Rdf {
    fn of_head(&self, head: &[u8]) -> Option<Kind> {
        head.starts_with(rdf::HDT_MAGIC).then_some(Kind::RdfHdt)
    }

    fn of_name(&self, path: &Path) -> Option<Kind> {
        rdf::is_text_name(path).then_some(Kind::RdfText)
    }
}

/// Of both kinds.
pub(super) const REFUSING: Reader = Reader::refusing();

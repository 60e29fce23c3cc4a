//! Kinds of the systems that can't be searched yet: recognised, searched as text although they hardly are, and refused
//! otherwise.
//!
//! Callers: kinds

use std::path::Path;

use manicule_unread::rdf;

use super::Kind;
use super::reader::Reader;
use super::system::Signs;

/// Every system without an engine.
pub(super) struct Unread;

impl Signs for Unread {
    fn of_head(&self, head: &[u8]) -> Option<Kind> {
        head.starts_with(rdf::HDT_MAGIC).then_some(Kind::RdfHdt)
    }

    fn of_name(&self, path: &Path) -> Option<Kind> {
        rdf::is_text_name(path).then_some(Kind::RdfText)
    }
}

/// Of every kind without an engine.
pub(super) const UNREAD: Reader = Reader::refusing();

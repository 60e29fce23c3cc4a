//! Kinds of the systems that can't be searched yet: recognised, searched as text although they hardly are, and refused
//! otherwise.
//!
//! Callers: kinds

use std::path::Path;

use manicule_unread::{rdf, sstable};

use super::Kind;
use super::folder::Names;
use super::reader::Reader;
use super::system::Signs;

/// Every system without an engine.
pub(super) struct Unread;

impl Signs for Unread {
    fn of_head(&self, head: &[u8]) -> Option<Kind> {
        head.starts_with(rdf::HDT_MAGIC).then_some(Kind::RdfHdt)
    }

    fn of_name(&self, path: &Path) -> Option<Kind> {
        if rdf::is_text_name(path) {
            return Some(Kind::RdfText);
        }
        sstable::is_component(path).then_some(Kind::SstableComponent)
    }

    fn takes_name(&self, name: &[u8]) -> bool {
        sstable::is_data_name(name)
    }

    fn proven(&self, _: &Path, names: &Names) -> Vec<Kind> {
        let mut tables = names.paths(sstable::is_data_name).take(sstable::TABLES_MAX);
        let is_folder = tables.any(|path| sstable::is_component(&path));
        is_folder.then_some(Kind::SstableFolder).into_iter().collect()
    }
}

/// Of every kind without an engine.
pub(super) const UNREAD: Reader = Reader::refusing();

//! Systems that wrote a path's contents.

/// System that wrote a path's contents. A search deals its paths out by it.
///
/// Systems are ordered as a folder's contents are listed: this crate's own as they are here, then
/// those that a program has [added](super::add), by their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct System {
    rank: u8,
    word: &'static str,
}

impl System {
    /// None: a plain file.
    pub const PLAIN: System = System { rank: 0, word: "text" };
    /// Ours: trees and their indexes.
    pub const TREE: System = System { rank: 1, word: "text" };
    /// zoekt: shards.
    pub const ZOEKT: System = System { rank: 2, word: "code" };
    /// Prometheus: blocks.
    pub const PROMETHEUS: System = System { rank: 3, word: "series" };
    /// restic: repositories.
    pub const RESTIC: System = System { rank: 4, word: "blobs" };
    /// Cassandra and ScyllaDB: SSTables.
    pub const CASSANDRA: System = System { rank: 5, word: "rows" };
    /// Ours: stores of RDF.
    pub const GRAPH: System = System { rank: 6, word: "graph" };
    /// RDF outside of a store: searched as text, although HDT hardly is.
    pub const RDF: System = System { rank: 7, word: "text" };

    /// A system that this crate doesn't have.
    pub const fn new(word: &'static str) -> System {
        System { rank: u8::MAX, word }
    }

    /// One word for what it holds: the first part of the names of its tables, and what the table
    /// `find` says of its hits.
    pub fn word(self) -> &'static str {
        self.word
    }

    /// Whether anybody may have written it: plain files and source trees.
    pub fn is_anybodys(self) -> bool {
        self == System::PLAIN || self == System::TREE
    }
}

//! Systems that wrote a path's contents.

/// System that wrote a path's contents. A search deals its paths out by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum System {
    /// None: a plain file.
    Plain,
    /// Ours: trees and their indexes.
    Tree,
    /// zoekt: shards.
    Zoekt,
    /// Prometheus: blocks.
    Prometheus,
    /// restic: repositories.
    Restic,
    /// Cassandra and ScyllaDB: SSTables.
    Cassandra,
    /// Ours: stores of RDF.
    Graph,
    /// RDF outside of a store: searched as text, although HDT hardly is.
    Rdf,
}

impl System {
    /// Every system, in the order in which a folder's contents are listed.
    pub(super) const ALL: [System; 8] = [
        System::Plain,
        System::Tree,
        System::Zoekt,
        System::Prometheus,
        System::Restic,
        System::Cassandra,
        System::Graph,
        System::Rdf,
    ];

    /// Whether a search of its paths is one of text, as of any file.
    pub fn is_text(self) -> bool {
        match self {
            System::Plain | System::Tree | System::Rdf => true,
            System::Zoekt
            | System::Prometheus
            | System::Restic
            | System::Cassandra
            | System::Graph => false,
        }
    }
}

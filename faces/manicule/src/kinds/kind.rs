//! The kinds of paths: their words, and the systems that write them.

use std::fmt;

use super::system::System;

/// Row of a kind.
struct Row {
    /// One word for programs.
    word: &'static str,
    /// Noun for people, with its article.
    name: &'static str,
    system: System,
}

/// Makes the kinds and their rows from one table, so that no kind is without one.
macro_rules! kinds {
    ($(#[$doc:meta] $kind:ident: $word:literal, $name:literal, $system:ident;)*) => {
        /// Kind of a path. Of the kinds of one folder the first one here is answered first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $(#[$doc] $kind,)*
        }

        /// The row of each kind, in the order of [`Kind`].
        const KINDS: &[Row] = &[
            $(Row { word: $word, name: $name, system: System::$system },)*
        ];
    };
}

kinds! {
    /// A folder of files, taken for text.
    SourceTree: "source-tree", "a source tree", Tree;
    /// A file of no other kind.
    File: "file", "a plain file", Plain;
    /// Ours: the manifest of a tree's index.
    TreeManifest: "tree-manifest", "the manifest of a tree's index", Tree;
    /// Ours: a segment of a tree's index.
    TreeSegment: "tree-segment", "a segment of a tree's index", Tree;
    /// A folder with `meta.json` and `index`.
    PrometheusBlock: "prometheus-block", "a Prometheus block", Prometheus;
    /// Ours: the folder in the cache that holds a tree's index.
    TreeIndex: "tree-index", "the index of a tree", Tree;
    /// A `.zoekt` file.
    ZoektShard: "zoekt-shard", "a zoekt shard", Zoekt;
    /// A folder of them.
    ZoektShards: "zoekt-shards", "a folder of zoekt shards", Zoekt;
    /// A folder of blocks, or with a write-ahead log.
    PrometheusData: "prometheus-data", "a Prometheus data folder", Prometheus;
    /// The `index` of a block by itself.
    PrometheusIndex: "prometheus-index", "the index of a Prometheus block", Prometheus;
    /// A file of a block's chunks by itself.
    PrometheusChunks: "prometheus-chunks", "a file of a Prometheus block's chunks", Prometheus;
    /// The `tombstones` of a block by itself.
    PrometheusTombstones: "prometheus-tombstones", "tombstones of a Prometheus block", Prometheus;
    /// The `meta.json` of a block by itself.
    PrometheusMeta: "prometheus-meta", "the meta file of a Prometheus block", Prometheus;
    /// What Thanos or Mimir keep of a block's index: `index-header`, `sparse-index-header`.
    PrometheusHeader: "prometheus-header", "the header of a Prometheus block's index", Prometheus;
    /// A folder of a table's SSTables.
    SstableFolder: "sstable-folder", "a folder of SSTables", Cassandra;
    /// One component of an SSTable.
    SstableComponent: "sstable-component", "an SSTable file", Cassandra;
    /// A folder with `config`, `keys`, `data` and so on.
    ResticRepository: "restic-repository", "a restic repository", Restic;
    /// Ours: a folder with `CURRENT` and the manifest that it names.
    GraphStore: "graph-store", "a graph store", Graph;
    /// Ours: a leaf, a dictionary, a log, a manifest or statistics of one by itself.
    GraphFile: "graph-file", "a file of a graph store", Graph;
    /// RDF as text: Turtle, N-Triples, N-Quads, TriG, RDF/XML, JSON-LD, Notation3.
    RdfText: "rdf", "an RDF file", Rdf;
    /// RDF as HDT.
    RdfHdt: "rdf-hdt", "an RDF file in HDT", Rdf;
}

impl Kind {
    fn row(self) -> &'static Row {
        &KINDS[self as usize]
    }

    /// One word for programs.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// Noun for the kind, with its article.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Noun for the kind, without an article.
    pub fn noun(self) -> &'static str {
        let name = self.name();
        ["a ", "an ", "the "].iter().find_map(|article| name.strip_prefix(article)).unwrap_or(name)
    }

    /// System that writes files of this kind.
    pub fn system(self) -> System {
        self.row().system
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

//! What recognises each system, and what reads each kind.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::kind::Kind;
use super::reader::{Place, Reader};
use super::signs::Signs;
use super::system::System;
use super::{cassandra, graph, plain, prometheus, rdf, restic, tree, zoekt};

/// The signs of a system.
pub(super) fn signs(system: System) -> &'static dyn Signs {
    match system {
        System::Plain => &plain::Plain,
        System::Tree => &tree::Tree,
        System::Zoekt => &zoekt::Zoekt,
        System::Prometheus => &prometheus::Prometheus,
        System::Restic => &restic::Restic,
        System::Cassandra => &cassandra::Cassandra,
        System::Graph => &graph::Graph,
        System::Rdf => &rdf::Rdf,
    }
}

/// The reader of a kind.
pub(super) fn reader(kind: Kind) -> Reader {
    match kind {
        Kind::SourceTree | Kind::TreeIndex => tree::TREE,
        Kind::TreeManifest | Kind::TreeSegment => tree::FILE,
        Kind::File => plain::FILE,
        Kind::PrometheusBlock => prometheus::BLOCK,
        Kind::PrometheusData => prometheus::DATA,
        Kind::PrometheusIndex
        | Kind::PrometheusChunks
        | Kind::PrometheusTombstones
        | Kind::PrometheusMeta => prometheus::FILE,
        Kind::PrometheusHeader => prometheus::HEADER,
        Kind::ZoektShard => zoekt::SHARD,
        Kind::ZoektShards => zoekt::SHARDS,
        Kind::SstableFolder => cassandra::FOLDER,
        Kind::SstableComponent => cassandra::COMPONENT,
        Kind::ResticRepository => restic::REPOSITORY,
        Kind::GraphStore => graph::STORE,
        Kind::GraphFile => graph::FILE,
        Kind::RdfText | Kind::RdfHdt => rdf::REFUSING,
    }
}

/// A path as one of its kinds.
pub(super) fn place(path: &Path, kind: Kind) -> Place {
    Place { path: path.to_owned(), kind, reader: reader(kind) }
}

/// Kind of a file that a search was given, if it isn't searched as text. Most are judged by their
/// names only: of ten thousand source files none is opened.
pub(super) fn searched_file(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.as_bytes();
    System::ALL.iter().find_map(|system| signs(*system).searched_file(path, name))
}

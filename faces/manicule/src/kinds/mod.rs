//! Kinds of paths: a source tree, or something that another system wrote.
//!
//! A kind counts where its names exist *and* the first or last bytes prove it; each engine declares its own signs, and
//! [`System`] asks them all. Whether the rest of the bytes is sound is left to the reader. A path is recognised once,
//! by [`places`]: operations on it take the [`Place`] and ask the reader of its kind. [`Deal`] deals the paths of a
//! search out.
//!
//! A new kind is a row of the table here; a new system an `impl` of `Signs`, by which it is recognised, and one or more
//! `Reader`s of its files.
//!
//! Bytes:   docs/formats/*.md of each kind, as they come
//! Callers: faces

mod cassandra;
mod deal;
mod deeper;
mod folder;
mod graph;
mod plain;
mod prometheus;
mod rdf;
mod reader;
mod restic;
mod system;
mod tree;
mod zoekt;

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub use deal::Deal;
pub use deeper::{Deeper, Passed, deeper, notice, passed};
use folder::Folder;
pub use reader::Call;
use reader::Reader;
pub use system::System;

use crate::cache::Cache;
use crate::inspect::{Error, IndexFile, Inspected, Verified};

/// Row of a kind.
struct Row {
    /// One word for programs.
    word: &'static str,
    /// Noun for people, with its article.
    name: &'static str,
    system: System,
    reader: &'static Reader,
}

/// Makes the kinds and their rows from one table, so that no kind is without one.
macro_rules! kinds {
    ($(#[$doc:meta] $kind:ident: $word:literal, $name:literal, $system:ident, $reader:path;)*) => {
        /// Kind of a path. Of the kinds of one folder the first one here is answered first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $(#[$doc] $kind,)*
        }

        /// The row of each kind, in the order of [`Kind`].
        const KINDS: &[Row] = &[
            $(Row { word: $word, name: $name, system: System::$system, reader: &$reader },)*
        ];
    };
}

kinds! {
    /// A folder of files, taken for text.
    SourceTree: "source-tree", "a source tree", Tree, tree::TREE;
    /// A file of no other kind.
    File: "file", "a plain file", Plain, plain::FILE;
    /// Ours: the manifest of a tree's index.
    TreeManifest: "tree-manifest", "the manifest of a tree's index", Tree, tree::FILE;
    /// Ours: a segment of a tree's index.
    TreeSegment: "tree-segment", "a segment of a tree's index", Tree, tree::FILE;
    /// A folder with `meta.json` and `index`.
    PrometheusBlock: "prometheus-block", "a Prometheus block", Prometheus, prometheus::BLOCK;
    /// Ours: the folder in the cache that holds a tree's index.
    TreeIndex: "tree-index", "the index of a tree", Tree, tree::TREE;
    /// A `.zoekt` file.
    ZoektShard: "zoekt-shard", "a zoekt shard", Zoekt, zoekt::SHARD;
    /// A folder of them.
    ZoektShards: "zoekt-shards", "a folder of zoekt shards", Zoekt, zoekt::SHARDS;
    /// A folder of blocks, or with a write-ahead log.
    PrometheusData: "prometheus-data", "a Prometheus data folder", Prometheus, prometheus::DATA;
    /// The `index` of a block by itself.
    PrometheusIndex: "prometheus-index", "the index of a Prometheus block", Prometheus, prometheus::FILE;
    /// A file of a block's chunks by itself.
    PrometheusChunks: "prometheus-chunks", "a file of a Prometheus block's chunks", Prometheus, prometheus::FILE;
    /// The `tombstones` of a block by itself.
    PrometheusTombstones: "prometheus-tombstones", "tombstones of a Prometheus block", Prometheus, prometheus::FILE;
    /// The `meta.json` of a block by itself.
    PrometheusMeta: "prometheus-meta", "the meta file of a Prometheus block", Prometheus, prometheus::FILE;
    /// What Thanos or Mimir keep of a block's index: `index-header`, `sparse-index-header`.
    PrometheusHeader: "prometheus-header", "the header of a Prometheus block's index", Prometheus, prometheus::HEADER;
    /// A folder of a table's SSTables.
    SstableFolder: "sstable-folder", "a folder of SSTables", Cassandra, cassandra::FOLDER;
    /// One component of an SSTable.
    SstableComponent: "sstable-component", "an SSTable file", Cassandra, cassandra::COMPONENT;
    /// A folder with `config`, `keys`, `data` and so on.
    ResticRepository: "restic-repository", "a restic repository", Restic, restic::REPOSITORY;
    /// Ours: a folder with `CURRENT` and the manifest that it names.
    GraphStore: "graph-store", "a graph store", Graph, graph::STORE;
    /// Ours: a leaf, a dictionary, a log, a manifest or statistics of one by itself.
    GraphFile: "graph-file", "a file of a graph store", Graph, graph::FILE;
    /// RDF as text: Turtle, N-Triples, N-Quads, TriG, RDF/XML, JSON-LD, Notation3.
    RdfText: "rdf", "an RDF file", Rdf, rdf::REFUSING;
    /// RDF as HDT.
    RdfHdt: "rdf-hdt", "an RDF file in HDT", Rdf, rdf::REFUSING;
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

/// A path that was recognised as one of its kinds.
#[derive(Clone, Debug)]
pub struct Place {
    /// The path.
    pub path: PathBuf,
    /// Its kind.
    pub kind: Kind,
    /// Reader of its kind, unless it is read as something else.
    reader: &'static Reader,
}

impl Place {
    fn new(path: &Path, kind: Kind) -> Self {
        Place { path: path.to_owned(), kind, reader: kind.row().reader }
    }

    /// Contents of the path as this kind.
    pub fn inspect(&self, call: &Call<'_>) -> Result<Inspected, Error> {
        (self.reader.inspect)(self, call)
    }

    /// Parts of a file of an index, or of a shard, with their bytes: as much as can be read of a damaged one. `None`
    /// for a folder.
    pub fn parts(&self) -> Result<Option<IndexFile>, Error> {
        (self.reader.parts)(self)
    }

    /// Verifies the path as this kind: the index of a tree and that it agrees with the tree, one file of an index by
    /// itself, a shard, or all shards of a folder; a Prometheus block, an index of one, or all of a data folder. Parts
    /// that can't be read of a folder are handed to `failed`.
    pub fn verify(
        &self,
        call: &Call<'_>,
        failed: &mut dyn FnMut(Error),
    ) -> Result<Verified, Error> {
        (self.reader.verify)(self, call, failed)
    }
}

/// A path as each of its kinds: a folder that holds several as each of them, and as a tree where it has an index of its
/// own or holds nothing else.
pub fn places(path: &Path, cache: Option<&Cache>) -> Result<Vec<Place>, Error> {
    let meta = fs::metadata(path).map_err(Error::io(path))?;
    let mut kinds = kinds_of(path, &meta).map_err(Error::io(path))?;
    let has_index =
        || cache.is_some_and(|cache| manicule_code::tree::has_index(&cache.folder, path));
    if meta.is_dir() && (kinds.is_empty() || has_index()) {
        kinds.push(Kind::SourceTree);
    }
    match kinds[..] {
        [Kind::File] => Err(Error::NoIndexFile(path.to_owned())),
        _ => Ok(kinds.into_iter().map(|kind| Place::new(path, kind)).collect()),
    }
}

/// A path as Prometheus blocks, whatever its signs: a block, a data folder, or a file of a block.
pub fn place_of_blocks(path: &Path) -> Result<Place, Error> {
    let meta = fs::metadata(path).map_err(Error::io(path))?;
    if meta.is_dir() {
        return Ok(Place::new(path, prometheus::kind_of_folder(path)));
    }
    let kind = file_kind(path, &meta).map_err(Error::io(path))?;
    Ok(Place { reader: &prometheus::FILE, ..Place::new(path, kind) })
}

/// Kind of a path given to be read: of a folder with several kinds, the first. Fails if the path doesn't exist or can't
/// be read.
pub fn recognise(path: &Path) -> io::Result<Kind> {
    let kinds = kinds_of(path, &fs::metadata(path)?)?;
    Ok(kinds.first().copied().unwrap_or(Kind::SourceTree))
}

/// The kinds of a path; none of a folder of sources.
fn kinds_of(path: &Path, meta: &Metadata) -> io::Result<Vec<Kind>> {
    match meta.is_dir() {
        true => Folder::read(path).map(|folder| folder.given_kinds()),
        false => file_kind(path, meta).map(|kind| vec![kind]),
    }
}

fn file_kind(path: &Path, meta: &Metadata) -> io::Result<Kind> {
    // A pipe or a device is not opened: that could block, or have an effect.
    if !meta.is_file() {
        return Ok(Kind::File);
    }
    let head = head(path)?;
    let by_head = System::ALL.iter().find_map(|system| system.signs().of_head(&head));
    let by_name = || System::ALL.iter().find_map(|system| system.signs().of_name(path));
    Ok(by_head.or_else(by_name).unwrap_or(Kind::File))
}

/// The first bytes of a file.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(16);
    File::open(path)?.take(16).read_to_end(&mut head)?;
    Ok(head)
}

/// Kind of a file that a search was given, if it isn't searched as text. Most are judged by their names only: of ten
/// thousand source files none is opened.
fn searched_file(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.as_bytes();
    System::ALL.iter().find_map(|system| system.signs().searched_file(path, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[track_caller]
    fn check_file(name: &str, bytes: &[u8], want: Kind) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), bytes).unwrap();
        assert_eq!(recognise(&folder.path().join(name)).unwrap(), want, "{name}");
    }

    const INDEX: &[u8] = &[0xba, 0xaa, 0xd7, 0x00, 2, 0, 0, 0];

    #[test]
    fn files() {
        for (name, bytes, want) in [
            ("a.rs", &b"fn main() {}"[..], Kind::File),
            ("empty", b"", Kind::File),
            ("index", INDEX, Kind::PrometheusIndex),
            ("index.bak", INDEX, Kind::PrometheusIndex),
            ("000001", b"\x85\xbd\x40\xdd\x01\0\0\0", Kind::PrometheusChunks),
            ("tombstones", b"\x01\x30\xba\x30\x01", Kind::PrometheusTombstones),
            (
                "meta.json",
                br#"{"ulid": "01M7YV9D4RCH84S6NS9PC6AJ27", "version": 1}"#,
                Kind::PrometheusMeta,
            ),
            ("meta.json", b"{}", Kind::File),
            ("header", b"\xba\xaa\xd7\x92\x01", Kind::PrometheusHeader),
            ("index-header", b"cut", Kind::PrometheusHeader),
            ("sparse-index-header", b"\x1f\x8b\x08", Kind::PrometheusHeader),
            // Giving it by name has said its kind.
            ("a_v16.00000.zoekt", b"12345678", Kind::ZoektShard),
            ("short.zoekt", b"1234", Kind::ZoektShard),
            // A component is one of several.
            ("me-1-big-Data.db", b"", Kind::File),
            ("a-b-c.db", b"", Kind::File),
            ("a.TTL", b"", Kind::RdfText),
            ("a.nt", b"", Kind::RdfText),
            ("a.nt.gz", b"", Kind::File),
            ("a.hdt", b"$HDT\x01", Kind::RdfHdt),
            ("0000000001.leaf", b"MANLLEAF", Kind::GraphFile),
            ("0000000001.leaf", b"MANLEAFS", Kind::File),
            ("manifest", b"MANTMANI", Kind::TreeManifest),
            ("segment-0", b"MANTGRAM", Kind::TreeSegment),
            ("segment-0", b"MANTELLO", Kind::File),
        ] {
            check_file(name, bytes, want);
        }
    }

    #[test]
    fn a_search_opens_few_of_the_files_that_it_is_given() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes, want) in [
            ("a.rs", &b"fn main() {}"[..], None),
            ("Makefile", INDEX, None),
            ("a.ttl", b"", None),
            ("index", INDEX, Some(Kind::PrometheusIndex)),
            ("index", b"text", None),
            ("index.html", b"text", None),
            ("x.zoekt", b"1234567890 text", None),
            ("x.zoekt", b"1234\0\0\0\x01\0\0\0\x02", Some(Kind::ZoektShard)),
            ("a_v16.00000.zoekt", b"cut", Some(Kind::ZoektShard)),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            assert_eq!(searched_file(&path), want, "{name}");
        }
    }

    #[test]
    fn what_is_not_there_is_an_error_and_a_pipe_is_not_opened() {
        assert!(recognise(Path::new("/nowhere/at/all")).is_err());
        assert_eq!(recognise(Path::new("/dev/null")).unwrap(), Kind::File);
    }

    #[test]
    fn real_files_of_other_systems() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden");
        let rows: [(&str, Kind); 15] = [
            ("series/blocks/tiny", Kind::PrometheusData),
            ("series/blocks/tiny/01M7YV9D4RCH84S6NS9PC6AJ27", Kind::PrometheusBlock),
            ("series/blocks/v1/index_format_v1", Kind::PrometheusBlock),
            ("series/blocks/gaps", Kind::PrometheusData),
            ("series/blocks/tiny/01M7YV9D4RCH84S6NS9PC6AJ27/index", Kind::PrometheusIndex),
            ("series/index/1000/index", Kind::PrometheusIndex),
            ("rows/me/small", Kind::SstableFolder),
            ("rows/me/small/me-1-big-Data.db", Kind::SstableComponent),
            ("rows/da/zstd", Kind::SstableFolder),
            ("rows/da/zstd/da-3-bti-Data.db", Kind::SstableComponent),
            ("blobs/repos/v2", Kind::ResticRepository),
            ("blobs/repos/idx10k", Kind::ResticRepository),
            ("graph/hdt/shop200.hdt", Kind::RdfHdt),
            ("rows", Kind::SourceTree),
            ("series/README.md", Kind::File),
        ];
        for (name, want) in rows {
            let path: PathBuf = golden.join(name);
            match path.exists() {
                true => assert_eq!(recognise(&path).unwrap(), want, "{name}"),
                false => println!("left out: {name} does not exist"),
            }
        }
    }
}

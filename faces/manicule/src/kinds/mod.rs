//! Kinds of paths: a source tree, or something that another system wrote.
//!
//! A kind counts where its names are there *and* the first or last bytes that prove it; each engine says its own signs,
//! `signs` those of the systems that can't be read yet. Whether the rest of the bytes is sound is for whoever opens
//! them to say. A folder can be several kinds at once, and holds whatever lies beside them too: [`Folder`] says what,
//! [`Deal`] deals the paths of a search out.
//!
//! Bytes:   docs/formats/*.md of each kind, as they come
//! Callers: inspect, verify, faces

mod deal;
mod deeper;
mod folder;
mod signs;

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use manicule_code::shards;
use manicule_code::tree::{IndexFileKind, kind_of};
use manicule_series as series;

pub use deal::Deal;
pub use deeper::{Deeper, NOTICE, Passed, deeper, passed};
pub use folder::Folder;

/// Kind of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A folder of files: text, as far as anybody knows.
    SourceTree,
    /// A file of no other kind.
    File,
    /// Ours: the manifest of a tree's index.
    TreeManifest,
    /// Ours: a segment of a tree's index.
    TreeSegment,
    /// Ours: the folder in the cache that holds a tree's index.
    TreeIndex,
    /// A `.zoekt` file.
    ZoektShard,
    /// A folder of them.
    ZoektShards,
    /// A folder with `meta.json` and `index`.
    PrometheusBlock,
    /// A folder of blocks, or with a write-ahead log.
    PrometheusData,
    /// The `index` of a block by itself.
    PrometheusIndex,
    /// A file of a block's chunks by itself.
    PrometheusChunks,
    /// The `tombstones` of a block by itself.
    PrometheusTombstones,
    /// The `meta.json` of a block by itself.
    PrometheusMeta,
    /// A folder of a table's SSTables.
    SstableFolder,
    /// One component of an SSTable.
    SstableComponent,
    /// A folder with `config`, `keys`, `data` and so on.
    ResticRepository,
    /// RDF as text: Turtle, N-Triples, N-Quads, TriG, RDF/XML, JSON-LD, Notation3.
    RdfText,
    /// RDF as HDT.
    RdfHdt,
}

/// Operations on a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Can {
    /// All there is.
    Everything,
    /// Searched as the text that it is, without knowing what it means.
    BeSearchedAsText,
}

/// What is known of each kind: the word for programs, what people call it, what can be done with it.
const ROWS: [(Kind, &str, &str, Can); 18] = [
    (Kind::SourceTree, "source-tree", "a source tree", ALL),
    (Kind::File, "file", "a plain file", ALL),
    (Kind::TreeManifest, "tree-manifest", "the manifest of a tree's index", ALL),
    (Kind::TreeSegment, "tree-segment", "a segment of a tree's index", ALL),
    (Kind::TreeIndex, "tree-index", "the index of a tree", ALL),
    (Kind::ZoektShard, "zoekt-shard", "a zoekt shard", ALL),
    (Kind::ZoektShards, "zoekt-shards", "a folder of zoekt shards", ALL),
    (Kind::PrometheusBlock, "prometheus-block", "a Prometheus block", ALL),
    (Kind::PrometheusData, "prometheus-data", "a Prometheus data folder", ALL),
    (Kind::PrometheusIndex, "prometheus-index", "the index of a Prometheus block", ALL),
    (Kind::PrometheusChunks, "prometheus-chunks", "a file of a Prometheus block's chunks", ALL),
    (Kind::PrometheusTombstones, "prometheus-tombstones", "tombstones of a Prometheus block", ALL),
    (Kind::PrometheusMeta, "prometheus-meta", "the meta file of a Prometheus block", ALL),
    (Kind::SstableFolder, "sstable-folder", "a folder of SSTables", TEXT),
    (Kind::SstableComponent, "sstable-component", "a component of an SSTable", TEXT),
    (Kind::ResticRepository, "restic-repository", "a restic repository", TEXT),
    (Kind::RdfText, "rdf", "an RDF file", TEXT),
    (Kind::RdfHdt, "rdf-hdt", "an RDF file in HDT", TEXT),
];

const ALL: Can = Can::Everything;
const TEXT: Can = Can::BeSearchedAsText;

impl Kind {
    fn row(self) -> &'static (Kind, &'static str, &'static str, Can) {
        // A test holds that every kind has its row.
        ROWS.iter().find(|row| row.0 == self).unwrap_or(&ROWS[0])
    }

    /// One word for programs.
    pub fn word(self) -> &'static str {
        self.row().1
    }

    /// Noun for the kind, with its article.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// Whether it is a Prometheus block, several, or a file of one.
    pub(crate) fn is_prometheus(self) -> bool {
        self.word().starts_with("prometheus-")
    }

    /// Operations on the kind.
    pub fn can(self) -> Can {
        self.row().3
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Tells what a path is that somebody gave to be read: of a folder, the first of [`Folder::given_kinds`]. Fails where it
/// isn't there or can't be read.
pub fn recognise(path: &Path) -> io::Result<Kind> {
    let meta = fs::metadata(path)?;
    if meta.is_dir() {
        let kinds = Folder::read(path)?.given_kinds();
        return Ok(kinds.first().copied().unwrap_or(Kind::SourceTree));
    }
    // A pipe or a device is not opened: that could wait for somebody, or have an effect.
    if !meta.is_file() {
        return Ok(Kind::File);
    }
    let is_meta = path.file_name().is_some_and(|name| name == "meta.json")
        && path.parent().is_some_and(series::has_block_meta);
    if is_meta {
        return Ok(Kind::PrometheusMeta);
    }
    Ok(by_head(&head(path)?).or_else(|| signs::by_name(path)).unwrap_or(Kind::File))
}

/// What a file is that a search was given, if it isn't text. Most are looked at by their names only: of ten thousand
/// source files none is opened.
fn searched_file(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.as_bytes();
    if name.ends_with(b".zoekt") {
        let is_shard = shards::is_of_shards(name) || shards::is_sound(path);
        return is_shard.then_some(Kind::ZoektShard);
    }
    let is_index = name.starts_with(b"index") && series::begins_as_index(path);
    is_index.then_some(Kind::PrometheusIndex)
}

/// What a file is by its first bytes.
fn by_head(head: &[u8]) -> Option<Kind> {
    match kind_of(head) {
        Some(IndexFileKind::Manifest) => Some(Kind::TreeManifest),
        Some(IndexFileKind::Segment) => Some(Kind::TreeSegment),
        None if head.starts_with(&series::INDEX_MAGIC) => Some(Kind::PrometheusIndex),
        None if head.starts_with(&series::SEGMENT_MAGIC) => Some(Kind::PrometheusChunks),
        None if head.starts_with(&series::TOMBSTONES_MAGIC) => Some(Kind::PrometheusTombstones),
        None if head.starts_with(signs::HDT_MAGIC) => Some(Kind::RdfHdt),
        None => None,
    }
}

/// The first bytes of a file.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(16);
    File::open(path)?.take(16).read_to_end(&mut head)?;
    Ok(head)
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
    fn every_kind_has_its_row() {
        for (at, (kind, word, _, _)) in ROWS.iter().enumerate() {
            assert_eq!((*kind as usize, kind.word()), (at, *word));
        }
        assert_eq!(Kind::RdfHdt as usize, ROWS.len() - 1);
    }

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
            // Whoever gives it by name has said what it is.
            ("a_v16.00000.zoekt", b"12345678", Kind::ZoektShard),
            ("short.zoekt", b"1234", Kind::ZoektShard),
            // A component is one of several.
            ("me-1-big-Data.db", b"", Kind::File),
            ("a-b-c.db", b"", Kind::File),
            ("a.TTL", b"", Kind::RdfText),
            ("a.nt", b"", Kind::RdfText),
            ("a.nt.gz", b"", Kind::File),
            ("a.hdt", b"$HDT\x01", Kind::RdfHdt),
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
                false => println!("left out: {name} is not there"),
            }
        }
    }
}

//! What a path is: a source tree, or something that another system wrote.
//!
//! Told by names and a few first bytes only, so that the answer costs a look at the path and, for a folder, a reading
//! of its first names: some 10 microseconds. Whether the bytes behind are sound is for whoever opens them to say. A
//! folder is of a kind by what lies directly in it; a folder that merely holds such things deeper is a source tree.
//!
//! Bytes:   docs/formats/*.md of each kind, as they come
//! Callers: inspect, verify, faces

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use manicule_code::tree::{IndexFileKind, kind_of};
use manicule_series::Meta;

/// What a path is.
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

/// What can be done with a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Can {
    /// All there is.
    Everything,
    /// Searched as the text that it is, without knowing what it means.
    BeSearchedAsText,
    /// Nothing yet.
    Nothing,
}

impl Kind {
    /// What people call it, with its article.
    pub fn name(self) -> &'static str {
        match self {
            Kind::SourceTree => "a source tree",
            Kind::File => "a plain file",
            Kind::TreeManifest => "the manifest of a tree's index",
            Kind::TreeSegment => "a segment of a tree's index",
            Kind::TreeIndex => "the index of a tree",
            Kind::ZoektShard => "a zoekt shard",
            Kind::ZoektShards => "a folder of zoekt shards",
            Kind::PrometheusBlock => "a Prometheus block",
            Kind::PrometheusData => "a Prometheus data folder",
            Kind::PrometheusIndex => "the index of a Prometheus block",
            Kind::SstableFolder => "a folder of SSTables",
            Kind::SstableComponent => "a component of an SSTable",
            Kind::ResticRepository => "a restic repository",
            Kind::RdfText => "an RDF file",
            Kind::RdfHdt => "an RDF file in HDT",
        }
    }

    /// One word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Kind::SourceTree => "source-tree",
            Kind::File => "file",
            Kind::TreeManifest => "tree-manifest",
            Kind::TreeSegment => "tree-segment",
            Kind::TreeIndex => "tree-index",
            Kind::ZoektShard => "zoekt-shard",
            Kind::ZoektShards => "zoekt-shards",
            Kind::PrometheusBlock => "prometheus-block",
            Kind::PrometheusData => "prometheus-data",
            Kind::PrometheusIndex => "prometheus-index",
            Kind::SstableFolder => "sstable-folder",
            Kind::SstableComponent => "sstable-component",
            Kind::ResticRepository => "restic-repository",
            Kind::RdfText => "rdf",
            Kind::RdfHdt => "rdf-hdt",
        }
    }

    /// What can be done with it.
    pub fn can(self) -> Can {
        match self {
            Kind::SourceTree
            | Kind::File
            | Kind::TreeManifest
            | Kind::TreeSegment
            | Kind::TreeIndex
            | Kind::ZoektShard
            | Kind::ZoektShards
            | Kind::PrometheusBlock
            | Kind::PrometheusData
            | Kind::PrometheusIndex => Can::Everything,
            Kind::RdfText => Can::BeSearchedAsText,
            _ => Can::Nothing,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Tells what a path is. Fails where it isn't there or can't be read.
pub fn recognise(path: &Path) -> io::Result<Kind> {
    let meta = fs::metadata(path)?;
    if meta.is_dir() {
        return Ok(Marks::of(path)?.kind(path));
    }
    // A pipe or a device is not opened: that could wait for somebody, or have an effect.
    if !meta.is_file() {
        return Ok(Kind::File);
    }
    let name = path.file_name().unwrap_or_default().as_bytes();
    let head = if begins_with_magic(name) { head(path).unwrap_or_default() } else { Vec::new() };
    let by_head = HEADS.iter().find(|row| head.starts_with(row.0)).map(|row| row.1);
    Ok(match kind_of(&head) {
        Some(IndexFileKind::Manifest) => Kind::TreeManifest,
        Some(IndexFileKind::Segment) => Kind::TreeSegment,
        None => by_head.or_else(|| by_ending(name, meta.len())).unwrap_or(Kind::File),
    })
}

/// Whether files of such a name may be known by their first bytes: those without an ending, as `index` and `segment-0`.
/// So that ten thousand source files, given one by one, are looked at and not opened: 1 microsecond each rather than 5.
fn begins_with_magic(name: &[u8]) -> bool {
    !name.contains(&b'.') || name.ends_with(b".hdt")
}

/// What files begin with.
const HEADS: [(&[u8], Kind); 2] =
    [(&[0xba, 0xaa, 0xd7, 0x00], Kind::PrometheusIndex), (b"$HDT", Kind::RdfHdt)];

/// Endings of RDF as text. Compressed ones are files like others: nothing in them is text.
const RDF_ENDINGS: [&[u8]; 9] =
    [b"ttl", b"nt", b"nq", b"trig", b"rdf", b"owl", b"n3", b"jsonld", b"trix"];

/// A shard ends in the place of its table of contents, eight bytes.
const ZOEKT_TRAILER_LEN: u64 = 8;

fn by_ending(name: &[u8], len: u64) -> Option<Kind> {
    if is_sstable(name) {
        return Some(Kind::SstableComponent);
    }
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    let ending = name[dot + 1..].to_ascii_lowercase();
    if ending == b"zoekt" && len >= ZOEKT_TRAILER_LEN {
        return Some(Kind::ZoektShard);
    }
    RDF_ENDINGS.contains(&ending.as_slice()).then_some(Kind::RdfText)
}

/// The first bytes of a file.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(16);
    File::open(path)?.take(16).read_to_end(&mut head)?;
    Ok(head)
}

/// So many names of a folder are looked at: those of a block or repository are fewer, and where there are more, as in
/// a folder of shards or blocks, most are alike.
const NAMES_MAX: usize = 64;

/// Which of a folder's first names speak for which kind.
#[derive(Default)]
struct Marks {
    count: usize,
    zoekt: usize,
    blocks: usize,
    sstable: usize,
    meta_json: bool,
    index: bool,
    chunks: bool,
    wal: bool,
    chunks_head: bool,
    manifest: bool,
    config: bool,
    keys: bool,
    restic_folders: usize,
}

impl Marks {
    fn of(path: &Path) -> io::Result<Self> {
        let mut marks = Marks::default();
        for entry in fs::read_dir(path)?.take(NAMES_MAX) {
            marks.add(entry?.file_name().as_bytes());
        }
        Ok(marks)
    }

    fn add(&mut self, name: &[u8]) {
        self.count += 1;
        match name {
            b"meta.json" => self.meta_json = true,
            b"index" => {
                self.index = true;
                self.restic_folders += 1;
            }
            b"chunks" => self.chunks = true,
            b"wal" => self.wal = true,
            b"chunks_head" => self.chunks_head = true,
            b"manifest" => self.manifest = true,
            b"config" => self.config = true,
            b"keys" => self.keys = true,
            b"data" | b"snapshots" | b"locks" => self.restic_folders += 1,
            name if name.ends_with(b".zoekt") => self.zoekt += 1,
            // What lies beside a shard belongs to it.
            name if name.ends_with(b".zoekt.meta") => self.count -= 1,
            name if is_ulid(name) => self.blocks += 1,
            name if is_sstable(name) => self.sstable += 1,
            _ => {}
        }
    }

    fn kind(&self, path: &Path) -> Kind {
        let is_folder = |name: &str| path.join(name).is_dir();
        let begins = |name: &str, magic: &[u8]| {
            head(&path.join(name)).is_ok_and(|head| head.starts_with(magic))
        };
        // A tree may hold one such file among its own: they must be half of it.
        let most = |count: usize| count > 0 && count * 2 >= self.count;
        let has_index = self.index && begins("index", HEADS[0].0);
        // A block that lacks a part is a damaged block.
        if has_index && (self.meta_json || self.chunks && is_folder("chunks"))
            || self.meta_json && is_block_meta(&path.join("meta.json"))
        {
            Kind::PrometheusBlock
        } else if self.manifest && manicule_code::tree::is_index_folder(path) {
            Kind::TreeIndex
        } else if self.config && self.keys && self.restic_folders > 0 && is_folder("keys") {
            Kind::ResticRepository
        } else if most(self.zoekt) {
            Kind::ZoektShards
        } else if most(self.sstable) {
            Kind::SstableFolder
        } else if most(self.blocks)
            || (self.wal && (self.chunks_head || self.blocks > 0) && is_folder("wal"))
        {
            Kind::PrometheusData
        } else {
            Kind::SourceTree
        }
    }
}

/// A longer `meta.json` is not looked at: it would be the meta file of 100,000 blocks made one.
const META_LEN_MAX: u64 = 4 << 20;

/// Whether a meta file is that of a block.
fn is_block_meta(path: &Path) -> bool {
    let mut json = Vec::new();
    let read = File::open(path).and_then(|file| file.take(META_LEN_MAX).read_to_end(&mut json));
    read.is_ok() && Meta::decode(&json).is_ok_and(|meta| is_ulid(meta.ulid.as_bytes()))
}

/// The name of a block: 26 characters of Crockford's base 32.
fn is_ulid(name: &[u8]) -> bool {
    let is_digit =
        |byte: &u8| byte.is_ascii_digit() || (byte.is_ascii_uppercase() && !b"ILOU".contains(byte));
    name.len() == 26 && matches!(name[0], b'0'..=b'7') && name.iter().all(is_digit)
}

/// Whether a name is that of an SSTable's component: `me-7-big-Data.db`, or `keyspace-table-ka-1-Data.db` as they were
/// called before Cassandra 2.2.
fn is_sstable(name: &[u8]) -> bool {
    let parts: Vec<&[u8]> = name.split(|byte| *byte == b'-').collect();
    let is_version =
        |part: &[u8]| part.len() == 2 && part.iter().all(|byte| byte.is_ascii_lowercase());
    let is_generation = |part: &[u8]| {
        !part.is_empty() && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    let is_component = |part: &[u8]| {
        [&b".db"[..], b"TOC.txt", b".crc32", b".adler32", b".sha1"]
            .iter()
            .any(|ending| part.ends_with(ending))
    };
    match parts[..] {
        [version, generation, b"big" | b"bti", component] => {
            is_version(version) && is_generation(generation) && is_component(component)
        }
        [keyspace, table, version, generation, component] => {
            !keyspace.is_empty()
                && !table.is_empty()
                && is_version(version)
                && generation.iter().all(u8::is_ascii_digit)
                && is_component(component)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const META: &[u8] = br#"{"ulid": "01M7YV9D4RCH84S6NS9PC6AJ27", "version": 1}"#;
    const INDEX: &[u8] = &[0xba, 0xaa, 0xd7, 0x00, 2, 0, 0, 0];

    /// Plants files, or folders where a name ends in `/`, and tells what the whole is.
    #[track_caller]
    fn check(names: &[(&str, &[u8])], want: Kind) {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in names {
            let path = folder.path().join(name);
            if name.ends_with('/') {
                fs::create_dir_all(path).unwrap();
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        assert_eq!(recognise(folder.path()).unwrap(), want, "{names:?}");
    }

    #[track_caller]
    fn check_file(name: &str, bytes: &[u8], want: Kind) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), bytes).unwrap();
        assert_eq!(recognise(&folder.path().join(name)).unwrap(), want, "{name}");
    }

    #[test]
    fn folders_of_other_systems() {
        check(&[("meta.json", b"{}"), ("index", INDEX), ("chunks/", b"")], Kind::PrometheusBlock);
        // Blocks that lack a part, or have a damaged one.
        check(&[("index", INDEX), ("chunks/", b"")], Kind::PrometheusBlock);
        check(&[("meta.json", META), ("chunks/", b"")], Kind::PrometheusBlock);
        check(&[("meta.json", META), ("index", b"damaged")], Kind::PrometheusBlock);
        check(&[("01M7YV9D4RCH84S6NS9PC6AJ27/index", INDEX), ("wal/", b"")], Kind::PrometheusData);
        check(&[("01M7YV9D4RCH84S6NS9PC6AJ27/index", INDEX)], Kind::PrometheusData);
        check(&[("wal/", b""), ("chunks_head/", b""), ("lock", b"")], Kind::PrometheusData);
        check(&[("a_v16.00000.zoekt", b"12345678")], Kind::ZoektShards);
        check(
            &[("a_v16.00000.zoekt", b"12345678"), ("a_v16.00000.zoekt.meta", b"{}")],
            Kind::ZoektShards,
        );
        check(&[("me-1-big-Data.db", b""), ("me-1-big-TOC.txt", b"")], Kind::SstableFolder);
        check(
            &[("config", b"\0"), ("keys/", b""), ("data/", b""), ("index/", b"")],
            Kind::ResticRepository,
        );
        check(&[("manifest", b"MANTMANI"), ("lock", b"")], Kind::TreeIndex);
    }

    #[test]
    fn folders_of_sources() {
        check(&[], Kind::SourceTree);
        check(&[("src/main.rs", b""), ("README.md", b"")], Kind::SourceTree);
        // Each of these has a part of what another kind has.
        check(&[("meta.json", b"{}"), ("index", b"text")], Kind::SourceTree);
        check(&[("meta.json", b"{}"), ("chunks/", b"")], Kind::SourceTree);
        check(&[("config", b""), ("keys", b""), ("index/", b"")], Kind::SourceTree);
        check(&[("config/", b""), ("data/", b""), ("src/", b"")], Kind::SourceTree);
        check(&[("wal/", b""), ("wal.go", b"")], Kind::SourceTree);
        check(&[("manifest", b"text")], Kind::SourceTree);
        check(&[("a.zoekt", b""), ("a.go", b""), ("b.go", b"")], Kind::SourceTree);
        // Deeper ones don't count.
        check(&[("testdata/me-1-big-Data.db", b"")], Kind::SourceTree);
        check(&[("blocks/meta.json", b""), ("blocks/index", INDEX)], Kind::SourceTree);
    }

    #[test]
    fn files() {
        for (name, bytes, want) in [
            ("a.rs", &b"fn main() {}"[..], Kind::File),
            ("empty", b"", Kind::File),
            ("index", INDEX, Kind::PrometheusIndex),
            ("a_v16.00000.zoekt", b"12345678", Kind::ZoektShard),
            ("short.zoekt", b"1234", Kind::File),
            ("me-3fw2_0tj4_46w3k2cpidnirvjy7k-big-Data.db", b"", Kind::SstableComponent),
            ("da-5-bti-Partitions.db", b"", Kind::SstableComponent),
            ("mc-12-big-TOC.txt", b"", Kind::SstableComponent),
            ("keyspace-table-ka-1-Data.db", b"", Kind::SstableComponent),
            ("me-1-big-notes.md", b"", Kind::File),
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
    fn what_is_not_there_is_an_error_and_a_pipe_is_not_opened() {
        assert!(recognise(Path::new("/nowhere/at/all")).is_err());
        assert_eq!(recognise(Path::new("/dev/null")).unwrap(), Kind::File);
    }

    #[test]
    fn real_files_of_other_systems() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden");
        let rows: [(&str, Kind); 14] = [
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

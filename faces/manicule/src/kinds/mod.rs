//! Kinds of paths: a source tree, or something that another system wrote.
//!
//! A kind counts where its names exist *and* the first or last bytes prove it; each engine declares
//! its own signs, and all of them are asked. Whether the rest of the bytes is sound is left to the
//! reader. A path is recognised once, by [`places`]: operations on it take the [`Place`] and ask
//! the reader of its kind. [`Deal`] deals the paths of a search out.
//!
//! A system is one [`SystemRow`]: its [`Signs`], by which it is recognised, a [`Reader`] of each of
//! its kinds, its part in a search, and its tables. The house's own are listed in systems.rs; a
//! program [adds](add()) others.
//!
//! Bytes:   docs/formats/*.md of each kind, as they come

mod address;
mod cassandra;
mod deal;
mod dealing;
mod deeper;
mod folder;
mod graph;
mod kind;
mod names;
mod plain;
mod prometheus;
mod rdf;
mod reader;
mod recognised;
mod restic;
mod row;
mod signs;
mod system;
mod systems;
mod tree;
mod zoekt;

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

pub use address::ListedNames;
pub(crate) use address::{Lies, Seen};
pub use deal::Deal;
pub use deeper::{Deeper, Passed, deeper, notice, passed};
use folder::Folder;
pub use kind::Kind;
pub use manicule_store::NamedEntry;
pub use names::Names;
pub use reader::{Call, Place, Reader, Verify, no_parts};
use recognised::HEAD_LEN;
pub(crate) use recognised::{lies_at, seen};
pub use row::{KindRow, SystemRow};
pub use signs::Signs;
pub use system::System;
pub(crate) use systems::row_of;
pub use systems::{add, systems};
use systems::{place, reader};

use crate::cache::Cache;
use crate::inspect::Error;
use crate::place::is_address;

/// A path as each of its kinds: a folder that holds several as each of them, and as a tree where it
/// has an index of its own or holds nothing else. An address costs a listing.
pub fn places(path: &Path, cache: Option<&Cache>) -> Result<Vec<Place>, Error> {
    if is_address(path) {
        return places_at(path);
    }
    let meta = fs::metadata(path).map_err(Error::io(path))?;
    let mut kinds = kinds_of(path, &meta).map_err(Error::io(path))?;
    let has_index =
        || cache.is_some_and(|cache| manicule_code::tree::has_index(&cache.folder, path));
    if meta.is_dir() && (kinds.is_empty() || has_index()) {
        kinds.push(Kind::SOURCE_TREE);
    }
    match kinds[..] {
        [kind] if kind == Kind::FILE => Err(Error::NoIndexFile(path.to_owned())),
        _ => Ok(kinds.into_iter().map(|kind| place(path, kind)).collect()),
    }
}

/// An address as each of its kinds.
fn places_at(path: &Path) -> Result<Vec<Place>, Error> {
    match lies_at(path)? {
        Lies::File(Kind::FILE) => Err(Error::NoIndexFile(path.to_owned())),
        Lies::File(kind) => Ok(vec![place(path, kind)]),
        Lies::Folder(seen) if seen.kinds.is_empty() => Err(Error::NoIndex(path.to_owned())),
        Lies::Folder(Seen { listing, mut kinds, .. }) => {
            kinds.sort_by_key(|kind| kind.rank());
            let listed = |kind| Place { listing: Some(listing.clone()), ..place(path, kind) };
            Ok(kinds.into_iter().map(listed).collect())
        }
    }
}

/// A path as Prometheus blocks, whatever its signs: a block, a data folder, or a file of a block.
pub fn place_of_blocks(path: &Path) -> Result<Place, Error> {
    if is_address(path) {
        let of_blocks = |kind: &Kind| kind.system() == System::PROMETHEUS;
        return Ok(match lies_at(path)? {
            Lies::File(kind) => place(path, Some(kind).filter(of_blocks).unwrap_or(BY_NAME)),
            Lies::Folder(Seen { listing, kinds, .. }) => {
                let kind = kinds.into_iter().find(of_blocks).unwrap_or(Kind::PROMETHEUS_DATA);
                Place { listing: Some(listing), ..place(path, kind) }
            }
        });
    }
    let meta = fs::metadata(path).map_err(Error::io(path))?;
    if meta.is_dir() {
        return Ok(place(path, prometheus::kind_of_folder(path)));
    }
    let kind = file_kind(path, &meta).map_err(Error::io(path))?;
    // A file whose bytes are of another kind has the sections of that.
    let reader = Reader { parts: reader(kind).parts, ..reader(Kind::PROMETHEUS_INDEX) };
    Ok(Place { reader, ..place(path, kind) })
}

/// What a file is taken for that was given as one of a block.
const BY_NAME: Kind = Kind::PROMETHEUS_INDEX;

/// Kind of a path given to be read: of a folder with several kinds, the first. Fails if the path
/// doesn't exist or can't be read.
pub fn recognise(path: &Path) -> io::Result<Kind> {
    let kinds = kinds_of(path, &fs::metadata(path)?)?;
    Ok(kinds.first().copied().unwrap_or(Kind::SOURCE_TREE))
}

/// The kinds of a path; none of a folder of sources.
fn kinds_of(path: &Path, meta: &Metadata) -> io::Result<Vec<Kind>> {
    if meta.is_dir() {
        Folder::read(path).map(|folder| folder.given_kinds())
    } else {
        file_kind(path, meta).map(|kind| vec![kind])
    }
}

fn file_kind(path: &Path, meta: &Metadata) -> io::Result<Kind> {
    // A pipe or a device is not opened: that could block, or have an effect.
    if !meta.is_file() {
        return Ok(Kind::FILE);
    }
    let head = head(path)?;
    let by_head = systems().iter().find_map(|row| row.signs.of_head(&head));
    let by_name = || systems().iter().find_map(|row| row.signs.of_name(path));
    Ok(by_head.or_else(by_name).unwrap_or(Kind::FILE))
}

/// The first bytes of a file.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD_LEN as usize);
    File::open(path)?.take(HEAD_LEN).read_to_end(&mut head)?;
    Ok(head)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::systems::searched_file;
    use super::*;

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
            ("a.rs", &b"fn main() {}"[..], Kind::FILE),
            ("empty", b"", Kind::FILE),
            ("index", INDEX, Kind::PROMETHEUS_INDEX),
            ("index.bak", INDEX, Kind::PROMETHEUS_INDEX),
            ("000001", b"\x85\xbd\x40\xdd\x01\0\0\0", Kind::PROMETHEUS_CHUNKS),
            ("tombstones", b"\x01\x30\xba\x30\x01", Kind::PROMETHEUS_TOMBSTONES),
            (
                "meta.json",
                br#"{"ulid": "01M7YV9D4RCH84S6NS9PC6AJ27", "version": 1}"#,
                Kind::PROMETHEUS_META,
            ),
            ("meta.json", b"{}", Kind::FILE),
            ("header", b"\xba\xaa\xd7\x92\x01", Kind::PROMETHEUS_HEADER),
            ("index-header", b"cut", Kind::PROMETHEUS_HEADER),
            ("sparse-index-header", b"\x1f\x8b\x08", Kind::PROMETHEUS_HEADER),
            // Giving it by name has said its kind.
            ("a_v16.00000.zoekt", b"12345678", Kind::ZOEKT_SHARD),
            ("short.zoekt", b"1234", Kind::ZOEKT_SHARD),
            // A component is one of several.
            ("me-1-big-Data.db", b"", Kind::FILE),
            ("a-b-c.db", b"", Kind::FILE),
            ("a.TTL", b"", Kind::RDF_TEXT),
            ("a.nt", b"", Kind::RDF_TEXT),
            ("a.nt.gz", b"", Kind::FILE),
            ("a.hdt", b"$HDT\x01", Kind::RDF_HDT),
            ("0000000001.leaf", b"MANLLEAF", Kind::GRAPH_FILE),
            ("0000000001.leaf", b"MANLEAFS", Kind::FILE),
            ("manifest", b"MANTMANI", Kind::TREE_MANIFEST),
            ("segment-0", b"MANTGRAM", Kind::TREE_SEGMENT),
            ("segment-0", b"MANTELLO", Kind::FILE),
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
            ("index", INDEX, Some(Kind::PROMETHEUS_INDEX)),
            ("index", b"text", None),
            ("index.html", b"text", None),
            ("x.zoekt", b"1234567890 text", None),
            ("x.zoekt", b"1234\0\0\0\x01\0\0\0\x02", Some(Kind::ZOEKT_SHARD)),
            ("a_v16.00000.zoekt", b"cut", Some(Kind::ZOEKT_SHARD)),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            assert_eq!(searched_file(&path), want, "{name}");
        }
    }

    #[test]
    fn what_is_not_there_is_an_error_and_a_pipe_is_not_opened() {
        assert!(recognise(Path::new("/nowhere/at/all")).is_err());
        assert_eq!(recognise(Path::new("/dev/null")).unwrap(), Kind::FILE);
    }

    #[test]
    fn real_files_of_other_systems() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden");
        let rows: [(&str, Kind); 15] = [
            ("series/blocks/tiny", Kind::PROMETHEUS_DATA),
            ("series/blocks/tiny/01M7YV9D4RCH84S6NS9PC6AJ27", Kind::PROMETHEUS_BLOCK),
            ("series/blocks/v1/index_format_v1", Kind::PROMETHEUS_BLOCK),
            ("series/blocks/gaps", Kind::PROMETHEUS_DATA),
            ("series/blocks/tiny/01M7YV9D4RCH84S6NS9PC6AJ27/index", Kind::PROMETHEUS_INDEX),
            ("series/index/1000/index", Kind::PROMETHEUS_INDEX),
            ("rows/me/small", Kind::SSTABLE_FOLDER),
            ("rows/me/small/me-1-big-Data.db", Kind::SSTABLE_COMPONENT),
            ("rows/da/zstd", Kind::SSTABLE_FOLDER),
            ("rows/da/zstd/da-3-bti-Data.db", Kind::SSTABLE_COMPONENT),
            ("blobs/repos/v2", Kind::RESTIC_REPOSITORY),
            ("blobs/repos/idx10k", Kind::RESTIC_REPOSITORY),
            ("graph/hdt/shop200.hdt", Kind::RDF_HDT),
            ("rows", Kind::SOURCE_TREE),
            ("series/README.md", Kind::FILE),
        ];
        for (name, want) in rows {
            let path: PathBuf = golden.join(name);
            if path.exists() {
                assert_eq!(recognise(&path).unwrap(), want, "{name}")
            } else {
                println!("left out: {name} does not exist")
            }
        }
    }
}

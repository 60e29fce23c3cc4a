//! Prometheus blocks, their files by themselves, and data folders.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_core::findings;
use manicule_series::signs::{self, FileKind};
use manicule_series::{self as series, BlockCounts};
use manicule_store::NamedEntry;

use super::address::ListedNames;
use super::kind::Kind;
use super::names::Names;
use super::reader::{Call, Place, Reader, index_file, no_parts};
use super::row::{KindRow, SystemRow};
use super::signs::Signs;
use super::system::System;
use crate::catalog::series as tables;
use crate::find::kinds::Places;
use crate::inspect::{Error, IndexFile, Inspected, Part, Verified};
use crate::place::is_address;
use crate::series::{self as own, Block};

const PROMETHEUS: System = System::PROMETHEUS;

impl Kind {
    /// A folder with `meta.json` and `index`.
    pub const PROMETHEUS_BLOCK: Kind =
        Kind::new("prometheus-block", "a Prometheus block", PROMETHEUS)
            .ranked(0)
            .part_of(Kind::PROMETHEUS_DATA);
    /// A folder of blocks, or with a write-ahead log.
    pub const PROMETHEUS_DATA: Kind =
        Kind::new("prometheus-data", "a Prometheus data folder", PROMETHEUS).ranked(3);
    /// The `index` of a block by itself.
    pub const PROMETHEUS_INDEX: Kind =
        Kind::new("prometheus-index", "the index of a Prometheus block", PROMETHEUS);
    /// A file of a block's chunks by itself.
    pub const PROMETHEUS_CHUNKS: Kind =
        Kind::new("prometheus-chunks", "a file of a Prometheus block's chunks", PROMETHEUS);
    /// The `tombstones` of a block by itself.
    pub const PROMETHEUS_TOMBSTONES: Kind =
        Kind::new("prometheus-tombstones", "tombstones of a Prometheus block", PROMETHEUS);
    /// The `meta.json` of a block by itself.
    pub const PROMETHEUS_META: Kind =
        Kind::new("prometheus-meta", "the meta file of a Prometheus block", PROMETHEUS);
    /// What Thanos or Mimir keep of a block's index: `index-header`, `sparse-index-header`.
    pub const PROMETHEUS_HEADER: Kind =
        Kind::new("prometheus-header", "the header of a Prometheus block's index", PROMETHEUS);
}

/// Prometheus.
pub(super) static ROW: SystemRow = SystemRow {
    system: PROMETHEUS,
    signs: &Prometheus,
    kinds: &[
        KindRow { kind: Kind::PROMETHEUS_BLOCK, reader: BLOCK },
        KindRow { kind: Kind::PROMETHEUS_DATA, reader: DATA },
        KindRow { kind: Kind::PROMETHEUS_INDEX, reader: FILE },
        KindRow { kind: Kind::PROMETHEUS_CHUNKS, reader: FILE },
        KindRow { kind: Kind::PROMETHEUS_TOMBSTONES, reader: FILE },
        KindRow { kind: Kind::PROMETHEUS_META, reader: FILE },
        KindRow { kind: Kind::PROMETHEUS_HEADER, reader: HEADER },
    ],
    searched: Some(|| Box::<Places<Block>>::default()),
    tables: &[&tables::BLOCKS, &tables::LABELS, &tables::SAMPLES, &tables::SERIES],
};

struct Prometheus;

impl Signs for Prometheus {
    fn of_head(&self, head: &[u8]) -> Option<Kind> {
        FileKind::of_head(head).map(|kind| match kind {
            FileKind::Index => Kind::PROMETHEUS_INDEX,
            FileKind::Segment => Kind::PROMETHEUS_CHUNKS,
            FileKind::Tombstones => Kind::PROMETHEUS_TOMBSTONES,
            FileKind::Meta => Kind::PROMETHEUS_META,
            FileKind::IndexHeader | FileKind::SparseHeader => Kind::PROMETHEUS_HEADER,
        })
    }

    fn of_name(&self, path: &Path) -> Option<Kind> {
        if signs::is_header_name(path) {
            Some(Kind::PROMETHEUS_HEADER)
        } else {
            let is_meta = signs::is_block_meta(path)
                || is_address(path)
                    && path.file_name().is_some_and(|name| name == signs::BLOCK_PARTS[0]);
            is_meta.then_some(Kind::PROMETHEUS_META)
        }
    }

    fn searched_file(&self, path: &Path, name: &[u8]) -> Option<Kind> {
        let may_be = name.starts_with(signs::INDEX_NAME.as_bytes());
        let is_one = || {
            if is_address(path) {
                name == signs::INDEX_NAME.as_bytes()
            } else {
                signs::begins_as_index(path)
            }
        };
        (may_be && is_one()).then_some(Kind::PROMETHEUS_INDEX)
    }

    fn takes_name(&self, name: &[u8]) -> bool {
        signs::is_of_block(name) || signs::is_of_data(name) || signs::is_block_name(name)
    }

    fn proven(&self, folder: &Path, names: &Names) -> Vec<Kind> {
        let is_block = names.has(signs::INDEX_NAME) && signs::is_block(folder);
        let has_blocks = names.any(signs::is_block_name, signs::is_block);
        kinds(is_block, has_blocks)
    }

    fn given(&self, folder: &Path, names: &Names, proven: &[Kind]) -> Vec<Kind> {
        let is_block = proven.contains(&Kind::PROMETHEUS_BLOCK) || signs::is_given_block(folder);
        let has_blocks = || {
            proven.contains(&Kind::PROMETHEUS_DATA)
                || names.any(signs::is_block_name, signs::has_block_parts)
                || signs::has_log(folder)
        };
        kinds(is_block, !is_block && has_blocks())
    }

    /// A bucket has no folder without an object, so a folder by the name of a block is one, or what
    /// is left of one.
    fn listed(&self, names: ListedNames<'_>) -> Vec<Kind> {
        let [meta, index, chunks] = signs::BLOCK_PARTS;
        let parts = [names.has_file(meta), names.has_file(index), names.has_folder(chunks)];
        let is_block = parts.into_iter().filter(|has| *has).count() > 1;
        let has_blocks = names.has_file(signs::BUCKET_INDEX_NAME)
            || names.folders().any(|name| signs::is_block_name(name.as_bytes()));
        kinds(is_block, !is_block && has_blocks)
    }

    fn owns(&self, folder: &Path, entry: &NamedEntry, proven: &[Kind]) -> bool {
        let bytes = entry.name.as_bytes();
        let is_data = proven.contains(&Kind::PROMETHEUS_DATA);
        proven.contains(&Kind::PROMETHEUS_BLOCK) && signs::is_of_block(bytes)
            || is_data
                && (signs::is_servers_of_data(folder, &entry.name)
                    || signs::is_block_of_data(folder, &entry.name))
    }

    fn is_part(&self, name: &[u8], proven: &[Kind]) -> bool {
        let is_any = |kinds: [Kind; 2]| kinds.iter().any(|kind| proven.contains(kind));
        is_any([Kind::PROMETHEUS_DATA, Kind::PROMETHEUS_BLOCK]) && signs::is_block_name(name)
    }

    fn noticed_endings(&self) -> &'static [&'static str] {
        &["/index"]
    }

    fn may_be_noticed(&self, path: &Path) -> bool {
        is_in_named_block(path) || signs::has_block_meta(path.parent().unwrap_or(path))
    }

    fn passed(&self, path: &Path) -> Option<(Kind, PathBuf)> {
        let is_index = path.file_name().is_some_and(|name| name == signs::INDEX_NAME);
        let block = path.parent().filter(|block| is_index && signs::is_block(block))?;
        // A folder of blocks that have a server's names is read as one; another block is given
        // itself.
        let data = block.parent().filter(|_| is_in_named_block(path));
        Some((Kind::PROMETHEUS_BLOCK, data.unwrap_or(block).to_owned()))
    }
}

fn is_in_named_block(path: &Path) -> bool {
    let name = path.parent().and_then(Path::file_name);
    name.is_some_and(|name| signs::is_block_name(name.as_bytes()))
}

fn kinds(is_block: bool, has_blocks: bool) -> Vec<Kind> {
    let rows = [(is_block, Kind::PROMETHEUS_BLOCK), (has_blocks, Kind::PROMETHEUS_DATA)];
    rows.into_iter().filter_map(|(is, kind)| is.then_some(kind)).collect()
}

/// A folder that is taken for blocks: one of them, or the rest of one, or those that lie in it.
pub(super) fn kind_of_folder(path: &Path) -> Kind {
    if signs::has_block_parts(path) { Kind::PROMETHEUS_BLOCK } else { Kind::PROMETHEUS_DATA }
}

fn is_file(place: &Place) -> bool {
    ![Kind::PROMETHEUS_BLOCK, Kind::PROMETHEUS_DATA].contains(&place.kind)
}

fn verify(place: &Place, call: &Call<'_>, _: &mut dyn FnMut(Error)) -> Result<Verified, Error> {
    own::verify(&place.path, is_file(place), call.threads, call.watch)
        .map(of_counts)
        .map_err(Error::Block)
}

fn of_counts(verified: findings::Verified<BlockCounts>) -> Verified {
    use Part::{Count, Len, Number, Text};
    let (verdict, counts) = (verified.verdict, &verified.counts);
    let mut lines = vec![match counts.blocks {
        0 => vec![Text("a file of a block by itself ("), Len(counts.len), Text(")")],
        _ => vec![
            Count(counts.blocks, "block"),
            Text(" ("),
            Len(counts.len),
            Text("), "),
            Number(counts.series),
            Text(" series, "),
            Count(counts.lists, "list"),
            Text(" with "),
            Count(counts.postings, "posting"),
        ],
    }];
    if counts.chunks > 0 {
        let (chunks, samples) = (Count(counts.chunks, "chunk"), Count(counts.samples, "sample"));
        lines.push(vec![chunks, Text(" with "), samples, Text(" decoded")]);
    }
    let mut counts = counts.fields();
    counts.push(("warnings", verdict.warnings.count));
    Verified::new(verdict, counts, lines)
}

fn inspect_block(place: &Place) -> Result<Inspected, Error> {
    own::inspect(&place.path, is_file(place))
        .map(|block| Inspected::Block(Box::new(block)))
        .map_err(Error::Block)
}

fn inspect_file(place: &Place) -> Result<Inspected, Error> {
    match own::block_file(&place.path).map_err(Error::Block)? {
        Some(file) => Ok(Inspected::BlockFile(Box::new(file))),
        None => inspect_block(place),
    }
}

fn parts(place: &Place) -> Result<Option<IndexFile>, Error> {
    index_file(place, series::outline, series::short_name).map(Some)
}

/// Of a block.
const BLOCK: Reader = Reader { inspect: |place, _| inspect_block(place), parts: no_parts, verify };

/// Of a file of a block by itself, or one that is taken for such.
const FILE: Reader = Reader { inspect: |place, _| inspect_file(place), parts, verify };

/// Of what other systems keep of an index.
const HEADER: Reader = Reader {
    inspect: |place, _| index_file(place, series::outline, series::short_name).map(Inspected::File),
    parts,
    verify,
};

/// Of a data folder.
const DATA: Reader = Reader {
    inspect: |place, _| own::summarise(&place.path).map(Inspected::Blocks).map_err(Error::Block),
    parts: no_parts,
    verify,
};

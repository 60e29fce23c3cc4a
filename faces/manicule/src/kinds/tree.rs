//! Source trees, and the indexes that we make of them.

use std::path::Path;

use manicule_code::tree::{self, IndexFileKind, TreeCounts};
use manicule_core::findings;

use super::kind::Kind;
use super::names::Names;
use super::reader::{Call, Place, Reader, index_file, no_parts};
use super::row::{KindRow, SystemRow};
use super::signs::Signs;
use super::system::System;
use crate::cache::now_ns;
use crate::inspect::{Error, IndexFile, Inspected, Part, Verified};
use crate::place::map;

impl Kind {
    /// A folder of files, taken for text.
    pub const SOURCE_TREE: Kind = Kind::new("source-tree", "a source tree", System::TREE);
    /// Ours: the folder in the cache that holds a tree's index.
    pub const TREE_INDEX: Kind =
        Kind::new("tree-index", "the index of a tree", System::TREE).ranked(1);
    /// Ours: the manifest of a tree's index.
    pub const TREE_MANIFEST: Kind =
        Kind::new("tree-manifest", "the manifest of a tree's index", System::TREE);
    /// Ours: a segment of a tree's index.
    pub const TREE_SEGMENT: Kind =
        Kind::new("tree-segment", "a segment of a tree's index", System::TREE);
}

/// Ours.
pub(super) static ROW: SystemRow = SystemRow {
    system: System::TREE,
    signs: &Tree,
    kinds: &[
        KindRow { kind: Kind::SOURCE_TREE, reader: TREE },
        KindRow { kind: Kind::TREE_INDEX, reader: TREE },
        KindRow { kind: Kind::TREE_MANIFEST, reader: FILE },
        KindRow { kind: Kind::TREE_SEGMENT, reader: FILE },
    ],
    searched: None,
    tables: &[],
};

struct Tree;

impl Signs for Tree {
    fn of_head(&self, head: &[u8]) -> Option<Kind> {
        tree::kind_of(head).map(|kind| match kind {
            IndexFileKind::Manifest => Kind::TREE_MANIFEST,
            IndexFileKind::Segment => Kind::TREE_SEGMENT,
        })
    }

    fn takes_name(&self, name: &[u8]) -> bool {
        name == tree::MANIFEST.as_bytes()
    }

    fn given(&self, folder: &Path, names: &Names, _: &[Kind]) -> Vec<Kind> {
        let is_index = names.has(tree::MANIFEST) && tree::is_index_folder(folder);
        is_index.then_some(Kind::TREE_INDEX).into_iter().collect()
    }
}

/// Of a tree, and of the folder of its index.
const TREE: Reader = Reader {
    inspect: |place, call| {
        tree::inspect(cache(call), &place.path, call.threads, &now_ns)
            .map(|inspection| Inspected::Tree(Box::new(inspection)))
            .map_err(Error::Tree)
    },
    parts: no_parts,
    verify: |place, call, _| {
        let verified = tree::verify(cache(call), &place.path, call.threads, call.watch);
        let (verified, index) = verified.map_err(Error::Tree)?;
        Ok(Verified { tree_index: Some(index), ..of_counts(verified) })
    },
};

/// Of a file of an index by itself.
const FILE: Reader = Reader {
    inspect: |place, _| parts(place).map(Inspected::File),
    parts: |place| parts(place).map(Some),
    verify: |place, _, _| {
        let bytes = map(&place.path).map_err(Error::io(&place.path))?;
        Ok(of_counts(tree::verify_file(&place.path.to_string_lossy(), &bytes)))
    },
};

fn cache<'a>(call: &Call<'a>) -> Option<&'a Path> {
    call.cache.map(|cache| cache.folder.as_path())
}

fn parts(place: &Place) -> Result<IndexFile, Error> {
    index_file(place, |bytes| tree::outline(bytes).map(|(_, outline)| outline), str::to_owned)
}

fn of_counts(verified: findings::Verified<TreeCounts>) -> Verified {
    use Part::{Count, Len, Number, Text};
    let counts = &verified.counts;
    let mut lines = vec![vec![
        Count(counts.index_files, "file"),
        Text(" of the index ("),
        Len(counts.index_len),
        Text("), "),
        Count(counts.lists, "list"),
        Text(" with "),
        Count(counts.postings, "posting"),
    ]];
    if counts.files_compared + counts.files_changed > 0 {
        lines.push(vec![
            Count(counts.files_compared, "file"),
            Text(" compared ("),
            Len(counts.bytes_read),
            Text(", "),
            Count(counts.pieces_compared, "piece"),
            Text("), "),
            Number(counts.files_changed),
            Text(" changed since, "),
            Number(counts.files_unknown),
            Text(" without grams; "),
            Count(counts.folders_compared, "folder"),
            Text(" compared, "),
            Number(counts.folders_changed),
            Text(" changed since"),
        ]);
    }
    Verified::new(verified.verdict, counts.fields(), lines)
}

//! Source trees, and the indexes that we make of them.
//!
//! Callers: kinds

use std::fs;
use std::path::Path;

use manicule_code::tree::{self, IndexFileKind, TreeCounts};
use manicule_core::findings;

use super::folder::Names;
use super::reader::{Reader, index_file};
use super::system::Signs;
use super::{Call, Kind, Place};
use crate::cache::now_ns;
use crate::inspect::{Error, IndexFile, Inspected, Part, Verified};

/// Ours.
#[derive(Debug)]
pub(super) struct Tree;

impl Signs for Tree {
    fn of_head(&self, head: &[u8]) -> Option<Kind> {
        tree::kind_of(head).map(|kind| match kind {
            IndexFileKind::Manifest => Kind::TreeManifest,
            IndexFileKind::Segment => Kind::TreeSegment,
        })
    }

    fn takes_name(&self, name: &[u8]) -> bool {
        name == tree::MANIFEST.as_bytes()
    }

    fn given(&self, folder: &Path, names: &Names, _: &[Kind]) -> Vec<Kind> {
        let is_index = names.has(tree::MANIFEST) && tree::is_index_folder(folder);
        is_index.then_some(Kind::TreeIndex).into_iter().collect()
    }
}

impl Reader for Tree {
    fn inspect(&self, place: &Place, call: &Call<'_>) -> Result<Inspected, Error> {
        let cache = call.cache.map(|cache| cache.folder.as_path());
        tree::inspect(cache, &place.path, call.threads, &now_ns)
            .map(|inspection| Inspected::Tree(Box::new(inspection)))
            .map_err(Error::Tree)
    }

    fn verify(
        &self,
        place: &Place,
        call: &Call<'_>,
        _: &mut dyn FnMut(Error),
    ) -> Result<Verified, Error> {
        let cache = call.cache.map(|cache| cache.folder.as_path());
        let (verified, index) =
            tree::verify(cache, &place.path, call.threads, call.watch).map_err(Error::Tree)?;
        Ok(Verified { tree_index: Some(index), ..of_counts(verified) })
    }
}

fn of_counts(verified: findings::Verified<TreeCounts>) -> Verified {
    use Part::{Len, Number, Text};
    let counts = &verified.counts;
    let mut lines = vec![vec![
        Number(counts.index_files),
        Text(" files of the index ("),
        Len(counts.index_len),
        Text("), "),
        Number(counts.lists),
        Text(" lists with "),
        Number(counts.postings),
        Text(" postings"),
    ]];
    if counts.files_compared + counts.files_changed > 0 {
        lines.push(vec![
            Number(counts.files_compared),
            Text(" files compared ("),
            Len(counts.bytes_read),
            Text(", "),
            Number(counts.pieces_compared),
            Text(" pieces), "),
            Number(counts.files_changed),
            Text(" changed since, "),
            Number(counts.files_unknown),
            Text(" without grams; "),
            Number(counts.folders_compared),
            Text(" folders compared, "),
            Number(counts.folders_changed),
            Text(" changed since"),
        ]);
    }
    Verified { verdict: verified.verdict, counts: counts.fields(), lines, tree_index: None }
}

/// A file of an index by itself.
#[derive(Debug)]
pub(super) struct File;

impl File {
    fn open(place: &Place) -> Result<IndexFile, Error> {
        index_file(place, |bytes| tree::outline(bytes).map(|(_, outline)| outline), str::to_owned)
    }
}

impl Reader for File {
    fn inspect(&self, place: &Place, _: &Call<'_>) -> Result<Inspected, Error> {
        File::open(place).map(Inspected::File)
    }

    fn parts(&self, place: &Place) -> Result<Option<IndexFile>, Error> {
        File::open(place).map(Some)
    }

    fn verify(
        &self,
        place: &Place,
        _: &Call<'_>,
        _: &mut dyn FnMut(Error),
    ) -> Result<Verified, Error> {
        let bytes = fs::read(&place.path).map_err(Error::io(&place.path))?;
        Ok(of_counts(tree::verify_file(&place.path.to_string_lossy(), &bytes)))
    }
}

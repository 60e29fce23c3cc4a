//! A folder of a snapshot as a tar archive, as `restic dump` writes it.
//!
//! Bytes:   docs/formats/restic.md, section Archives
//! Callers: faces/manicule

use std::io::{self, Write};
use std::vec::IntoIter;

use manicule_core::go::clean;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{Id, OwnedNode, pad, put_tar_end, put_tar_header};

use crate::content::{ContentError, ContentReader};
use crate::error::RepoError;
use crate::index::Index;
use crate::packs::BlobReader;
use crate::repository::Repository;
use crate::trees::read_nodes;

/// Why an archive ended early: it is none then.
#[derive(Debug)]
pub enum ArchiveError {
    /// A tree or a blob can't be read; a sentence.
    Damaged(String),
    /// The repository, or the watch of the call.
    Repo(RepoError),
    /// It can't be written.
    Write(io::Error),
}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        ArchiveError::Write(error)
    }
}

/// Writes what a tree holds; names begin with `path`, the folder's own. Files, folders and links; in the folder itself whatever is there, as in
/// restic.
pub fn put_archive(
    repository: &Repository,
    index: &Index,
    tree: Id,
    path: &[u8],
    watch: &Watch<'_>,
    out: &mut dyn Write,
) -> Result<(), ArchiveError> {
    let mut trees = BlobReader::new(repository, index);
    let mut contents = ContentReader::new(repository, index, watch);
    let mut read = |tree: Id| read_nodes(&mut trees, tree).map_err(ArchiveError::Damaged);
    let mut levels: Vec<(IntoIter<OwnedNode>, Vec<u8>)> =
        vec![(read(tree)?.into_iter(), path.to_vec())];
    let meter = watch.endless(Phase::Reading, Unit::Files);
    while let Some((nodes, folder)) = levels.last_mut() {
        let Some(node) = nodes.next() else {
            levels.pop();
            continue;
        };
        meter.step(1).map_err(|stopped| ArchiveError::Repo(stopped.into()))?;
        let path = clean(&[b"/", &folder[..], b"/", &node.name].concat());
        let is_kept = matches!(node.kind.as_str(), "file" | "dir" | "symlink");
        if !is_kept && levels.len() > 1 {
            continue;
        }
        put_node(&mut contents, &path[1..], &node, out)?;
        if let Some(tree) = node.subtree.filter(|_| node.kind == "dir") {
            levels.push((read(tree)?.into_iter(), path));
        }
    }
    meter.end();
    let mut end = Vec::new();
    put_tar_end(&mut end);
    Ok(out.write_all(&end)?)
}

fn put_node(
    contents: &mut ContentReader<'_>,
    path: &[u8],
    node: &OwnedNode,
    out: &mut dyn Write,
) -> Result<(), ArchiveError> {
    let mut bytes = Vec::new();
    put_tar_header(path, node, &mut bytes);
    out.write_all(&bytes)?;
    let mut len = 0;
    let content = node.content.as_deref().unwrap_or_default();
    let written = contents.read(content, |plain| {
        len += plain.len() as u64;
        out.write_all(plain)
    });
    let shown = || String::from_utf8_lossy(path).into_owned();
    match written {
        Ok(()) if len == node.size || node.kind != "file" => {}
        Ok(()) => {
            let want = node.size;
            let why = format!("{}: its blobs have {len} bytes, and the file had {want}", shown());
            return Err(ArchiveError::Damaged(why));
        }
        Err(ContentError::Blob(why)) => {
            return Err(ArchiveError::Damaged(format!("{}: {why}", shown())));
        }
        Err(ContentError::Stopped(error)) => return Err(ArchiveError::Repo(error)),
        Err(ContentError::Taker(error)) => return Err(ArchiveError::Write(error)),
    }
    bytes.clear();
    pad(len, &mut bytes);
    Ok(out.write_all(&bytes)?)
}

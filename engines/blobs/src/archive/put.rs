//! The way through a folder's trees, in the order of `ls`.

use std::io::Write;
use std::vec::IntoIter;

use manicule_core::go::clean;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{Id, OwnedNode};

use super::entry::{Archive, ArchiveError, Content};
use super::tar::Tar;
use super::zip::Zip;
use crate::content::ContentReader;
use crate::index::Index;
use crate::packs::{BlobReader, bring_trees};
use crate::repository::Repository;
use crate::trees::read_nodes;

/// Form of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveForm {
    /// USTAR, and PAX where that doesn't suffice.
    Tar,
    /// Files are deflated. Memory: the paths of all entries.
    Zip,
}

/// Writes what a tree holds; names begin with `path`, the folder's own. Files, folders and links;
/// in the folder itself whatever is there, as in restic.
pub fn put_archive(
    repository: &Repository,
    index: &Index,
    tree: Id,
    path: &[u8],
    form: ArchiveForm,
    watch: &Watch<'_>,
    out: &mut dyn Write,
) -> Result<(), ArchiveError> {
    let mut archive: Box<dyn Archive + '_> = match form {
        ArchiveForm::Tar => Box::new(Tar::new(out)),
        ArchiveForm::Zip => Box::new(Zip::new(out)),
    };
    let mut trees = BlobReader::new(repository, index);
    let mut contents = ContentReader::new(repository, index, watch);
    let mut read = |tree: Id| {
        let nodes = read_nodes(&mut trees, tree).map_err(ArchiveError::Damaged)?;
        bring_trees(repository, index, nodes.iter().filter_map(|node| node.subtree));
        Ok::<_, ArchiveError>(nodes)
    };
    let mut levels: Vec<(IntoIter<OwnedNode>, Vec<u8>)> =
        vec![(read(tree)?.into_iter(), path.to_vec())];
    let meter = watch.endless(Phase::Reading, Unit::Files);
    loop {
        let is_inside = levels.len() > 1;
        let Some((nodes, folder)) = levels.last_mut() else { break };
        let Some(node) = nodes.next() else {
            levels.pop();
            continue;
        };
        meter.step(1).map_err(|stopped| ArchiveError::Repo(stopped.into()))?;
        let path = clean(&[b"/", &folder[..], b"/", &node.name].concat());
        let is_kept = matches!(node.kind.as_str(), "file" | "dir" | "symlink");
        if !is_kept && is_inside {
            continue;
        }
        if node.kind == "file" {
            contents.bring(std::iter::once(&node).chain(nodes.as_slice()));
        }
        let mut content = Content { contents: &mut contents, path: &path[1..], node: &node };
        archive.put(&path[1..], &node, &mut content)?;
        if let Some(tree) = node.subtree.filter(|_| node.kind == "dir") {
            levels.push((read(tree)?.into_iter(), path));
        }
    }
    meter.end();
    archive.end()
}

//! What a path leads to in a snapshot.

use manicule_core::go::clean;
use manicule_format_restic::{BlobKind, Id, Nodes, OwnedNode};

use crate::index::Index;
use crate::packs::BlobReader;
use crate::repository::Repository;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// The root tree itself.
    Root(Id),
    /// A node.
    Node(Box<OwnedNode>),
    /// Nothing: the first name that isn't there, with the path before it.
    Absent(Vec<u8>),
}

impl Located {
    /// The tree of a root or folder.
    pub fn tree(&self) -> Option<Id> {
        match self {
            Located::Root(tree) => Some(*tree),
            Located::Node(node) => node.subtree.filter(|_| node.kind == "dir"),
            Located::Absent(_) => None,
        }
    }
}

/// Follows a path below a root tree; `.` and `..` in it are resolved first, as restic does. The
/// error of a tree that can't be read is a sentence.
pub fn locate(
    repository: &Repository,
    index: &Index,
    root: Id,
    path: &[u8],
) -> Result<Located, String> {
    let mut reader = BlobReader::new(repository, index);
    let path = clean(&[b"/", path].concat());
    let (mut at, mut gone) = (Located::Root(root), Vec::new());
    for name in path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
        gone.push(b'/');
        gone.extend_from_slice(name);
        let Some(tree) = at.tree() else { return Ok(Located::Absent(gone)) };
        match find(&mut reader, tree, name)? {
            Some(node) => at = Located::Node(Box::new(node)),
            None => return Ok(Located::Absent(gone)),
        }
    }
    Ok(at)
}

fn find(reader: &mut BlobReader<'_>, tree: Id, name: &[u8]) -> Result<Option<OwnedNode>, String> {
    reader.read(BlobKind::Tree, &tree, |text| {
        let wrong = |error: String| format!("tree {tree}: {error}");
        let text = text.map_err(|error| wrong(error.to_string()))?;
        let mut nodes = Nodes::open(text).map_err(|error| wrong(error.to_string()))?;
        while let Some(node) = nodes.next_node().map_err(|error| wrong(error.to_string()))? {
            if *node.name() == *name {
                return Ok(Some(node.to_owned()));
            }
        }
        Ok(None)
    })
}

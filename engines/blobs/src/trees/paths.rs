//! The paths of a snapshot, in the order of restic's listings: a folder before what it holds, names
//! in the order of their tree.
//!
//! A path is what its names spell, a name that is `..` or has a slash included: it is data, and
//! never joined to a real path. Nothing recurses.

use manicule_format_restic::{BlobKind, Id, Node, Nodes};

use super::texts::Texts;
use crate::error::RepoError;
use crate::index::Index;
use crate::packs::BlobReader;
use crate::repository::Repository;

/// What is done with the folder that a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    /// Its tree is read, and its nodes follow.
    Enter,
    /// It is passed over.
    Skip,
}

/// What a walk comes to.
#[derive(Debug)]
pub enum Step<T> {
    /// A node.
    Row(T),
    /// All below the folder that was entered last, and not left yet, is done.
    Leave,
    /// A tree that can't be read, at the place of its nodes, as a sentence.
    Gap(String),
}

/// A node of an open tree: what was made of it, and its own tree with its path, if that is to be
/// entered.
struct Waiting<T> {
    row: T,
    below: Option<(Id, Vec<u8>)>,
}

/// The nodes of an open tree that are still to come, the first last.
type Level<T> = Vec<Waiting<T>>;

/// Goes through the paths below a root tree, as [`PathReader::each_path`].
pub fn each_path<T, E: From<RepoError>>(
    repository: &Repository,
    index: &Index,
    root: Id,
    see: impl FnMut(&[u8], &Node<'_>) -> (T, Below),
    take: impl FnMut(Step<T>) -> Result<(), E>,
) -> Result<(), E> {
    PathReader::new(repository, index, 0).each_path(root, see, take)
}

/// Reads the paths below one root tree after the other.
pub struct PathReader<'r> {
    reader: BlobReader<'r>,
    texts: Texts,
    tree_count: u64,
}

impl<'r> PathReader<'r> {
    /// One that keeps trees for the next roots, in this number of bytes at most.
    pub fn new(repository: &'r Repository, index: &'r Index, kept_bytes_max: usize) -> Self {
        let reader = BlobReader::new(repository, index);
        PathReader { reader, texts: Texts::new(kept_bytes_max), tree_count: 0 }
    }

    /// Number of trees that were read from packs.
    pub fn tree_count(&self) -> u64 {
        self.tree_count
    }

    /// Goes through the paths below a root tree. `see` makes of each node what is kept of it while
    /// its tree waits, and `take` receives that in the order of the paths.
    ///
    /// One tree is read at a time. Memory beside the trees that are kept: what `see` makes of the
    /// nodes of the open ones.
    pub fn each_path<T, E: From<RepoError>>(
        &mut self,
        root: Id,
        mut see: impl FnMut(&[u8], &Node<'_>) -> (T, Below),
        mut take: impl FnMut(Step<T>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut levels: Vec<Level<T>> = Vec::new();
        let mut enter = Some((root, Vec::new()));
        loop {
            if let Some((tree, path)) = enter.take() {
                let (level, error) = self.level(tree, &path, &mut see);
                if let Some(error) = error {
                    take(Step::Gap(format!("tree {tree}, {}: {error}", shown(&path))))?;
                }
                levels.push(level);
            }
            let Some(level) = levels.last_mut() else { return Ok(()) };
            match level.pop() {
                None => {
                    levels.pop();
                    if !levels.is_empty() {
                        take(Step::Leave)?;
                    }
                }
                Some(Waiting { row, below }) => {
                    take(Step::Row(row))?;
                    enter = below;
                }
            }
        }
    }

    /// The nodes of a tree, and why those after them can't be read.
    fn level<T>(
        &mut self,
        tree: Id,
        path: &[u8],
        see: &mut impl FnMut(&[u8], &Node<'_>) -> (T, Below),
    ) -> (Level<T>, Option<String>) {
        let mut rows = Vec::new();
        let error = match self.texts.get(&tree) {
            Some(text) => see_nodes(text, path, see, &mut rows),
            None => {
                let PathReader { reader, texts, tree_count } = self;
                *tree_count += 1;
                reader.read(BlobKind::Tree, &tree, |text| {
                    let text = text.map_err(|error| error.to_string())?;
                    texts.keep(tree, text);
                    see_nodes(text, path, see, &mut rows)
                })
            }
        };
        rows.reverse();
        (rows, error.err())
    }
}

fn see_nodes<T>(
    text: &[u8],
    path: &[u8],
    see: &mut impl FnMut(&[u8], &Node<'_>) -> (T, Below),
    rows: &mut Level<T>,
) -> Result<(), String> {
    let mut path = path.to_vec();
    path.push(b'/');
    let folder_len = path.len();
    let mut nodes = Nodes::open(text).map_err(|error| error.to_string())?;
    while let Some(node) = nodes.next_node().map_err(|error| error.to_string())? {
        path.truncate(folder_len);
        path.extend_from_slice(&node.name());
        let (row, below) = see(&path, node);
        let tree = node.child().filter(|_| below == Below::Enter);
        rows.push(Waiting { row, below: tree.map(|tree| (tree, path.clone())) });
    }
    Ok(())
}

fn shown(path: &[u8]) -> String {
    if path.is_empty() { "/".to_owned() } else { String::from_utf8_lossy(path).into_owned() }
}

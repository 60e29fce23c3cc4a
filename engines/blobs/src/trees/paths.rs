//! The paths of a snapshot, in the order of restic's listings: a folder before what it holds, names
//! in the order of their tree.
//!
//! A path is what its names spell, a name that is `..` or has a slash included: it is data, and
//! never joined to a real path. Nothing recurses.

use manicule_format_restic::{BlobKind, Id, Node, Nodes};

use super::texts::Texts;
use crate::error::RepoError;
use crate::index::Index;
use crate::packs::{BlobReader, bring_trees};
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

/// A node of an open tree: what was made of it, and the folder that it is, if that is to be
/// entered.
struct Waiting<T> {
    row: T,
    below: Option<Folder<T>>,
}

/// A folder that is to be entered.
struct Folder<T> {
    tree: Id,
    path: Vec<u8>,
    /// Its nodes, where its tree was read before its turn.
    opened: Option<Box<Opened<T>>>,
}

/// The nodes of a tree, and why those after them can't be read.
struct Opened<T> {
    level: Level<T>,
    error: Option<String>,
}

/// The nodes of an open tree that are still to come, the first last.
type Level<T> = Vec<Waiting<T>>;

/// Trees that are read before their turn, where reading one costs a round: as many the first time,
/// four times as many each further time, up to a maximum.
const AHEAD_FIRST: usize = 32;
const AHEAD_MAX: usize = 512;

/// Nodes that wait among which folders are looked for whose turn comes next.
const NODES_AHEAD_MAX: usize = 200_000;

/// Bytes of trees that are kept at least where reading one costs a round: a tree has often several
/// places.
const KEPT_BYTES_FAR: usize = 8 << 20;

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
    repository: &'r Repository,
    index: &'r Index,
    reader: BlobReader<'r>,
    texts: Texts,
    tree_count: u64,
}

impl<'r> PathReader<'r> {
    /// One that keeps trees for the next roots, in this number of bytes at most.
    pub fn new(repository: &'r Repository, index: &'r Index, kept_bytes_max: usize) -> Self {
        let reader = BlobReader::new(repository, index);
        let is_far = repository.storage().is_far();
        let kept_bytes_max = kept_bytes_max.max(if is_far { KEPT_BYTES_FAR } else { 0 });
        PathReader { repository, index, reader, texts: Texts::new(kept_bytes_max), tree_count: 0 }
    }

    /// Number of trees that were read from packs.
    pub fn tree_count(&self) -> u64 {
        self.tree_count
    }

    /// Goes through the paths below a root tree. `see` makes of each node what is kept of it while
    /// its tree waits, and `take` receives that in the order of the paths.
    ///
    /// One tree is read at a time. Memory beside the trees that are kept: what `see` makes of the
    /// nodes of the open ones. Where reading one costs a round, those whose turn comes next are
    /// read with it: `see` is asked about their nodes before `take` has received those before.
    pub fn each_path<T, E: From<RepoError>>(
        &mut self,
        root: Id,
        mut see: impl FnMut(&[u8], &Node<'_>) -> (T, Below),
        mut take: impl FnMut(Step<T>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut levels: Vec<Level<T>> = Vec::new();
        let mut enter = Some(Folder { tree: root, path: Vec::new(), opened: None });
        let mut ahead = AHEAD_FIRST;
        loop {
            if let Some(mut folder) = enter.take() {
                let opened = match folder.opened.take() {
                    Some(opened) => *opened,
                    None if self.repository.storage().is_far() => {
                        let opened = self.open_ahead(&folder, &mut levels, ahead, &mut see);
                        ahead = (ahead * 4).min(AHEAD_MAX);
                        opened
                    }
                    None => self.level(folder.tree, &folder.path, &mut see),
                };
                if let Some(error) = opened.error {
                    let (tree, path) = (folder.tree, shown(&folder.path));
                    take(Step::Gap(format!("tree {tree}, {path}: {error}")))?;
                }
                levels.push(opened.level);
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

    /// Opens a folder, and with it those whose turn comes next.
    fn open_ahead<T>(
        &mut self,
        folder: &Folder<T>,
        levels: &mut [Level<T>],
        ahead: usize,
        see: &mut impl FnMut(&[u8], &Node<'_>) -> (T, Below),
    ) -> Opened<T> {
        let mut next = NextFolders { closed: Vec::new(), ahead, nodes: NODES_AHEAD_MAX };
        levels.iter_mut().rev().for_each(|level| next.find(level));
        let closed = next.closed;
        let trees = closed.iter().map(|folder| folder.tree).chain([folder.tree]);
        let trees: Vec<Id> = trees.filter(|tree| self.texts.get(tree).is_none()).collect();
        bring_trees(self.repository, self.index, trees);
        let opened = self.level(folder.tree, &folder.path, see);
        for folder in closed {
            folder.opened = Some(Box::new(self.level(folder.tree, &folder.path, see)));
        }
        opened
    }

    /// The nodes of a tree.
    fn level<T>(
        &mut self,
        tree: Id,
        path: &[u8],
        see: &mut impl FnMut(&[u8], &Node<'_>) -> (T, Below),
    ) -> Opened<T> {
        let mut rows = Vec::new();
        let error = match self.texts.get(&tree) {
            Some(text) => see_nodes(text, path, see, &mut rows),
            None => {
                let PathReader { reader, texts, tree_count, .. } = self;
                *tree_count += 1;
                reader.read(BlobKind::Tree, &tree, |text| {
                    let text = text.map_err(|error| error.to_string())?;
                    texts.keep(tree, text);
                    see_nodes(text, path, see, &mut rows)
                })
            }
        };
        rows.reverse();
        Opened { level: rows, error: error.err() }
    }
}

/// Folders in the order of their turns.
struct NextFolders<'l, T> {
    /// Those whose trees were not read yet.
    closed: Vec<&'l mut Folder<T>>,
    /// Number of folders that are wanted.
    ahead: usize,
    /// Number of nodes that are still looked at.
    nodes: usize,
}

impl<'l, T> NextFolders<'l, T> {
    /// Those of a level, and of folders in it that were read: no more in each other than were read
    /// before their turn.
    fn find(&mut self, level: &'l mut Level<T>) {
        for waiting in level.iter_mut().rev() {
            if self.closed.len() >= self.ahead || self.nodes == 0 {
                return;
            }
            self.nodes -= 1;
            let Some(folder) = &mut waiting.below else { continue };
            if folder.opened.is_none() {
                self.closed.push(folder);
            } else if let Some(opened) = &mut folder.opened {
                self.find(&mut opened.level);
            }
        }
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
        let below = tree.map(|tree| Folder { tree, path: path.clone(), opened: None });
        rows.push(Waiting { row, below });
    }
    Ok(())
}

fn shown(path: &[u8]) -> String {
    if path.is_empty() { "/".to_owned() } else { String::from_utf8_lossy(path).into_owned() }
}

//! What differs between two trees, path by path, as `restic diff` tells it.
//!
//! Nothing recurses; trees that are the same on both sides are gone through once, for their blobs.

mod counts;

use std::iter::Peekable;
use std::vec::IntoIter;

use manicule_core::go::clean;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{BlobKind, Id, OwnedNode};

use crate::error::RepoError;
use crate::index::Index;
use crate::packs::{BlobReader, bring_trees};
use crate::repository::Repository;
use crate::trees::read_nodes;
use counts::{Side, Sides};

pub use counts::{DiffCounts, DiffSums};

/// A path that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path; that of a folder ends with a slash.
    pub path: Vec<u8>,
    /// restic's letters: `+` added, `-` removed, `M` other content, `?` beside it where nothing
    /// else of the file differs, `T` another kind, `U` other metadata.
    pub letters: String,
}

/// What a comparison comes to.
#[derive(Debug)]
pub enum Compared<'c> {
    /// A path that differs.
    Change(&'c Change),
    /// What can't be read, as a sentence: what it holds is not compared.
    Gap(String),
}

/// An open folder, on one side or on both.
struct Folder {
    path: Vec<u8>,
    before: Peekable<IntoIter<OwnedNode>>,
    after: Peekable<IntoIter<OwnedNode>>,
}

/// Compares two trees. `take` receives what differs, in the order of names, a folder before what it
/// holds.
pub fn diff<E: From<RepoError>>(
    repository: &Repository,
    index: &Index,
    [before, after]: [Id; 2],
    with_metadata: bool,
    watch: &Watch<'_>,
    take: &mut dyn FnMut(Compared<'_>) -> Result<(), E>,
) -> Result<DiffSums, E> {
    let reader = BlobReader::new(repository, index);
    let (sides, folders) = (Sides::default(), Vec::new());
    let mut diff = Diff { repository, index, reader, with_metadata, sides, folders, take };
    diff.sides.insert(Side::Before, BlobKind::Tree, before);
    diff.sides.insert(Side::After, BlobKind::Tree, after);
    diff.enter(Vec::new(), Some(before), Some(after))?;
    let meter = watch.endless(Phase::Reading, Unit::Files);
    while let Some(folder) = diff.folders.last_mut() {
        meter.step(1).map_err(RepoError::from)?;
        let (one, other) = next_pair(folder);
        let path = folder.path.clone();
        if one.is_none() && other.is_none() {
            diff.folders.pop();
            continue;
        }
        diff.nodes(&path, one, other)?;
    }
    meter.end();
    let (sums, gaps) = diff.sides.finish(index);
    gaps.into_iter().try_for_each(|gap| (diff.take)(Compared::Gap(gap)))?;
    Ok(sums)
}

/// The nodes of the next name: one of each side that has it.
fn next_pair(folder: &mut Folder) -> (Option<OwnedNode>, Option<OwnedNode>) {
    let (before, after) = (&mut folder.before, &mut folder.after);
    match (before.peek(), after.peek()) {
        (Some(one), Some(other)) if one.name < other.name => (before.next(), None),
        (Some(one), Some(other)) if one.name > other.name => (None, after.next()),
        _ => (before.next(), after.next()),
    }
}

struct Diff<'d, E> {
    repository: &'d Repository,
    index: &'d Index,
    reader: BlobReader<'d>,
    with_metadata: bool,
    sides: Sides,
    folders: Vec<Folder>,
    take: &'d mut dyn FnMut(Compared<'_>) -> Result<(), E>,
}

impl<E: From<RepoError>> Diff<'_, E> {
    fn nodes(
        &mut self,
        folder: &[u8],
        one: Option<OwnedNode>,
        other: Option<OwnedNode>,
    ) -> Result<(), E> {
        match (one, other) {
            (Some(one), Some(other)) => self.pair(folder, &one, &other),
            (Some(node), None) => self.single(Side::Before, folder, &node),
            (None, Some(node)) => self.single(Side::After, folder, &node),
            (None, None) => Ok(()),
        }
    }

    /// A node that only one side has.
    fn single(&mut self, side: Side, folder: &[u8], node: &OwnedNode) -> Result<(), E> {
        let is_folder = node.kind == "dir";
        let path = joined(folder, &node.name, is_folder);
        let letters = if side == Side::Before { "-" } else { "+" };
        (self.take)(Compared::Change(&Change { path: path.clone(), letters: letters.to_owned() }))?;
        self.sides.count(side, node);
        self.sides.add_blobs(side, node);
        let Some(tree) = node.subtree.filter(|_| is_folder) else { return Ok(()) };
        match side {
            Side::Before => self.enter(path, Some(tree), None),
            Side::After | Side::Both => self.enter(path, None, Some(tree)),
        }
    }

    fn pair(&mut self, folder: &[u8], one: &OwnedNode, other: &OwnedNode) -> Result<(), E> {
        self.sides.add_blobs(Side::Before, one);
        self.sides.add_blobs(Side::After, other);
        let path = joined(folder, &one.name, other.kind == "dir");
        let letters = self.letters(one, other);
        if !letters.is_empty() {
            (self.take)(Compared::Change(&Change { path: path.clone(), letters }))?;
        }
        let (Some(before), Some(after)) = (one.subtree, other.subtree) else { return Ok(()) };
        if one.kind != "dir" || other.kind != "dir" {
            return Ok(());
        }
        if before == after {
            self.common(before)
        } else {
            self.enter(path, Some(before), Some(after))
        }
    }

    fn letters(&mut self, one: &OwnedNode, other: &OwnedNode) -> String {
        let mut letters = String::new();
        if one.kind != other.kind {
            letters.push('T');
        }
        let are_files = one.kind == "file" && other.kind == "file";
        if are_files && one.content != other.content {
            letters.push('M');
            self.sides.changed_files += 1;
            let without = |node: &OwnedNode| OwnedNode { content: None, ..node.clone() };
            if is_equal(&without(one), &without(other)) {
                letters.push('?');
            }
        } else if self.with_metadata && !is_equal(one, other) {
            letters.push('U');
        }
        letters
    }

    fn enter(&mut self, path: Vec<u8>, before: Option<Id>, after: Option<Id>) -> Result<(), E> {
        bring_trees(self.repository, self.index, [before, after].into_iter().flatten());
        let mut nodes = Vec::new();
        for tree in [before, after] {
            let read = tree.map_or(Ok(Vec::new()), |tree| read_nodes(&mut self.reader, tree));
            match read {
                Ok(read) => nodes.push(read.into_iter()),
                // With one side alone everything would seem to be added or removed.
                Err(why) => return (self.take)(Compared::Gap(why)),
            }
        }
        let (Some(after), Some(before)) = (nodes.pop(), nodes.pop()) else { return Ok(()) };
        self.bring_below(before.as_slice(), after.as_slice());
        let (before, after) = (before.peekable(), after.peekable());
        self.folders.push(Folder { path, before, after });
        Ok(())
    }

    /// Brings the trees of all folders of an open one, but for those that were gone through.
    fn bring_below(&self, before: &[OwnedNode], after: &[OwnedNode]) {
        let subtrees = before.iter().chain(after).filter_map(|node| node.subtree);
        bring_trees(
            self.repository,
            self.index,
            subtrees.filter(|tree| !self.sides.has_common(tree)),
        );
    }

    /// The blobs of a tree that both sides have.
    fn common(&mut self, tree: Id) -> Result<(), E> {
        let mut waiting = vec![tree];
        while let Some(tree) = waiting.pop() {
            if !self.sides.is_new_common_tree(tree) {
                continue;
            }
            match read_nodes(&mut self.reader, tree) {
                Err(why) => (self.take)(Compared::Gap(why))?,
                Ok(nodes) => {
                    self.bring_below(&nodes, &[]);
                    for node in &nodes {
                        self.sides.add_blobs(Side::Both, node);
                        waiting.extend(node.subtree.filter(|_| node.kind == "dir"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// As restic compares: times by their moments, whatever the offset is.
fn is_equal(one: &OwnedNode, other: &OwnedNode) -> bool {
    let times = |node: &OwnedNode| [node.mtime.moment, node.atime.moment, node.ctime.moment];
    let attributes = |node: &OwnedNode| {
        let mut all = node.extended_attributes.clone();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        let mut generic = node.generic_attributes.clone();
        generic.sort();
        (all, generic)
    };
    let rest = |node: &OwnedNode| {
        let (mtime, atime, ctime) = (one.mtime, one.atime, one.ctime);
        let (extended_attributes, generic_attributes) = (Vec::new(), Vec::new());
        OwnedNode {
            mtime,
            atime,
            ctime,
            extended_attributes,
            generic_attributes,
            content: Some(node.content.clone().unwrap_or_default()),
            ..node.clone()
        }
    };
    times(one) == times(other) && attributes(one) == attributes(other) && rest(one) == rest(other)
}

/// As Go joins a path, with a slash behind a folder.
fn joined(folder: &[u8], name: &[u8], is_folder: bool) -> Vec<u8> {
    let mut path = clean(&[b"/", folder, b"/", name].concat());
    if is_folder {
        path.push(b'/');
    }
    path
}

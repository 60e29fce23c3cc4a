//! What each broken pack costs: the files and folders of which snapshots.
//!
//! Nothing is read but trees that lead to a loss, each once more, for the names in them. All packs are answered in one pass over these.
//!
//! Callers: check

use std::collections::{HashMap, HashSet};

use manicule_core::watch::Stopped;
use manicule_format_restic::{BlobKind, Id, Node, Nodes};

use super::call::Call;
use super::loss::{Loss, Share};
use super::trees::CheckedTrees;
use crate::index::Index;
use crate::packs::ReadError;
use crate::snapshots::Snapshots;
use crate::trees::{BlobNo, Forest, Next, TreeNo, VisitTrees, walk};

/// A pack that is missing, too short, or damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenPack {
    /// Its id.
    pub id: Id,
    /// Length of its file, as its blobs make it by the index.
    pub len: u64,
    /// Kinds of its blobs.
    pub kinds: Vec<BlobKind>,
    /// Number of its blobs.
    pub blob_count: u64,
    /// Those of which no sound place is left.
    pub lost_blobs: u64,
    /// Those of these that a snapshot needs. Where a tree can't be read, which may need any of them: all.
    pub lost_used_blobs: u64,
    /// Snapshots that it costs something, by time.
    pub snapshots: Vec<Id>,
    /// Files of readable folders that lack a blob.
    pub damaged: Vec<DamagedFile>,
    /// Folders whose tree is lost. What lies below them nobody knows.
    pub unreadable: Vec<UnreadableFolder>,
    /// Whether there are more files and folders, and maybe snapshots, than were asked for.
    pub is_cut: bool,
}

/// A file that lacks a blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedFile {
    /// The snapshot.
    pub snapshot: Id,
    /// Its path.
    pub path: Vec<u8>,
    /// Bytes of it that were in the pack.
    pub lost_bytes: u64,
    /// Its size.
    pub size: u64,
}

/// A folder whose tree is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableFolder {
    /// The snapshot.
    pub snapshot: Id,
    /// Its path; `/` for the whole snapshot.
    pub path: Vec<u8>,
}

/// A node that leads to a loss.
#[derive(Debug)]
enum Row {
    File { name: Vec<u8>, size: u64, lost: Vec<Share> },
    Folder { name: Vec<u8>, tree: TreeNo },
}

/// The broken packs, with at most `paths_max` files and folders of all together. Those of the snapshots come by time.
pub(super) fn broken_packs(
    call: &Call<'_>,
    snapshots: &Snapshots,
    trees: &CheckedTrees,
    loss: &Loss,
    paths_max: usize,
) -> Result<Vec<BrokenPack>, Stopped> {
    let &Call { repository, index, threads, watch } = call;
    if loss.packs.is_empty() {
        return Ok(Vec::new());
    }
    let mut packs: Vec<BrokenPack> =
        (0..loss.packs.len()).map(|at| empty(index, loss, at)).collect();
    match trees.is_whole() && snapshots.broken.is_empty() {
        true => count_used(&trees.forest, loss, &mut packs),
        false => packs.iter_mut().for_each(|pack| pack.lost_used_blobs = pack.lost_blobs),
    }
    let leads = Leads::of(&trees.forest, trees.roots.iter().flatten().copied(), loss);
    let visitor = || Names { index, leads: &leads, loss, rows: Vec::new() };
    let visitors = (0..threads.max(1)).map(|_| visitor()).collect();
    let roots: Vec<TreeNo> =
        trees.roots.iter().flatten().copied().filter(|&root| leads.is_entered(root)).collect();
    let named = walk(repository, index, &roots, visitors, watch)?;
    let rows: HashMap<TreeNo, Vec<Row>> = named.into_iter().flat_map(|names| names.rows).collect();
    let mut paths = Paths { rows: &rows, leads: &leads, loss, packs: &mut packs, left: paths_max };
    for (kept, root) in snapshots.kept.iter().zip(&trees.roots) {
        watch.check()?;
        if let Some(root) = root
            && !paths.below(kept.id, *root)
        {
            packs.iter_mut().for_each(|pack| pack.is_cut = true);
            break;
        }
    }
    Ok(packs)
}

fn empty(index: &Index, loss: &Loss, at: usize) -> BrokenPack {
    let pack = index.pack(loss.packs[at]);
    BrokenPack {
        id: pack.id,
        len: pack.len,
        kinds: loss.kinds[at].clone(),
        blob_count: pack.blob_count.into(),
        lost_blobs: loss.counts[at],
        lost_used_blobs: 0,
        snapshots: Vec::new(),
        damaged: Vec::new(),
        unreadable: Vec::new(),
        is_cut: false,
    }
}

/// Counts the lost data blobs that trees name. Lost trees are none of what a snapshot needs where all that it needs were read.
fn count_used(forest: &Forest, loss: &Loss, packs: &mut [BrokenPack]) {
    let named = forest.trees().flat_map(|tree| forest.blobs(tree));
    let used: HashSet<BlobNo> =
        named.filter(|blob| loss.data.contains_key(blob)).copied().collect();
    for share in used.iter().flat_map(|blob| &loss.data[blob]) {
        packs[share.pack].lost_used_blobs += 1;
    }
}

/// Which trees lead to a loss.
struct Leads<'l> {
    leads: Vec<bool>,
    loss: &'l Loss,
}

impl<'l> Leads<'l> {
    fn of(forest: &Forest, roots: impl Iterator<Item = TreeNo>, loss: &'l Loss) -> Self {
        let mut leads = vec![false; forest.numbers()];
        let roots: Vec<TreeNo> = roots.collect();
        for tree in forest.downwards(&roots).into_iter().rev() {
            leads[tree.0 as usize] = loss.trees.contains_key(&tree)
                || forest.blobs(tree).iter().any(|blob| loss.data.contains_key(blob))
                || forest.subtrees(tree).iter().any(|subtree| leads[subtree.0 as usize]);
        }
        Leads { leads, loss }
    }

    fn has(&self, tree: TreeNo) -> bool {
        self.leads[tree.0 as usize]
    }

    /// Whether its nodes are looked at: it leads to a loss, and is none itself.
    fn is_entered(&self, tree: TreeNo) -> bool {
        self.has(tree) && !self.loss.trees.contains_key(&tree)
    }
}

/// Takes the names in trees that lead to a loss.
struct Names<'n> {
    index: &'n Index,
    leads: &'n Leads<'n>,
    loss: &'n Loss,
    rows: Vec<(TreeNo, Vec<Row>)>,
}

impl VisitTrees for Names<'_> {
    fn tree(&mut self, tree: TreeNo, text: Result<&[u8], ReadError>, next: &mut Next<'_>) {
        // It was read before; a failure now leaves out what the walk then can't see either.
        let Ok(mut nodes) = text.map_err(drop).and_then(|text| Nodes::open(text).map_err(drop))
        else {
            return;
        };
        let mut rows = Vec::new();
        while let Ok(Some(node)) = nodes.next_node() {
            rows.extend(self.row(node, next));
        }
        self.rows.push((tree, rows));
    }
}

impl Names<'_> {
    fn row(&self, node: &Node<'_>, next: &mut Next<'_>) -> Option<Row> {
        if let Some(id) = node.child() {
            let tree = TreeNo(self.index.of(BlobKind::Tree).number(&id)?);
            if self.leads.is_entered(tree) {
                next.tree(&id);
            }
            let name = || node.name().into_owned();
            return self.leads.has(tree).then(|| Row::Folder { name: name(), tree });
        }
        let mut lost: Vec<Share> = Vec::new();
        for blob in node.blobs() {
            let Some(number) = self.index.of(BlobKind::Data).number(blob) else { continue };
            for share in self.loss.data.get(&BlobNo(number)).into_iter().flatten() {
                match lost.iter_mut().find(|sum| sum.pack == share.pack) {
                    Some(sum) => sum.plain_len += share.plain_len,
                    None => lost.push(*share),
                }
            }
        }
        let name = || node.name().into_owned();
        (!lost.is_empty()).then(|| Row::File { name: name(), size: node.size, lost })
    }
}

/// Spells the paths of what is lost.
struct Paths<'p> {
    rows: &'p HashMap<TreeNo, Vec<Row>>,
    leads: &'p Leads<'p>,
    loss: &'p Loss,
    packs: &'p mut [BrokenPack],
    /// How many more are listed.
    left: usize,
}

impl<'p> Paths<'p> {
    /// Those of a snapshot, a folder before what it holds; whether all of them were listed.
    fn below(&mut self, snapshot: Id, root: TreeNo) -> bool {
        if !self.leads.has(root) {
            return true;
        }
        let Some(rows) = self.rows_of(root) else {
            return self.folder(snapshot, root, b"/");
        };
        let mut path: Vec<u8> = Vec::new();
        let mut levels = vec![(rows.iter(), 0)];
        while let Some((rows, path_len)) = levels.last_mut() {
            path.truncate(*path_len);
            let Some(row) = rows.next() else {
                levels.pop();
                continue;
            };
            path.push(b'/');
            let is_listed = match row {
                Row::File { name, size, lost } => {
                    path.extend_from_slice(name);
                    self.file(snapshot, &path, *size, lost)
                }
                Row::Folder { name, tree } => {
                    path.extend_from_slice(name);
                    match self.rows_of(*tree) {
                        None => self.folder(snapshot, *tree, &path),
                        Some(rows) => {
                            levels.push((rows.iter(), path.len()));
                            true
                        }
                    }
                }
            };
            if !is_listed {
                return false;
            }
        }
        true
    }

    /// The rows of a tree that isn't lost.
    fn rows_of(&self, tree: TreeNo) -> Option<&'p [Row]> {
        match self.leads.is_entered(tree) {
            true => Some(self.rows.get(&tree).map_or(&[], Vec::as_slice)),
            false => None,
        }
    }

    fn file(&mut self, snapshot: Id, path: &[u8], size: u64, lost: &[Share]) -> bool {
        self.take(snapshot, lost, |pack, share| {
            let (path, lost_bytes) = (path.to_vec(), share.plain_len);
            pack.damaged.push(DamagedFile { snapshot, path, lost_bytes, size });
        })
    }

    fn folder(&mut self, snapshot: Id, tree: TreeNo, path: &[u8]) -> bool {
        let shares = self.loss.trees.get(&tree).map_or(&[][..], Vec::as_slice);
        self.take(snapshot, shares, |pack, _| {
            pack.unreadable.push(UnreadableFolder { snapshot, path: path.to_vec() });
        })
    }

    fn take(
        &mut self,
        snapshot: Id,
        shares: &[Share],
        mut push: impl FnMut(&mut BrokenPack, &Share),
    ) -> bool {
        for share in shares {
            let Some(left) = self.left.checked_sub(1) else { return false };
            self.left = left;
            let pack = &mut self.packs[share.pack];
            push(pack, share);
            if pack.snapshots.last() != Some(&snapshot) {
                pack.snapshots.push(snapshot);
            }
        }
        true
    }
}

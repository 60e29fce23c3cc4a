//! What each broken pack costs: the files and folders of which snapshots; and the same for what the
//! index lacks, or no tree is.
//!
//! Nothing is read but trees that lead to a loss, each once more, for the names in them. All are
//! answered in one pass over these.

use std::collections::{HashMap, HashSet};

use manicule_core::watch::Stopped;
use manicule_format_restic::{BlobKind, Id, Node, Nodes};

use super::call::Call;
use super::finding::{Finding, FindingKind};
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
    /// Those of these that a snapshot needs. Where a tree can't be read, which may need any of
    /// them: all.
    pub lost_used_blobs: u64,
    /// What it costs.
    pub lost: LostPaths,
}

/// What trees and snapshots name, and no index file lists: nobody knows which pack had it. And
/// trees whose text is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Number of data blobs.
    pub data_blobs: u64,
    /// Number of trees.
    pub trees: u64,
    /// What they cost.
    pub lost: LostPaths,
}

/// The files and folders that a loss costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LostPaths {
    /// Snapshots that it costs something, by time.
    pub snapshots: Vec<Id>,
    /// Files of readable folders that lack a blob.
    pub damaged: Vec<DamagedFile>,
    /// Folders whose tree is lost. What lies below them nobody knows.
    pub unreadable: Vec<UnreadableFolder>,
    /// Whether there are more files and folders, and maybe snapshots, than were asked for.
    pub is_cut: bool,
}

/// Broken packs by their ids, and what is missing beside them.
#[derive(Debug, Default)]
pub(super) struct Broken {
    pub(super) packs: Vec<BrokenPack>,
    pub(super) missing: Option<Missing>,
}

/// A file that lacks a blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedFile {
    /// The snapshot.
    pub snapshot: Id,
    /// Its path.
    pub path: Vec<u8>,
    /// Bytes of it that are lost by this.
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
    File {
        name: Vec<u8>,
        size: u64,
        lost: Vec<Share>,
    },
    /// Without a number where the index lacks its tree.
    Folder {
        name: Vec<u8>,
        tree: Option<TreeNo>,
    },
}

/// What is broken, with at most `paths_max` files and folders of all together. Those of the
/// snapshots come by time.
pub(super) fn broken(
    call: &Call<'_>,
    snapshots: &Snapshots,
    trees: &CheckedTrees,
    loss: &Loss,
    paths_max: usize,
) -> Result<Broken, Stopped> {
    let &Call { repository, index, threads, watch } = call;
    let lacks_root = snapshots
        .kept
        .iter()
        .zip(&trees.roots)
        .any(|(kept, root)| root.is_none() && kept.snapshot.tree.is_some());
    let is_missing = lacks_root || !trees.lacking.is_empty() || !trees.undecodable.is_empty();
    if loss.packs.is_empty() && !is_missing {
        return Ok(Broken::default());
    }
    let mut packs: Vec<BrokenPack> =
        (0..loss.packs.len()).map(|at| empty(index, loss, at)).collect();
    if trees.is_whole() && snapshots.broken.is_empty() {
        count_used(&trees.forest, loss, &mut packs)
    } else {
        packs.iter_mut().for_each(|pack| pack.lost_used_blobs = pack.lost_blobs)
    }
    let leads = Leads::of(trees, loss);
    let visitor = || Names { index, leads: &leads, loss, rows: Vec::new() };
    let visitors = (0..threads.max(1)).map(|_| visitor()).collect();
    let roots: Vec<TreeNo> =
        trees.roots.iter().flatten().copied().filter(|&root| leads.is_entered(root)).collect();
    let named = walk(repository, index, &roots, visitors, watch)?;
    let rows: HashMap<TreeNo, Vec<Row>> = named.into_iter().flat_map(|names| names.rows).collect();
    let mut lost = vec![LostPaths::default(); packs.len() + 1];
    let mut paths = Paths { rows: &rows, leads: &leads, loss, lost: &mut lost, left: paths_max };
    for (kept, root) in snapshots.kept.iter().zip(&trees.roots) {
        watch.check()?;
        let is_listed = match root {
            Some(root) => paths.below(kept.id, *root),
            None => kept.snapshot.tree.is_none() || paths.folder(kept.id, None, b"/"),
        };
        if !is_listed {
            lost.iter_mut().for_each(|lost| lost.is_cut = true);
            break;
        }
    }
    let of_missing = lost.pop().unwrap_or_default();
    packs.iter_mut().zip(lost).for_each(|(pack, lost)| pack.lost = lost);
    let missing = is_missing.then(|| missing(&trees.findings, of_missing));
    Ok(Broken { packs, missing })
}

fn missing(findings: &[Finding], lost: LostPaths) -> Missing {
    let distinct = |kind: FindingKind, id: fn(&Finding) -> Option<Id>| {
        let of_kind = findings.iter().filter(|finding| finding.kind == kind);
        of_kind.filter_map(id).collect::<HashSet<Id>>().len() as u64
    };
    let data_blobs = distinct(FindingKind::BlobMissing, |finding| finding.blob);
    Missing { data_blobs, trees: distinct(FindingKind::TreeMissing, |finding| finding.id), lost }
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
        lost: LostPaths::default(),
    }
}

/// Counts the lost data blobs that trees name. Lost trees are none of what a snapshot needs where
/// all that it needs were read.
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
    undecodable: &'l HashSet<TreeNo>,
}

impl<'l> Leads<'l> {
    fn of(trees: &'l CheckedTrees, loss: &'l Loss) -> Self {
        let (forest, undecodable) = (&trees.forest, &trees.undecodable);
        let mut leads = vec![false; forest.numbers()];
        let roots: Vec<TreeNo> = trees.roots.iter().flatten().copied().collect();
        for tree in forest.downwards(&roots).into_iter().rev() {
            leads[tree.0 as usize] = loss.trees.contains_key(&tree)
                || trees.lacking.contains(&tree)
                || undecodable.contains(&tree)
                || forest.blobs(tree).iter().any(|blob| loss.data.contains_key(blob))
                || forest.subtrees(tree).iter().any(|subtree| leads[subtree.0 as usize]);
        }
        Leads { leads, loss, undecodable }
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
        let name = || node.name().into_owned();
        if let Some(id) = node.child() {
            let tree = self.index.of(BlobKind::Tree).number(&id).map(TreeNo);
            if tree.is_some_and(|tree| self.leads.is_entered(tree)) {
                next.tree(&id);
            }
            let leads = tree.is_none_or(|tree| self.leads.has(tree));
            return leads.then(|| Row::Folder { name: name(), tree });
        }
        let mut lost: Vec<Share> = Vec::new();
        let (mut known_len, mut lacks) = (0, false);
        for blob in node.blobs() {
            let Some(number) = self.index.of(BlobKind::Data).number(blob) else {
                lacks |= *blob != Id([0; 32]);
                continue;
            };
            known_len += u64::from(self.index.of(BlobKind::Data).entry(number).1.place.plain_len());
            for share in self.loss.data.get(&BlobNo(number)).into_iter().flatten() {
                match lost.iter_mut().find(|sum| sum.pack == share.pack) {
                    Some(sum) => sum.plain_len += share.plain_len,
                    None => lost.push(*share),
                }
            }
        }
        // Nobody knows how long a blob is that no index file lists; the file is as long as all
        // together.
        let plain_len = node.size.saturating_sub(known_len);
        lost.extend(lacks.then_some(Share { pack: self.loss.packs.len(), plain_len }));
        (!lost.is_empty()).then(|| Row::File { name: name(), size: node.size, lost })
    }
}

/// Spells the paths of what is lost.
struct Paths<'p> {
    rows: &'p HashMap<TreeNo, Vec<Row>>,
    leads: &'p Leads<'p>,
    loss: &'p Loss,
    /// Of each broken pack, and of what is missing.
    lost: &'p mut [LostPaths],
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
            return self.folder(snapshot, Some(root), b"/");
        };
        if self.leads.undecodable.contains(&root) && !self.folder(snapshot, None, b"/") {
            return false;
        }
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
                    match tree.and_then(|tree| Some((tree, self.rows_of(tree)?))) {
                        None => self.folder(snapshot, *tree, &path),
                        Some((tree, rows)) => {
                            levels.push((rows.iter(), path.len()));
                            let is_cut = self.leads.undecodable.contains(&tree);
                            !is_cut || self.folder(snapshot, None, &path)
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
        if self.leads.is_entered(tree) {
            Some(self.rows.get(&tree).map_or(&[], Vec::as_slice))
        } else {
            None
        }
    }

    fn file(&mut self, snapshot: Id, path: &[u8], size: u64, lost: &[Share]) -> bool {
        self.take(snapshot, lost, |of_share, share| {
            let (path, lost_bytes) = (path.to_vec(), share.plain_len);
            of_share.damaged.push(DamagedFile { snapshot, path, lost_bytes, size });
        })
    }

    /// A folder whose tree is lost with packs; without a number, one that is missing, or none from
    /// some place on.
    fn folder(&mut self, snapshot: Id, tree: Option<TreeNo>, path: &[u8]) -> bool {
        let missing = [Share { pack: self.loss.packs.len(), plain_len: 0 }];
        let shares = match tree {
            Some(tree) => self.loss.trees.get(&tree).map_or(&[][..], Vec::as_slice),
            None => &missing,
        };
        self.take(snapshot, shares, |of_share, _| {
            of_share.unreadable.push(UnreadableFolder { snapshot, path: path.to_vec() });
        })
    }

    fn take(
        &mut self,
        snapshot: Id,
        shares: &[Share],
        mut push: impl FnMut(&mut LostPaths, &Share),
    ) -> bool {
        for share in shares {
            let Some(left) = self.left.checked_sub(1) else { return false };
            self.left = left;
            let lost = &mut self.lost[share.pack];
            push(lost, share);
            if lost.snapshots.last() != Some(&snapshot) {
                lost.snapshots.push(snapshot);
            }
        }
        true
    }
}

//! What restoring would write: each node of each path, and the content of a hard link once a
//! snapshot.
//!
//! A tree's sums are made once, from those of the trees below it, however many paths lead to it.
//! Hard links are few: the trees that lead to one are gone through for each snapshot.

use std::collections::{HashMap, HashSet};

use manicule_core::watch::{Stopped, Watch};
use manicule_format_restic::{BlobKind, Node, NodeKind, Nodes};

use super::counted::Stats;
use crate::index::Index;
use crate::packs::ReadError;
use crate::repository::Repository;
use crate::trees::{Forest, Next, Part, TreeNo, VisitTrees, walk};

/// A node whose content other nodes may share.
#[derive(Clone, Copy, Debug)]
struct Link {
    inode: u64,
    device: u64,
    size: u64,
}

/// What a tree has: of itself first, then with all that is below.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    nodes: u64,
    size: u64,
    leads_to_link: bool,
}

pub(super) fn count(
    repository: &Repository,
    index: &Index,
    roots: &[TreeNo],
    threads: usize,
    watch: &Watch<'_>,
    stats: &mut Stats,
) -> Result<(), Stopped> {
    let mut sums = vec![Sum::default(); index.of(BlobKind::Tree).numbers_end()];
    let visitor = || Count {
        index,
        part: Part::default(),
        sums: Vec::new(),
        links: Vec::new(),
        gaps: Vec::new(),
    };
    let visitors = (0..threads.max(1)).map(|_| visitor()).collect();
    let (mut parts, mut links) = (Vec::new(), HashMap::new());
    for visitor in walk(repository, index, roots, visitors, watch)? {
        parts.push(visitor.part);
        visitor.sums.into_iter().for_each(|(tree, sum)| sums[tree.0 as usize] = sum);
        links.extend(visitor.links);
        stats.gaps.extend(visitor.gaps);
    }
    let forest = Forest::new(parts, index.of(BlobKind::Tree).numbers_end());
    for tree in forest.downwards(roots).into_iter().rev() {
        let mut sum = sums[tree.0 as usize];
        for subtree in forest.subtrees(tree) {
            let below = sums[subtree.0 as usize];
            sum.nodes = sum.nodes.wrapping_add(below.nodes);
            sum.size = sum.size.wrapping_add(below.size);
            sum.leads_to_link |= below.leads_to_link;
        }
        sums[tree.0 as usize] = sum;
    }
    for &root in roots {
        let sum = sums[root.0 as usize];
        stats.files = stats.files.wrapping_add(sum.nodes);
        let linked = linked_size(&forest, root, &sums, &links);
        stats.size = stats.size.wrapping_add(sum.size).wrapping_add(linked);
    }
    Ok(())
}

/// The contents that hard links share, each once.
fn linked_size(
    forest: &Forest,
    root: TreeNo,
    sums: &[Sum],
    links: &HashMap<TreeNo, Vec<Link>>,
) -> u64 {
    let (mut seen, mut met, mut size) = (HashSet::new(), HashSet::new(), 0u64);
    let mut waiting = vec![root];
    while let Some(tree) = waiting.pop() {
        if !sums[tree.0 as usize].leads_to_link || !met.insert(tree) {
            continue;
        }
        for link in links.get(&tree).into_iter().flatten() {
            if seen.insert((link.inode, link.device)) {
                size = size.wrapping_add(link.size);
            }
        }
        waiting.extend(forest.subtrees(tree).iter().rev());
    }
    size
}

struct Count<'i> {
    index: &'i Index,
    part: Part,
    sums: Vec<(TreeNo, Sum)>,
    links: Vec<(TreeNo, Vec<Link>)>,
    gaps: Vec<String>,
}

impl VisitTrees for Count<'_> {
    fn tree(&mut self, tree: TreeNo, text: Result<&[u8], ReadError>, next: &mut Next<'_>) {
        let (mut sum, mut links) = (Sum::default(), Vec::new());
        let read = text.map_err(|error| error.to_string());
        let done = read.and_then(|text| self.nodes(tree, text, next, &mut sum, &mut links));
        if let Err(why) = done {
            let id = self.index.of(BlobKind::Tree).entry(tree.0).0;
            self.gaps.push(format!("tree {id}: {why}"));
        }
        sum.leads_to_link = !links.is_empty();
        self.sums.push((tree, sum));
        if sum.leads_to_link {
            self.links.push((tree, links));
        }
        self.part.end(tree);
    }
}

impl Count<'_> {
    fn nodes(
        &mut self,
        tree: TreeNo,
        text: &[u8],
        next: &mut Next<'_>,
        sum: &mut Sum,
        links: &mut Vec<Link>,
    ) -> Result<(), String> {
        let mut nodes = Nodes::open(text).map_err(|error| error.to_string())?;
        while let Some(node) = nodes.next_node().map_err(|error| error.to_string())? {
            sum.nodes += 1;
            if is_own(node) {
                sum.size = sum.size.wrapping_add(node.size);
            } else {
                let (inode, device, size) = (node.inode, node.device_id, node.size);
                links.push(Link { inode, device, size });
            }
            if let Some(id) = node.child() {
                match next.tree(&id) {
                    Some(subtree) => self.part.subtree(subtree),
                    None => {
                        let at = self.index.of(BlobKind::Tree).entry(tree.0).0;
                        let gap = format!("tree {at}: its subtree {id} is not in the index");
                        self.gaps.push(gap);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether a node's content is counted wherever it stands.
fn is_own(node: &Node<'_>) -> bool {
    node.links == 1 || node.kind == NodeKind::Dir || node.inode == 0
}

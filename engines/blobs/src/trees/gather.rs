//! The forest below the snapshots' root trees, gathered by one walk.

use manicule_core::idmap::IdBytes;
use manicule_core::watch::{Stopped, Watch};
use manicule_format_restic::{BlobKind, Id, Nodes};

use super::cached::gather_cached;
use super::gap::{Gap, Gathered};
use super::walk::{Next, VisitTrees, walk};
use super::{BlobNo, Forest, Part, TreeNo};
use crate::index::Index;
use crate::packs::ReadError;
use crate::repository::Repository;

/// Walks all trees below `roots`, in the cache if it has them.
pub(crate) fn gather(
    repository: &Repository,
    index: &Index,
    roots: &[TreeNo],
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Gathered, Stopped> {
    if let Some(cached) = repository.cached_trees()
        && let Some(gathered) = gather_cached(cached, index, roots, threads, watch)?
    {
        return Ok(gathered);
    }
    let visitor = || Gather { index, part: Part::default(), gaps: Vec::new(), ids: Vec::new() };
    let visitors = (0..threads.max(1)).map(|_| visitor()).collect();
    let visitors = walk(repository, index, roots, visitors, watch)?;
    let (parts, gaps): (Vec<_>, Vec<_>) =
        visitors.into_iter().map(|visitor| (visitor.part, visitor.gaps)).unzip();
    let forest = Forest::new(parts, index.of(BlobKind::Tree).numbers_end());
    Ok(Gathered { forest, gaps: gaps.into_iter().flatten().collect() })
}

struct Gather<'i> {
    index: &'i Index,
    part: Part,
    gaps: Vec<Gap>,
    /// Data blobs of the tree at hand.
    ids: Vec<IdBytes>,
}

impl VisitTrees for Gather<'_> {
    fn tree(&mut self, tree: TreeNo, text: Result<&[u8], ReadError>, next: &mut Next<'_>) {
        match text {
            Ok(text) => self.read(tree, text, next),
            Err(error) => self.gaps.push(Gap::Unreadable(tree, error)),
        }
        self.part.end(tree);
    }
}

impl Gather<'_> {
    fn read(&mut self, tree: TreeNo, text: &[u8], next: &mut Next<'_>) {
        self.ids.clear();
        let mut nodes = match Nodes::open(text) {
            Ok(nodes) => nodes,
            Err(error) => return self.gaps.push(Gap::Undecodable(tree, error.to_string())),
        };
        loop {
            match nodes.next_node() {
                Ok(None) => break,
                Err(error) => {
                    self.gaps.push(Gap::Undecodable(tree, error.to_string()));
                    break;
                }
                Ok(Some(node)) => {
                    self.ids.extend(node.blobs().iter().map(|id| id.0));
                    if let Some(id) = node.child() {
                        match next.tree(&id) {
                            Some(subtree) => self.part.subtree(subtree),
                            None => self.gaps.push(Gap::NoTree(tree, id)),
                        }
                    }
                }
            }
        }
        let Gather { index, part, gaps, ids } = self;
        index.of(BlobKind::Data).find_each(ids, |at, number| match number {
            Some(number) => part.blob(BlobNo(number)),
            None => gaps.push(Gap::NoBlob(tree, Id(ids[at]))),
        });
    }
}

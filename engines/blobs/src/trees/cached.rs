//! The forest below some roots from a cache: no tree is read from a pack.

use manicule_core::watch::{Phase, Stopped, Unit, Watch};
use manicule_format_restic::{BlobKind, CachedTree};

use super::gap::Gathered;
use super::{BlobNo, Forest, Part, TreeNo};
use crate::cache::trees::CachedTrees;
use crate::index::Index;

/// The trees below `roots`; `None` if the cache lacks one, or is damaged.
pub(super) fn gather_cached(
    cached: &CachedTrees,
    index: &Index,
    roots: &[TreeNo],
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Option<Gathered>, Stopped> {
    let numbers = cached.tree_numbers(index).zip(cached.blob_numbers(index));
    let Some((trees, blobs)) = numbers else { return Ok(None) };
    let meter = watch.phase(Phase::Reading, Unit::Trees, trees.len() as u64);
    let parts = cached.each_record(threads, Part::default, |part, place, record| {
        meter.step(1).ok()?;
        let nodes = CachedTree::open(record).ok()?;
        for number in 0..nodes.len() {
            let node = nodes.node(number).ok()?;
            if let Some(child) = node.child {
                part.subtree(TreeNo(*trees.get(child as usize)?));
            }
            for blob in node.blobs() {
                part.blob(BlobNo(*blobs.get(blob as usize)?));
            }
        }
        part.end(TreeNo(trees[place as usize]));
        Some(())
    });
    watch.check()?;
    meter.end();
    let Some(parts) = parts else { return Ok(None) };
    let forest = Forest::new(parts, index.of(BlobKind::Tree).numbers_end());
    Ok(forest.below(roots).map(|forest| Gathered { forest, gaps: Vec::new() }))
}

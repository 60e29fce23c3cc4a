//! The order of trees in a cache: those of one path after each other, as a history of the path
//! reads them all.
//!
//! A tree that several paths lead to lies where it is met first. Nothing recurses.

use std::collections::BTreeMap;

use manicule_core::bytes::DecodeError;
use manicule_format_restic::CachedTree;

/// The numbers of all trees below `roots` in the order of a cache. `record` gives a tree's record,
/// in which children go by the same numbers.
pub(super) fn by_paths<'r>(
    roots: &[u32],
    count: usize,
    record: impl Fn(u32) -> &'r [u8],
) -> Result<Vec<u32>, DecodeError> {
    let mut is_placed = vec![false; count];
    let mut order = Vec::new();
    let mut groups = vec![roots.to_vec()];
    while !groups.is_empty() {
        let mut next = Vec::new();
        for group in groups {
            let mut children: BTreeMap<&[u8], Vec<u32>> = BTreeMap::new();
            for tree in group {
                if std::mem::replace(&mut is_placed[tree as usize], true) {
                    continue;
                }
                order.push(tree);
                let nodes = CachedTree::open(record(tree))?;
                for number in 0..nodes.len() {
                    let node = nodes.node(number)?;
                    if let Some(child) = node.child.filter(|child| !is_placed[*child as usize]) {
                        children.entry(node.name).or_default().push(child);
                    }
                }
            }
            next.extend(children.into_values());
        }
        groups = next;
    }
    Ok(order)
}

//! The nodes of one tree, decoded.

use manicule_format_restic::{BlobKind, Id, Nodes, OwnedNode};

use crate::packs::BlobReader;

/// All nodes of a tree, in its order. The error is a sentence.
pub(crate) fn read_nodes(reader: &mut BlobReader<'_>, tree: Id) -> Result<Vec<OwnedNode>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("tree {tree}: {error}");
    reader.read(BlobKind::Tree, &tree, |text| {
        let text = text.map_err(|error| wrong(&error))?;
        let (mut nodes, mut all) = (Nodes::open(text).map_err(|error| wrong(&error))?, Vec::new());
        while let Some(node) = nodes.next_node().map_err(|error| wrong(&error))? {
            all.push(node.to_owned());
        }
        Ok(all)
    })
}

//! A leaf shown by its parts.

use manicule_core::bytes::{DecodeError, Outline};

use super::read::Leaf;
use crate::head::VERSION;

/// The parts of a leaf.
pub fn outline_leaf(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let leaf = Leaf::open(bytes)?;
    let mut outline = Outline::default();
    outline.push(0..4, "magic", "\"MANL\"");
    outline.push(4..8, "kind", "\"LEAF\"");
    outline.push(8..12, "version", VERSION);
    outline.push(12..16, "order", leaf.order().name());
    for block in 0..leaf.block_count() {
        let range = leaf.bytes_of(block);
        let columns = leaf.block(block).map(|bound| bound.describe());
        let columns = columns.unwrap_or_else(|error| error.to_string());
        let value = format!("{} rows: {columns}", leaf.positions_of(block).len());
        outline.push(range.start as u64..range.end as u64, format!("block {block}"), value);
    }
    let (directory_at, len) = (leaf.directory_at(), bytes.len() as u64);
    let tail_at = len - 16;
    let last_at = tail_at - 8 * leaf.order().width() as u64;
    outline.push(directory_at..last_at, "directory", format!("{} blocks", leaf.block_count()));
    let shown = |row: Option<[crate::id::Id; 4]>| match row {
        Some(row) => row[..leaf.order().width()]
            .iter()
            .map(|id| format!("{id:?}"))
            .collect::<Vec<_>>()
            .join(" "),
        None => "none".to_owned(),
    };
    outline.push(last_at..tail_at, "last row", shown(leaf.last()));
    outline.push(tail_at..tail_at + 4, "row_count", leaf.row_count());
    outline.push(tail_at + 4..tail_at + 8, "directory offset", directory_at);
    outline.push(tail_at + 8..tail_at + 12, "block_count", leaf.block_count());
    outline.push(tail_at + 12..len, "CRC-32", format!("{:08x}", leaf.sum()));
    Ok(outline)
}

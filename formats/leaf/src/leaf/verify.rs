//! Verification of a leaf beyond what opening it asks for: sums, rows in order, codes that have
//! ids, zeros.
//!
//! Bytes:   docs/formats/leaf.md, section *leaf*

use manicule_core::findings::Findings;

use super::read::Leaf;
use super::rows::Rows;
use crate::id::Id;

/// Verifies all that a writer promises of a leaf that was opened.
pub fn verify_leaf(leaf: &Leaf<'_>, findings: &mut Findings) {
    let mut last: Option<[Id; 4]> = None;
    for block in 0..leaf.block_count() {
        let (range, positions) = (leaf.bytes_of(block), leaf.positions_of(block));
        let at = range.start as u64;
        if let Err(error) = leaf.check_block(block) {
            findings.add_error("block", &error);
            // Whatever else is wrong with it follows from that.
            last = None;
            continue;
        }
        let bound = match leaf.block(block) {
            Ok(bound) => bound,
            Err(error) => {
                findings.add_error("block", &error);
                last = None;
                continue;
            }
        };
        if let Err(error) = bound.check(at) {
            findings.add_error("block", &error);
        }
        if leaf.raw_block(block)[range.len() - 8..] != [0; 8] {
            findings.add(
                "block",
                range.end as u64 - 8,
                "bytes after the columns",
                "8 zeros",
                "others",
            );
        }
        for (row, read) in Rows::new(*leaf, positions.clone()).enumerate() {
            let Ok(read) = read else { break };
            if row == 0 && read != leaf.first_of(block) {
                findings.add(
                    "directory",
                    at,
                    format!("first row of block {block}"),
                    show(&read),
                    show(&leaf.first_of(block)),
                );
            }
            if last.is_some_and(|last| last >= read) {
                let what = format!("row {}, above the one before", positions.start as usize + row);
                findings.add("block", at, what, show(&last.unwrap_or_default()), show(&read));
            }
            last = Some(read);
        }
    }
    if let (Some(read), Some(stored)) = (last, leaf.last())
        && read != stored
    {
        findings.add("directory", leaf.directory_at(), "last row", show(&read), show(&stored));
    }
}

fn show(row: &[Id; 4]) -> String {
    row.map(|id| format!("{id:?}")).join(" ")
}

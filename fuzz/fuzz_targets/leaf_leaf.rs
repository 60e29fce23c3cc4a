//! Any bytes as a leaf, and bytes that the sums of a sound one hold for: never a panic; bounds and
//! rows of what verification calls sound agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_core::findings::Findings;
use manicule_format_leaf::leaf::{Leaf, Rows};
use manicule_format_leaf::{Id, outline, verify};

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    read(&bytes);
    if mend(&mut bytes).is_some() {
        read(&bytes);
    }
});

/// Puts the sums right, as far as the footer makes sense.
fn mend(bytes: &mut Vec<u8>) -> Option<()> {
    bytes.splice(..bytes.len().min(12), *b"MANLLEAF\x01\0\0\0");
    let end = bytes.len().checked_sub(4)?;
    let directory_at = word(bytes, end.checked_sub(8)?)?;
    let block_count = word(bytes, end - 4)?;
    let width = if *bytes.get(12)? < 3 { 3 } else { 4 };
    for block in 0..block_count.min(100) {
        let entry = directory_at.checked_add(block * (width * 8 + 12))?;
        let start = word(bytes, entry.checked_add(width * 8)?)?;
        let next = entry + (width * 8 + 12) + width * 8;
        let stop = if block + 1 == block_count { directory_at } else { word(bytes, next)? };
        let sum = crc32fast::hash(bytes.get(start..stop)?);
        bytes.get_mut(entry + width * 8 + 8..entry + width * 8 + 12)?.copy_from_slice(&sum.to_le_bytes());
    }
    let mut covered = crc32fast::Hasher::new();
    covered.update(bytes.get(..16)?);
    covered.update(bytes.get(directory_at..end)?);
    bytes[end..].copy_from_slice(&covered.finalize().to_le_bytes());
    Some(())
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize)
}

fn read(bytes: &[u8]) {
    let _ = outline(bytes);
    let mut findings = Findings::default();
    verify(bytes, &mut findings);
    let Ok(leaf) = Leaf::open(bytes) else { return };
    let rows: Vec<_> = Rows::new(leaf, 0..leaf.row_count()).collect();
    let width = leaf.order().width();
    for block in 0..leaf.block_count() {
        let Ok(bound) = leaf.block(block) else { continue };
        let _ = bound.equal_rows(&[Id::MAX, Id::MIN, Id::MAX]);
        let _ = bound.row(bound.row_count() - 1);
    }
    if findings.count == 0 {
        for (position, row) in rows.iter().enumerate().step_by(7) {
            let row = row.as_ref().expect("verified");
            let position = position as u32;
            assert_eq!(leaf.range(&row[..width]), Ok(position..position + 1));
        }
    }
}

//! Any bytes as a dictionary segment, and bytes whose sums were put right: never a panic; terms of
//! what verification calls sound are found.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_core::bytes::page_sums;
use manicule_core::findings::Findings;
use manicule_format_leaf::dictionary::{Dictionary, Terms};
use manicule_format_leaf::{outline, verify};

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    read(&bytes);
    if mend(&mut bytes).is_some() {
        read(&bytes);
    }
});

/// Puts the sums right, as far as the footer makes sense.
fn mend(bytes: &mut Vec<u8>) -> Option<()> {
    bytes.splice(..bytes.len().min(12), *b"MANLDICT\x01\0\0\0");
    let footer = bytes.len().checked_sub(16)?;
    let table_at = u64::from_le_bytes(bytes.get(footer..footer + 8)?.try_into().ok()?);
    let count = u32::from_le_bytes(bytes.get(footer + 8..footer + 12)?.try_into().ok()?);
    let sums_at = usize::try_from(table_at.checked_add(u64::from(count) * 80)?).ok()?;
    let sums = page_sums(bytes.get(..sums_at)?);
    for (page, sum) in sums.iter().enumerate() {
        bytes.get_mut(sums_at + 4 * page..sums_at + 4 * page + 4)?.copy_from_slice(&sum.to_le_bytes());
    }
    let end = bytes.len() - 4;
    let sum = crc32fast::hash(bytes.get(sums_at..end)?);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    Some(())
}

fn read(bytes: &[u8]) {
    let _ = outline(bytes);
    let mut findings = Findings::default();
    verify(bytes, &mut findings);
    let Ok(dictionary) = Dictionary::open(bytes) else { return };
    for tag in dictionary.tags() {
        let Ok(Some(section)) = dictionary.section(tag) else { continue };
        let _ = section.ranks_of_prefix(b"http");
        let mut terms = Terms::new(section, 0..section.count().min(1000));
        while let Some(term) = terms.next() {
            let Ok((rank, text)) = term else { continue };
            let text = text.to_vec();
            let place = section.place_of(&text);
            if findings.count == 0 {
                assert!(place.is_ok_and(|place| place.is_there && place.rank == rank));
            }
        }
        let mut text = Vec::new();
        for number in section.numbers().take(1000) {
            text.clear();
            let _ = section.read(number, &mut text);
        }
    }
}

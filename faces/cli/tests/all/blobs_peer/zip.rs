//! The plainest reader of zip archives: every field of the directory, and each content.

use std::io::Read;

use flate2::read::DeflateDecoder;

/// An entry: its fields but for its offset and packed length, its names and extra field, its
/// content.
pub(crate) type Entry = (Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>);

fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// The entries in the order of the directory.
pub(crate) fn entries(archive: &[u8]) -> Vec<Entry> {
    let Some(end) = archive.len().checked_sub(22).map(|at| &archive[at..]) else {
        return Vec::new();
    };
    assert!(end.starts_with(b"PK\x05\x06"), "no end");
    let (count, mut at) = (number(&end[10..12]), number(&end[16..20]));
    let mut entries = Vec::new();
    for _ in 0..count {
        let fields = &archive[at..at + 46];
        assert!(fields.starts_with(b"PK\x01\x02"), "no entry at {at}");
        let [name_len, extra_len] = [28, 30].map(|at| number(&fields[at..at + 2]));
        let name = &archive[at + 46..][..name_len];
        let extra = &archive[at + 46 + name_len..][..extra_len];
        // Without the lengths as packed, and the offset.
        let compared = [&fields[4..20], &fields[24..42]].concat();
        let content = content(archive, number(&fields[42..46]), fields, name);
        entries.push((compared, name.to_vec(), extra.to_vec(), content));
        at += 46 + name_len + extra_len;
    }
    assert_eq!(at, archive.len() - 22);
    entries
}

fn content(archive: &[u8], at: usize, fields: &[u8], name: &[u8]) -> Vec<u8> {
    let header = &archive[at..at + 30];
    assert!(header.starts_with(b"PK\x03\x04") && header[4..14] == fields[6..16], "{name:?}");
    let [name_len, extra_len] = [26, 28].map(|at| number(&header[at..at + 2]));
    assert_eq!(&archive[at + 30..][..name_len], name);
    let packed = &archive[at + 30 + name_len + extra_len..][..number(&fields[20..24])];
    let mut content = Vec::new();
    match number(&fields[10..12]) {
        8 => drop(DeflateDecoder::new(packed).read_to_end(&mut content).expect("deflated")),
        _ => content.extend_from_slice(packed),
    }
    assert_eq!(content.len(), number(&fields[24..28]), "{name:?}");
    let mut sum = flate2::Crc::new();
    sum.update(&content);
    assert_eq!(sum.sum() as usize, number(&fields[16..20]), "{name:?}");
    // What follows the content says the same.
    let is_folder = name.ends_with(b"/");
    let after = &archive[at + 30 + name_len + extra_len + packed.len()..];
    assert!(is_folder || after.starts_with(b"PK\x07\x08") && after[4..16] == fields[16..28]);
    content
}

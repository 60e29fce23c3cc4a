//! Label stores into bytes.
//!
//! Bytes:   docs/formats/labels.md

use manicule_core::bytes::put_uvarint;

use crate::frame::{Kind, put_header, put_section};
use crate::{Ids, LabelFile, Part};

/// Appends the bytes of a file.
///
/// # Panics
/// If there is no part, or a part has not a list of values for each name.
pub fn encode(file: &LabelFile<'_>, out: &mut Vec<u8>) {
    assert!(!file.parts.is_empty(), "a store has an open part");
    put_header(out);
    put_section(Kind::Store, out, |out| {
        put_uvarint(u64::from(file.is_fixed), out);
        put_uvarint(file.boundary.into(), out);
        put_uvarint(file.parts.len() as u64, out);
    });
    put_section(Kind::Alive, out, |out| put_bits(&file.alive, out));
    put_section(Kind::Hidden, out, |out| put_bits(&file.hidden, out));
    file.parts.iter().for_each(|part| put_part(part, out));
    put_section(Kind::End, out, |_| ());
}

fn put_part(part: &Part<'_>, out: &mut Vec<u8>) {
    assert_eq!(part.names.len(), part.values.len(), "values for each name");
    put_section(Kind::Ids, out, |out| match &part.ids {
        Ids::From(first) => {
            put_uvarint(0, out);
            put_uvarint((*first).into(), out);
        }
        Ids::Kept(bits) => {
            put_uvarint(1, out);
            put_bits(bits, out);
        }
    });
    put_section(Kind::Names, out, |out| put_strings(&part.names, out));
    put_section(Kind::Values, out, |out| {
        part.values.iter().for_each(|values| put_strings(values, out));
    });
    put_section(Kind::Sets, out, |out| {
        put_uvarint(part.sets.len() as u64, out);
        for set in &part.sets {
            put_uvarint(set.len() as u64, out);
            set.iter().for_each(|&name| put_uvarint(name.into(), out));
        }
    });
    put_section(Kind::Rows, out, |out| {
        put_uvarint(part.row_count.into(), out);
        out.extend_from_slice(&part.rows);
    });
}

fn put_bits(words: &[u64], out: &mut Vec<u8>) {
    put_uvarint(words.len() as u64, out);
    words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
}

fn put_strings(strings: &[&[u8]], out: &mut Vec<u8>) {
    put_uvarint(strings.len() as u64, out);
    for string in strings {
        put_uvarint(string.len() as u64, out);
        out.extend_from_slice(string);
    }
}

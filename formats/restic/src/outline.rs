//! The files of a repository by their parts: what `inspect` shows and the format's document.
//!
//! Bytes:   docs/formats/restic.md

use manicule_core::bytes::{DecodeError, Outline};

use crate::blob::PackedBlob;
use crate::pack::{PACK_END_LEN, PackError, PackHeader, header_len_at_end};
use crate::seal::{ENVELOPE_LEN, IV_LEN};

/// Length of a tag.
const TAG_LEN: u64 = (ENVELOPE_LEN - IV_LEN) as u64;

/// The parts of a file that is one envelope: config, snapshots, index files, locks. No key is
/// needed for them.
pub fn outline_sealed(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let (need, have) = (ENVELOPE_LEN as u64, bytes.len() as u64);
    if have < need {
        return Err(DecodeError::Short { what: "envelope", at: 0, need, have });
    }
    let mut outline = Outline::default();
    push_envelope(0, have, "", &mut outline);
    Ok(outline)
}

/// The parts of a pack. With its opened header each blob is one; without it they are one together,
/// since where they begin is sealed.
pub fn outline_pack(bytes: &[u8], header: Option<&PackHeader>) -> Result<Outline, PackError> {
    let len = bytes.len() as u64;
    let end = len - header_end_len(bytes)?;
    let mut outline = Outline::default();
    match header {
        Some(header) => header.blobs.iter().for_each(|blob| push_blob(blob, &mut outline)),
        None => outline.push(0..end, "blobs", "each an envelope"),
    }
    push_envelope(end, len - PACK_END_LEN as u64, "header ", &mut outline);
    let words = format_args!("{} of the header", len - PACK_END_LEN as u64 - end);
    outline.push(len - PACK_END_LEN as u64..len, "length", words);
    Ok(outline)
}

/// Length of the sealed header and the number after it.
fn header_end_len(bytes: &[u8]) -> Result<u64, PackError> {
    let sealed_len = header_len_at_end(bytes, bytes.len() as u64)?;
    Ok(u64::from(sealed_len) + PACK_END_LEN as u64)
}

fn push_envelope(start: u64, end: u64, part: &str, outline: &mut Outline) {
    let text = start + IV_LEN as u64..end - TAG_LEN;
    let len = text.end - text.start;
    outline.push(start..text.start, format!("{part}IV"), "random");
    outline.push(text.clone(), format!("{part}ciphertext"), format_args!("{len} bytes"));
    outline.push(text.end..end, format!("{part}tag"), "Poly1305");
}

fn push_blob(blob: &PackedBlob, outline: &mut Outline) {
    let PackedBlob { kind, id, place } = blob;
    let name = kind.map_or("blob", |kind| kind.name());
    let how = if place.is_compressed() { "compressed, plaintext" } else { "plaintext" };
    let words = format_args!("{id}, {how} of {} bytes", place.plain_len());
    outline.push(u64::from(place.offset)..place.end(), name, words);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::{BlobKind, Place};
    use crate::id::Id;
    use crate::pack::{open_header, put_header};
    use crate::seal::Key;

    #[test]
    fn parts_lie_back_to_back_and_fill_the_file() {
        let key = Key::from_bytes(&[5; 64]).unwrap();
        let mut bytes = Vec::new();
        let mut blobs = Vec::new();
        for (kind, plain) in [(BlobKind::Data, &b"some data"[..]), (BlobKind::Tree, b"a tree")] {
            let offset = bytes.len() as u32;
            key.seal([1; 16], plain, &mut bytes);
            let place = Place { offset, len: bytes.len() as u32 - offset, raw_len: 0 };
            blobs.push(PackedBlob { kind: Some(kind), id: Id::of(plain), place });
        }
        put_header(&key, [2; 16], &blobs, &mut bytes);
        let header = open_header(&key, &mut bytes.clone(), bytes.len() as u64).unwrap();
        let sealed = outline_sealed(&bytes[..41]).unwrap();
        let (whole, opened) = (outline_pack(&bytes, None), outline_pack(&bytes, Some(&header)));
        for (outline, len, row_count) in
            [(sealed, 41, 3), (whole.unwrap(), bytes.len(), 5), (opened.unwrap(), bytes.len(), 6)]
        {
            let mut next = 0;
            for row in &outline.rows {
                assert_eq!(row.bytes.start, next, "{outline}");
                next = row.bytes.end;
            }
            assert_eq!((next, outline.rows.len()), (len as u64, row_count), "{outline}");
        }
        assert!(outline_sealed(&bytes[..31]).is_err());
        for len in 0..bytes.len() {
            assert!(outline_pack(&bytes[..len], None).is_err(), "{len}");
        }
    }
}

//! Reading any bytes as a pack gives a header or an error, and blobs that open are those that were
//! asked for.
//!
//! Three ways in: the bytes as they are; a pack whose header has them as its plaintext, under a
//! correct tag; and a pack of blobs made of them, whose header has to come back.
//!
//! Seeds:
//! `mkdir -p corpus/restic_pack && tar -xf ../proof/golden/blobs/small.tar.zst -C corpus/restic_pack
//! --strip-components=4 --wildcards './repo/data/*'`

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_format_restic::{
    BlobKind, Decompressor, ENVELOPE_LEN, Id, Key, PackHeader, PackedBlob, Place, eager_len,
    open_blob, open_header, outline_pack, pack_len, put_header,
};

const IV: [u8; 16] = [1; 16];
const LIMIT: usize = 1 << 20;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    /// Of each blob its plaintext, or what is in its envelope; its kind; and its raw length.
    blobs: Vec<(&'a [u8], bool, Option<u32>)>,
    /// Length of what comes before a header of these bytes.
    blobs_len: u16,
    header: &'a [u8],
}

fuzz_target!(|bytes: &[u8]| {
    let key = Key::from_bytes(&std::array::from_fn(|at| at as u8 + 1)).expect("a key");
    look(&key, bytes);
    let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) else { return };
    let mut pack = vec![0; input.blobs_len.into()];
    key.seal(IV, input.header, &mut pack);
    pack.extend_from_slice(&((input.header.len() + ENVELOPE_LEN) as u32).to_le_bytes());
    look(&key, &pack);
    let (pack, blobs) = packed(&key, &input);
    if !blobs.is_empty() {
        let header = look(&key, &pack).expect("what was written can be read");
        assert_eq!(header.blobs, blobs);
        assert!(header.fills(pack.len() as u64));
        assert_eq!(pack_len(blobs.iter().map(|blob| &blob.place)), pack.len() as u64);
    }
});

fn packed(key: &Key, input: &Input<'_>) -> (Vec<u8>, Vec<PackedBlob>) {
    let (mut pack, mut blobs) = (Vec::new(), Vec::new());
    for (bytes, is_tree, raw_len) in &input.blobs {
        let offset = pack.len() as u32;
        key.seal(IV, bytes, &mut pack);
        let place =
            Place { offset, len: pack.len() as u32 - offset, raw_len: raw_len.unwrap_or(0) };
        let kind = Some(if *is_tree { BlobKind::Tree } else { BlobKind::Data });
        blobs.push(PackedBlob { kind, id: Id::of(bytes), place });
    }
    put_header(key, IV, &blobs, &mut pack);
    (pack, blobs)
}

fn look(key: &Key, pack: &[u8]) -> Option<PackHeader> {
    let len = pack.len() as u64;
    let _ = outline_pack(pack, None);
    let mut end = pack[pack.len() - eager_len(len) as usize..].to_vec();
    let eager = open_header(key, &mut end, len);
    let header = open_header(key, &mut pack.to_vec(), len).ok()?;
    assert!(eager.is_err() || eager.is_ok_and(|eager| eager == header));
    let outline = outline_pack(pack, Some(&header)).expect("a pack with a header");
    assert!(outline.rows.iter().all(|row| row.bytes.start <= row.bytes.end));
    let mut decompressor = Decompressor::new();
    for blob in &header.blobs {
        let place = blob.place.offset as usize..blob.place.end() as usize;
        let Some(stored) = pack.get(place) else { continue };
        let mut stored = stored.to_vec();
        if let Ok(opened) = open_blob(key, &mut stored, blob, LIMIT, &mut decompressor) {
            assert!(Id::of(opened.plain) == blob.id && opened.plain.len() <= LIMIT.max(pack.len()));
        }
    }
    Some(header)
}

//! Headers and blobs: what was written is read, and hostile bytes get an answer.

use manicule_core::bytes::DecodeError;
use manicule_testkit::Rng;

use super::*;
use crate::blob::{BlobKind, PackedBlob, Place};
use crate::decompress::{DecompressError, Decompressor};
use crate::id::Id;
use crate::seal::{ENVELOPE_LEN, Key, SealError};

fn key() -> Key {
    Key::from_bytes(&std::array::from_fn(|at| at as u8 + 1)).unwrap()
}

const IV: [u8; 16] = [7; 16];

/// Blobs that lie back to back, the first `count` of a repeatable list.
fn blobs(count: usize) -> Vec<PackedBlob> {
    let mut rng = Rng::new(5);
    let mut offset = 0;
    let mut blob = || {
        let len = 33 + rng.below(200) as u32;
        let place = Place { offset, len, raw_len: rng.pick(&[0, 1, 70_000]) };
        offset += len;
        let kind = Some(rng.pick(&[BlobKind::Data, BlobKind::Tree]));
        PackedBlob { kind, id: Id(std::array::from_fn(|_| rng.bits() as u8)), place }
    };
    (0..count).map(|_| blob()).collect()
}

/// A pack whose blobs are zeros.
fn pack(blobs: &[PackedBlob]) -> Vec<u8> {
    let mut bytes = vec![0; blobs.last().map_or(0, |blob| blob.place.end() as usize)];
    put_header(&key(), IV, blobs, &mut bytes);
    bytes
}

/// A pack whose header has this plaintext.
fn pack_of(blobs_len: usize, plain: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; blobs_len];
    key().seal(IV, plain, &mut bytes);
    bytes.extend_from_slice(&((plain.len() + ENVELOPE_LEN) as u32).to_le_bytes());
    bytes
}

fn open_pack(bytes: &[u8]) -> Result<PackHeader, PackError> {
    open_header(&key(), &mut bytes.to_vec(), bytes.len() as u64)
}

#[test]
fn headers_come_back_and_packs_are_as_long_as_their_blobs_say() {
    for count in [1, 2, 15, 16, 100, 3000] {
        let blobs = blobs(count);
        let bytes = pack(&blobs);
        let header = open_pack(&bytes).unwrap();
        assert_eq!(header.blobs, blobs);
        assert!(header.fills(bytes.len() as u64) && !header.fills(bytes.len() as u64 + 1));
        let places = || blobs.iter().map(|blob| &blob.place);
        assert_eq!(pack_len(places()), bytes.len() as u64);
        assert_eq!(sealed_header_len(places()), u64::from(header.sealed_len));
    }
}

#[test]
fn a_header_is_read_from_the_end_in_two_rounds_at_most() {
    for (count, is_one_round) in [(1, true), (14, true), (30, false), (500, false)] {
        let blobs = blobs(count);
        let bytes = pack(&blobs);
        let len = bytes.len() as u64;
        let mut end = bytes[(len - eager_len(len)) as usize..].to_vec();
        let first = open_header(&key(), &mut end, len);
        assert_eq!(first.is_ok(), is_one_round, "{count}: {first:?}");
        if let Err(error) = first {
            let need = u64::from(header_len_at_end(&end, len).unwrap()) + PACK_END_LEN as u64;
            assert_eq!(error, PackError::TooFew { need, have: eager_len(len) });
            let mut end = bytes[(len - need) as usize..].to_vec();
            assert_eq!(open_header(&key(), &mut end, len).unwrap().blobs, blobs);
        }
    }
    assert_eq!(header_len_at_end(b"123", 1000), Err(PackError::TooFew { need: 4, have: 3 }));
}

#[test]
fn lengths_that_cannot_be_are_refused_in_restics_order() {
    let sound = pack(&blobs(3));
    let len = sound.len() as u64;
    let refused = |number: u32, len: u64| {
        let mut bytes = sound.clone();
        let at = bytes.len() - 4;
        bytes[at..].copy_from_slice(&number.to_le_bytes());
        header_len_at_end(&bytes, len).unwrap_err().to_string()
    };
    for (got, want) in [
        (refused(0, len), format!("length above zero at offset {}: wanted 1, got 0", len - 4)),
        (
            refused(31, len),
            format!("of at least an envelope at offset {}: wanted 32, got 31", len - 4),
        ),
        (
            refused(u32::MAX, len),
            format!("within the pack at offset {}: wanted {}", len - 4, len - 4),
        ),
        (
            refused((16 << 20) + 1, 1 << 30),
            "within the limit at offset 1073741820: wanted 16777216".to_owned(),
        ),
        (refused(0, 72), "pack at offset 0: 73 bytes needed, 72 there".to_owned()),
    ] {
        assert!(got.contains(&want), "{got}");
    }
}

#[test]
fn entries_that_cannot_be_are_refused() {
    let id = [9; 32];
    let entry = |kind: u8, len: u32| [&[kind][..], &len.to_le_bytes(), &id].concat();
    let compressed =
        |kind: u8, len: u32| [&[kind][..], &len.to_le_bytes(), &[8, 0, 0, 0], &id].concat();
    let what = "entry of a pack header";
    let short = |at, need, have| PackError::Bytes(DecodeError::Short { what, at, need, have });
    for (plain, want) in [
        ([entry(0, 50), entry(1, 50)[..36].to_vec()].concat(), short(37, 37, 36)),
        ([entry(0, 50), compressed(2, 50)[..40].to_vec()].concat(), short(46, 32, 31)),
        ([entry(0, 50), vec![0]].concat(), short(37, 37, 1)),
    ] {
        assert_eq!(open_pack(&pack_of(100, &plain)), Err(want));
    }
    let what = "kind in an entry of a pack header";
    let want = DecodeError::Corrupt { what, at: 37, want: 3, got: 4 };
    assert_eq!(open_pack(&pack_of(100, &[entry(0, 50), entry(4, 50)].concat())), Err(want.into()));
    let what = "sum of lengths in a pack header";
    let want =
        DecodeError::Corrupt { what, at: 37, want: u32::MAX.into(), got: u64::from(u32::MAX) + 1 };
    assert_eq!(
        open_pack(&pack_of(9, &[entry(0, u32::MAX), entry(1, 1)].concat())),
        Err(want.into())
    );
    // A compressed blob of no length counts as one that isn't compressed, as in restic.
    let odd = [vec![3, 50, 0, 0, 0, 0, 0, 0, 0], id.to_vec()].concat();
    let header = open_pack(&pack_of(50, &odd)).unwrap();
    assert_eq!((header.blobs.len(), header.blobs[0].place.is_compressed()), (1, false));
}

#[test]
fn a_header_that_was_cut_or_flipped_is_an_error() {
    let sound = pack(&blobs(4));
    let header_at =
        sound.len() - sealed_header_len(blobs(4).iter().map(|blob| &blob.place)) as usize - 4;
    for len in 0..sound.len() {
        assert!(open_pack(&sound[..len]).is_err(), "{len}");
    }
    for bit in header_at * 8..sound.len() * 8 {
        let mut bytes = sound.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(open_pack(&bytes).is_err(), "{bit}");
    }
}

/// A blob as it is stored, and its entry.
fn stored(plain: &[u8], is_compressed: bool) -> (Vec<u8>, PackedBlob) {
    let frame = zstd::bulk::compress(plain, 3).unwrap();
    let mut bytes = Vec::new();
    key().seal(IV, if is_compressed { &frame } else { plain }, &mut bytes);
    let raw_len = if is_compressed { plain.len() as u32 } else { 0 };
    let place = Place { offset: 0, len: bytes.len() as u32, raw_len };
    (bytes, PackedBlob { kind: Some(BlobKind::Data), id: Id::of(plain), place })
}

#[test]
fn blobs_open_and_anything_else_is_an_error() {
    let plain = b"file 10\nfile 10\nfile 10\n";
    let mut decompressor = Decompressor::new();
    let mut open = |bytes: &[u8], blob: &PackedBlob, limit| {
        let mut bytes = bytes.to_vec();
        let opened = open_blob(&key(), &mut bytes, blob, limit, &mut decompressor);
        opened.map(|opened| (opened.plain.to_vec(), opened.is_as_long_as_listed))
    };
    for is_compressed in [false, true] {
        let (bytes, blob) = stored(plain, is_compressed);
        assert_eq!(open(&bytes, &blob, plain.len()), Ok((plain.to_vec(), true)));
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let want = BlobError::Sealed(SealError::Unauthenticated);
            assert_eq!(open(&bytes, &blob, 1000), Err(want));
        }
        let other = PackedBlob { id: Id([3; 32]), ..blob };
        let want = BlobError::Id { want: other.id, got: blob.id };
        assert_eq!(open(&bytes, &other, 1000), Err(want));
        let cut = &bytes[..bytes.len() - 1];
        let want = BlobError::Len { want: blob.place.len, got: cut.len() as u64 };
        assert_eq!(open(cut, &blob, 1000), Err(want));
    }
    let (bytes, mut blob) = stored(plain, true);
    let want = BlobError::Decompress(DecompressError::TooLong { limit: 10 });
    assert_eq!(open(&bytes, &blob, 10), Err(want));
    blob.place.raw_len += 1;
    assert_eq!(open(&bytes, &blob, 1000), Ok((plain.to_vec(), false)), "a hint, not an error");
    blob.place.raw_len = 0;
    assert!(matches!(open(&bytes, &blob, 1000), Err(BlobError::Id { .. })), "the frame itself");
    for len in [0, 16, 31] {
        let place = Place { offset: 0, len, raw_len: 0 };
        let want = BlobError::Sealed(SealError::TooShort { len: len as usize });
        assert_eq!(open(&vec![1; len as usize], &PackedBlob { place, ..blob }, 1000), Err(want));
    }
}

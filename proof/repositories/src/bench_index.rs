//! The index that restic's own benchmarks fill: packs of blobs of random sizes with random ids,
//! drawn in the same order from the same generator.

use manicule_format_restic::{BlobKind, Id, PackedBlob, Place};

use crate::go_random::GoRandom;

/// A pack ends with the blob that reaches this length.
const PACK_LEN: u32 = 16 << 20;
/// A blob's length is this and a random number below [`BLOB_LEN_RANDOM`].
const BLOB_LEN_LEAST: u32 = 2000;
const BLOB_LEN_RANDOM: u32 = 4 << 20;

/// Draws an index of `pack_count` packs, pack by pack, and returns the blob that the look-up rows
/// ask for: one of the first pack. About 8.66 blobs a pack.
pub fn draw_index(
    random: &mut GoRandom,
    pack_count: u32,
    mut sink: impl FnMut(Id, &[PackedBlob]),
) -> Option<Id> {
    let mut asked = None;
    let mut blobs = Vec::new();
    for _ in 0..pack_count {
        let pack = draw_id(random);
        draw_blobs(random, &mut blobs);
        sink(pack, &blobs);
        if asked.is_none() {
            asked = Some(blobs[random.below(blobs.len() as u32) as usize].id);
        }
    }
    asked
}

fn draw_id(random: &mut GoRandom) -> Id {
    let mut bytes = [0; 32];
    random.fill(&mut bytes);
    Id(bytes)
}

fn draw_blobs(random: &mut GoRandom, blobs: &mut Vec<PackedBlob>) {
    blobs.clear();
    let mut offset = 0;
    while offset < PACK_LEN {
        let len = BLOB_LEN_LEAST + random.below(BLOB_LEN_RANDOM);
        let id = draw_id(random);
        let place = Place { offset, len, raw_len: 2 * len };
        blobs.push(PackedBlob { kind: Some(BlobKind::Data), id, place });
        offset += len;
    }
}

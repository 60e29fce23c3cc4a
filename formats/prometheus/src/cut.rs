//! Chunks on their way into segments: their bytes there, and where one segment ends and the next
//! begins.
//!
//! Bytes:   docs/formats/prometheus.md

use manicule_core::bytes::put_uvarint;

use crate::{ChunkRef, SEGMENT_HEADER, crc32c};

/// Maximum length of Prometheus's segments: the next chunk might pass it.
pub const SEGMENT_LEN_MAX: u64 = 512 << 20;

/// Maximum length of a chunk beside its data: | 1..5 length | 1 encoding | data | 4 CRC |
const CHUNK_FRAME_MAX: u64 = 5 + 1 + 4;

/// Appends a chunk as it stands in a segment.
pub fn encode_chunk(encoding: u8, data: &[u8], out: &mut Vec<u8>) {
    put_uvarint(data.len() as u64, out);
    let covered = out.len();
    out.push(encoding);
    out.extend_from_slice(data);
    let sum = crc32c(&out[covered..]);
    out.extend_from_slice(&sum.to_be_bytes());
}

/// Place of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkPlace {
    /// Its name in the index.
    pub reference: ChunkRef,
    /// Whether it is the first of its segment, which is to be begun.
    pub begins_segment: bool,
}

/// Decides where chunks go, as Prometheus does.
///
/// It sums what the chunks of *one series* may need at most, from where the segment stood when the
/// series began; only the first segment that a series is cut into counts the chunks of other series
/// before it.
#[derive(Clone, Debug)]
pub struct SegmentCut {
    len_max: u64,
    /// The segment that is open; its length is 0 before the first chunk of all.
    segment: u32,
    len: u64,
    /// Start of the sum of this series' chunks, and that sum.
    base: u64,
    sum: u64,
    /// Whether this series has a chunk in the open segment, or follows others there.
    may_cut: bool,
}

impl SegmentCut {
    /// Segments of at most `len_max` bytes, which [`SEGMENT_LEN_MAX`] is in all blocks; a chunk
    /// that is larger has a segment of its own.
    pub fn new(len_max: u64) -> Self {
        assert!(u32::try_from(len_max).is_ok(), "a chunk's place in a segment has 32 bits");
        let base = SEGMENT_HEADER.len() as u64;
        SegmentCut { len_max, segment: 0, len: 0, base, sum: 0, may_cut: false }
    }

    /// The chunks of another series follow.
    pub fn begin_series(&mut self) {
        self.base = self.len.max(SEGMENT_HEADER.len() as u64);
        self.sum = 0;
        self.may_cut = self.len > SEGMENT_HEADER.len() as u64;
    }

    /// Gives the next chunk its place.
    pub fn place(&mut self, data_len: usize) -> ChunkPlace {
        let most = CHUNK_FRAME_MAX + data_len as u64;
        self.sum += most;
        let is_cut = self.may_cut && self.base + self.sum > self.len_max;
        let begins_segment = is_cut || self.len == 0;
        if is_cut {
            self.segment += 1;
            self.sum = most;
            self.base = SEGMENT_HEADER.len() as u64;
        }
        if begins_segment {
            self.len = SEGMENT_HEADER.len() as u64;
        }
        self.may_cut = true;
        let reference = ChunkRef::new(self.segment, self.len as u32);
        self.len += chunk_len(data_len);
        ChunkPlace { reference, begins_segment }
    }
}

/// Length of a chunk in its segment.
fn chunk_len(data_len: usize) -> u64 {
    let bits = (usize::BITS - data_len.leading_zeros()).max(1);
    u64::from(bits.div_ceil(7)) + 1 + data_len as u64 + 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_framed() {
        for len in [0, 1, 127, 128, 16_383, 16_384] {
            let mut out = vec![9];
            encode_chunk(1, &vec![7; len], &mut out);
            assert_eq!(out.len() as u64, 1 + chunk_len(len), "{len}");
            let sum = crc32c(&out[out.len() - 5 - len..out.len() - 4]);
            assert_eq!(out[out.len() - 4..], sum.to_be_bytes());
        }
        let mut out = Vec::new();
        encode_chunk(4, b"ab", &mut out);
        assert_eq!(out[..4], [2, 4, b'a', b'b']);
    }

    /// Places chunks of these data lengths, a row a series, with segments of 100 bytes:
    /// `segment:offset` of each.
    fn check(series: &[&[usize]], want: &str) {
        let mut cut = SegmentCut::new(100);
        let mut places = Vec::new();
        for chunks in series {
            cut.begin_series();
            for len in *chunks {
                let place = cut.place(*len);
                let reference = place.reference;
                assert_eq!(place.begins_segment, reference.offset() == 8);
                places.push(format!("{}:{}", reference.segment(), reference.offset()));
            }
        }
        assert_eq!(places.join(" "), want);
    }

    #[test]
    fn segments_end_where_the_next_chunk_might_not_fit() {
        // A chunk of 20 takes 26 bytes, and counts 30.
        check(&[&[20], &[20], &[20], &[20]], "0:8 0:34 0:60 1:8");
        // 8 + 4 x 23 is 100, though the sum of the worst cases is 116.
        check(&[&[17, 17], &[17], &[17]], "0:8 0:31 0:54 1:8");
    }

    #[test]
    fn the_chunks_of_one_series_count_their_worst_case() {
        // 8 + 3 x 30 fits; a fourth doesn't, and begins a sum of its own.
        check(&[&[20, 20, 20, 20, 20, 20, 20]], "0:8 0:34 0:60 1:8 1:34 1:60 2:8");
        check(&[&[20], &[20, 20, 20, 20, 20]], "0:8 0:34 0:60 1:8 1:34 1:60");
    }

    #[test]
    fn a_large_chunk_has_its_own_segment() {
        check(&[&[500], &[1], &[500, 500], &[]], "0:8 1:8 2:8 3:8");
        check(&[&[], &[500]], "0:8");
    }
}

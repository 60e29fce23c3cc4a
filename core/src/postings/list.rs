//! A stored posting list: a count, then gaps in Rice's code or a bitmap, whichever is smaller.
//!
//! ```text
//! | varint count | bitmap: ceil(universe / 8) bytes, lowest bit first |      where count > universe / 4
//! | varint count | gaps, bit after bit, lowest bit of a byte first     |      elsewhere
//! ```
//! A gap is the number of documents left out before the next one. Its high part `gap >> k` stands
//! in unary, as that many zeros and a one; its low `k` bits follow. `k` is a function of count and
//! universe, so it is not stored.
//!
//! Bytes:   docs/formats/tree.md, section *lists*

use super::DocSet;
use crate::bytes::{DecodeError, Reader, put_uvarint};

/// The bits of a gap's low part.
///
/// The best `k` for gaps of mean m is log2(m ln 2), rounded: ln 2 times the square root of 2 is
/// 0.98.
fn low_bits(count: u32, universe: u32) -> u32 {
    let scaled = u64::from(universe) * 98 / (u64::from(count) * 100);
    scaled.max(1).ilog2()
}

/// Whether a bitmap is smaller: with a mean gap below 4 Rice's code takes about a bit a universe.
fn is_dense(count: u32, universe: u32) -> bool {
    u64::from(count) * 4 > u64::from(universe)
}

/// Appends the list of `docs` to `out`.
///
/// # Panics
/// If `docs` does not give `count` increasing documents below `universe`: the reader relies on it.
pub fn encode_list(
    count: u32,
    universe: u32,
    docs: impl IntoIterator<Item = u32>,
    out: &mut Vec<u8>,
) {
    put_uvarint(u64::from(count), out);
    if count == 0 {
        return;
    }
    let mut written = 0;
    let mut after = 0;
    let mut each = |doc: u32| {
        assert!(after <= doc && doc < universe, "documents rise, below the universe");
        let gap = doc - after;
        after = doc + 1;
        written += 1;
        gap
    };
    if is_dense(count, universe) {
        let start = out.len();
        out.resize(start + universe.div_ceil(8) as usize, 0);
        for doc in docs {
            each(doc);
            out[start + doc as usize / 8] |= 1 << (doc % 8);
        }
    } else {
        let k = low_bits(count, universe);
        let mut bits = BitWriter { out, pending: 0, pending_len: 0 };
        docs.into_iter().for_each(|doc| bits.put_gap(each(doc), k));
        bits.finish();
    }
    assert_eq!(written, count, "as many documents as were announced");
}

/// Adds a stored list's documents to `into`. Returns how many there were.
///
/// Errors where the bytes end early or name a document outside the universe. Costs about 2 ns a
/// document.
pub fn decode_list(bytes: &[u8], at: u64, into: &mut DocSet) -> Result<u32, DecodeError> {
    let mut reader = Reader::new(bytes, at);
    let universe = into.universe();
    let count = reader.varint_u32("posting count")?;
    if count > universe {
        let (want, got) = (universe.into(), count.into());
        return Err(DecodeError::Corrupt { what: "posting count", at, want, got });
    }
    if count == 0 {
        return Ok(0);
    }
    if is_dense(count, universe) {
        let bitmap = reader.take("posting bitmap", universe.div_ceil(8) as usize)?;
        if let (Some(last), used @ 1..) = (bitmap.last(), universe % 8)
            && last >> used != 0
        {
            let (want, got) = (0, u64::from(last >> used));
            return Err(DecodeError::Corrupt { what: "bits past the universe", at, want, got });
        }
        into.insert_bitmap(bitmap);
        return Ok(count);
    }
    let k = low_bits(count, universe);
    let at = reader.at();
    let mut bits = BitReader { bytes: reader.rest(), bit: 0 };
    let mut after = 0u64;
    for _ in 0..count {
        let Some(gap) = bits.gap(k) else {
            let (need, have) = (u64::from(count), bytes.len() as u64);
            return Err(DecodeError::Short { what: "posting gaps", at, need, have });
        };
        let doc = after + gap;
        if doc >= u64::from(universe) {
            let want = u64::from(universe) - 1;
            return Err(DecodeError::Corrupt { what: "document", at, want, got: doc });
        }
        into.insert(doc as u32);
        after = doc + 1;
    }
    Ok(count)
}

/// A stream of bits, lowest first. Fewer than 8 are pending between calls.
struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    pending: u64,
    pending_len: u32,
}

impl BitWriter<'_> {
    #[inline]
    fn put_gap(&mut self, gap: u32, k: u32) {
        let mut zeros = gap >> k;
        while zeros >= 16 {
            self.put(0, 16);
            zeros -= 16;
        }
        // At most 15 zeros, a one and 31 low bits after 7 pending: 54 of the 64.
        let low = u64::from(gap) & ((1 << k) - 1);
        self.put((low << 1 | 1) << zeros, zeros + 1 + k);
    }

    #[inline]
    fn put(&mut self, bits: u64, len: u32) {
        self.pending |= bits << self.pending_len;
        self.pending_len += len;
        let whole = (self.pending_len / 8) as usize;
        self.out.extend_from_slice(&self.pending.to_le_bytes()[..whole]);
        self.pending >>= whole * 8;
        self.pending_len %= 8;
    }

    fn finish(self) {
        if self.pending_len > 0 {
            self.out.push(self.pending as u8);
        }
    }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    bit: usize,
}

impl BitReader<'_> {
    /// The next gap, or `None` where the bytes end before it.
    #[inline]
    fn gap(&mut self, k: u32) -> Option<u64> {
        let mut zeros = 0u64;
        loop {
            let window = self.window();
            if window != 0 {
                let run = window.trailing_zeros();
                zeros += u64::from(run);
                self.bit += run as usize + 1;
                break;
            }
            // At least 57 of the window's bits were in the list, or the list has ended.
            zeros += 57;
            self.bit += 57;
            if self.bit >= self.bytes.len() * 8 {
                return None;
            }
        }
        let low = self.window() & ((1 << k) - 1);
        self.bit += k as usize;
        (self.bit <= self.bytes.len() * 8).then_some(zeros << k | low)
    }

    /// At least 57 bits from here on, zeros past the end.
    #[inline]
    fn window(&self) -> u64 {
        let (at, skip) = (self.bit / 8, self.bit % 8);
        let word = match self.bytes.get(at..at + 8) {
            Some(bytes) => u64::from_le_bytes(bytes.try_into().expect("eight bytes")),
            None => {
                let mut last = [0; 8];
                let rest = self.bytes.get(at..).unwrap_or_default();
                last[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(last)
            }
        };
        word >> skip
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], universe: u32) -> Result<Vec<u32>, DecodeError> {
        let mut set = DocSet::empty(universe);
        decode_list(bytes, 0, &mut set)?;
        Ok(set.iter().collect())
    }

    fn check(universe: u32, docs: &[u32], size_max: usize) {
        let mut bytes = Vec::new();
        encode_list(docs.len() as u32, universe, docs.iter().copied(), &mut bytes);
        assert_eq!(read(&bytes, universe).as_deref(), Ok(docs), "{bytes:x?}");
        assert!(bytes.len() <= size_max, "{} bytes for {} documents", bytes.len(), docs.len());
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut], universe).is_err(), "cut at {cut} of {}", bytes.len());
        }
    }

    #[test]
    fn an_empty_list_is_one_byte() {
        check(1000, &[], 1)
    }
    #[test]
    fn one_document_anywhere() {
        (0..300).for_each(|doc| check(300, &[doc], 4))
    }
    #[test]
    fn a_universe_of_one() {
        check(1, &[0], 2)
    }
    #[test]
    fn neighbours_become_a_bitmap() {
        check(80, &(0..80).collect::<Vec<_>>(), 11)
    }
    #[test]
    fn a_far_document_behind_near_ones() {
        check(1 << 20, &[0, 1, 2, (1 << 20) - 1], 16)
    }
    #[test]
    fn a_mean_gap_of_64_takes_about_8_bits() {
        check(64_000, &(0..1000).map(|doc| doc * 64 + doc % 50).collect::<Vec<_>>(), 1050);
    }

    #[test]
    fn random_lists_read_back() {
        let mut state = 1u64;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % u64::from(below)) as u32
        };
        for round in 0..2000 {
            let universe = 1 + random(1 << (1 + round % 16));
            let one_in = 1 + random(200);
            let docs: Vec<u32> = (0..universe).filter(|_| random(one_in) == 0).collect();
            let mut bytes = Vec::new();
            encode_list(docs.len() as u32, universe, docs.iter().copied(), &mut bytes);
            assert_eq!(read(&bytes, universe), Ok(docs), "round {round}");
        }
    }

    #[test]
    fn a_count_above_the_universe_is_refused() {
        assert!(matches!(read(&[9, 0, 0], 8), Err(DecodeError::Corrupt { want: 8, got: 9, .. })));
    }

    #[test]
    fn any_bytes_get_an_answer() {
        let mut state = 7u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let bytes = state.to_be_bytes();
            let _ = read(&bytes[..(state >> 60) as usize % 9], (state >> 20) as u32 % 100_000);
        }
    }
}

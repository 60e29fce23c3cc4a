//! The checksum of a document: CRC-64, as Go's ISO table has it.
//!
//! Its polynomial has few terms, x^64 + x^4 + x^3 + x + 1, and squaring keeps them few: modulo it
//! x^8192 = x^512 + x^384 + x^128 + 1. So a block of 1 KiB can be added to the one after it,
//! shifted by 0, 16, 48 and 64 bytes towards the front, and the sum is the same: the last block of
//! a document is all that needs divisions. Additions are XORs of whole vectors.
//!
//! Bytes:   docs/formats/zoekt.md, section *Sections*

use crc_fast::CrcAlgorithm;

/// Length of a block.
const BLOCK_LEN: usize = 1 << 10;
/// Number of words in a block.
const WORDS: usize = BLOCK_LEN / WORD_LEN;
const WORD_LEN: usize = size_of::<u64>();
/// The shifts, in words, beside that by none.
const SHIFTS: [usize; 3] = [2, 6, 8];
const SHIFT_MAX: usize = SHIFTS[2];
/// Number of words added at once: compilers make vectors of them.
const STEP: usize = 16;

/// Length from which blocks are added. On a processor without AVX-512, in GB/s, of contents in its
/// cache, divided throughout and added: 11.8 and 10.6 of 3 KB, 12.4 and 15.8 of 6 KB, 12.4 and 19.3
/// of 10 KB, 12.9 and 30.8 of 1 MB.
const ADDED_FROM: usize = 4 << 10;

/// The checksum of a document's stored content, as section *contentChecksums* holds it.
pub fn checksum(content: &[u8]) -> [u8; 8] {
    let sum = if content.len() < ADDED_FROM { divided(content) } else { added(content) };
    sum.to_be_bytes()
}

fn divided(content: &[u8]) -> u64 {
    crc_fast::checksum(CrcAlgorithm::Crc64GoIso, content)
}

fn added(content: &[u8]) -> u64 {
    let (blocks, tail) = content.as_chunks::<BLOCK_LEN>();
    let Some((first, rest)) = blocks.split_first() else { return divided(content) };
    // After the block's words there are as many that stay 0 as a shift may ask for.
    let mut words = [0; WORDS + SHIFT_MAX];
    add(&mut words, first);
    // A sum begins with its first 64 bits flipped, and so does that of what is left.
    words[0] ^= u64::MAX;
    rest.iter().for_each(|block| add(&mut words, block));
    words[0] ^= u64::MAX;
    let mut left = [0; 2 * BLOCK_LEN];
    for (bytes, word) in left.as_chunks_mut().0.iter_mut().zip(&words[..WORDS]) {
        *bytes = word.to_le_bytes();
    }
    left[BLOCK_LEN..][..tail.len()].copy_from_slice(tail);
    divided(&left[..BLOCK_LEN + tail.len()])
}

/// Adds a block of words to the block that follows it.
fn add(words: &mut [u64; WORDS + SHIFT_MAX], block: &[u8; BLOCK_LEN]) {
    // What is shifted to before the block that follows.
    for shift in SHIFTS {
        for index in 0..shift {
            words[WORDS - shift + index] ^= words[index];
        }
    }
    for (step, part) in block.as_chunks::<{ STEP * WORD_LEN }>().0.iter().enumerate() {
        let first = step * STEP;
        let mut own = [0; STEP + SHIFT_MAX];
        own.copy_from_slice(&words[first..][..STEP + SHIFT_MAX]);
        for (index, bytes) in part.as_chunks().0.iter().enumerate() {
            let shifted = SHIFTS.iter().fold(0, |sum, shift| sum ^ own[index + shift]);
            words[first + index] = own[index] ^ shifted ^ u64::from_le_bytes(*bytes);
        }
    }
}

/// The checksum of a name that zoekt makes the id of a shard of, where that has none: CRC-64 of
/// ECMA-182, as xz has it.
pub fn name_checksum(name: &[u8]) -> [u8; 8] {
    crc_fast::checksum(CrcAlgorithm::Crc64Xz, name).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, as the polynomial says.
    fn plain_checksum(content: &[u8]) -> [u8; 8] {
        let mut state = u64::MAX;
        for byte in content {
            state ^= u64::from(*byte);
            for _ in 0..8 {
                state =
                    if state & 1 == 1 { state >> 1 ^ 0xd800_0000_0000_0000 } else { state >> 1 };
            }
        }
        (!state).to_be_bytes()
    }

    #[test]
    fn checksums_are_those_of_the_polynomial() {
        let content: Vec<u8> = (0..20_000u32).map(|n| ((n * n) >> 3) as u8).collect();
        let lens = [0, 1, 7, 8, 63, 64, 65, 127, 128, 129, 256, 1000, 4095, 4096, 5000, 12_345];
        for len in lens {
            assert_eq!(checksum(&content[..len]), plain_checksum(&content[..len]), "{len}");
        }
        assert_eq!(checksum(b""), [0; 8]);
    }

    #[test]
    fn adding_gives_what_dividing_gives() {
        let content: Vec<u8> = (0..20_000u32).map(|n| (n.wrapping_pow(3) >> 5) as u8).collect();
        for (start, len) in (0..100).map(|n| (n, BLOCK_LEN + 173 * n)) {
            let own = &content[start..start + len];
            assert_eq!(added(own), divided(own), "{len} from {start}");
        }
        assert_eq!(added(&[0; 4 * BLOCK_LEN]), divided(&[0; 4 * BLOCK_LEN]));
    }
}

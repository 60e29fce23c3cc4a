//! Which of sixteen bytes equal one, by the instructions that every x86_64 has: 5 instead of 20.

/// A bit for each of the bytes that is `byte`.
#[inline(always)]
pub(super) fn equal(bytes: &[u8; 16], byte: u8) -> u32 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of every x86_64, and sixteen bytes are read where sixteen are.
    unsafe {
        use std::arch::x86_64::{
            _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8,
        };
        let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
        _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte.cast_signed()))) as u32
    }
    #[cfg(not(target_arch = "x86_64"))]
    plain(bytes, byte)
}

/// The same, byte by byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn plain(bytes: &[u8; 16], byte: u8) -> u32 {
    (0..16).map(|at| u32::from(bytes[at] == byte) << at).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_bit() {
        for seed in 0..2000u64 {
            let word = u128::from(crate::bytes::mix(seed, 1)) << 64
                | u128::from(crate::bytes::mix(seed, 2));
            // Few different bytes, so that several are equal; and signs.
            let bytes = word.to_le_bytes().map(|byte| byte & 0x83);
            for byte in [0, 1, 2, 3, 0x80, 0x81, 0x83, 0xff] {
                assert_eq!(equal(&bytes, byte), plain(&bytes, byte), "{bytes:?}, {byte}");
            }
        }
    }
}

//! LEB128 varints, written: the counterpart of [`Reader`](super::Reader).

/// The most bytes that a number takes.
pub const UVARINT_LEN_MAX: usize = 10;

/// Appends a LEB128 varint, lowest seven bits first, in the shortest form.
#[inline]
pub fn put_uvarint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes that [`put_uvarint`] appends for a number below 2^56, as a little-endian word of which the
/// first bytes count; and how many do. `None` for larger numbers.
///
/// Seven bits to a byte by halves, without a branch: 2 ns where a loop takes 1 ns a byte and a
/// misguess.
#[inline(always)]
pub fn uvarint_word(value: u64) -> Option<(u64, usize)> {
    if value >> 56 != 0 {
        return None;
    }
    let len = uvarint_len(value);
    let marks = 0x8080_8080_8080_8080 & ((1u64 << (8 * len - 8)) - 1);
    Some((spread(value) | marks, len))
}

/// The low 56 bits, seven in each byte.
#[inline]
fn spread(value: u64) -> u64 {
    let by_32 = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let by_16 = (by_32 & 0x0000_3fff_0000_3fff) | (by_32 & 0x0fff_c000_0fff_c000) << 2;
    (by_16 & 0x007f_007f_007f_007f) | (by_16 & 0x3f80_3f80_3f80_3f80) << 1
}

/// Appends a signed number: 0, -1, 1, -2 and so on are stored as the unsigned 0, 1, 2, 3.
#[inline]
pub fn put_varint(value: i64, out: &mut Vec<u8>) {
    put_uvarint(folded(value), out);
}

/// The unsigned number that stands for a signed one.
#[inline]
pub fn folded(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Number of bytes that [`put_uvarint`] appends.
#[inline]
pub fn uvarint_len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros()).div_ceil(7) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Reader;

    #[test]
    fn numbers_read_back_and_are_as_long_as_foretold() {
        let edges = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        for value in edges.chain([u64::MAX]) {
            let mut bytes = Vec::new();
            put_uvarint(value, &mut bytes);
            assert_eq!(bytes.len(), uvarint_len(value), "{value}");
            assert_eq!(Reader::new(&bytes, 0).uvarint("n"), Ok(value));
            let word = uvarint_word(value).map(|(word, len)| word.to_le_bytes()[..len].to_vec());
            assert_eq!(word, (value < 1 << 56).then(|| bytes.clone()), "{value}");
            for signed in [value as i64, (value as i64).wrapping_neg()] {
                bytes.clear();
                put_varint(signed, &mut bytes);
                assert_eq!(Reader::new(&bytes, 0).varint("n"), Ok(signed));
            }
        }
    }
}

//! Numbers in base 128, written: what [`Reader`](super::Reader) reads.

/// Appends a number in base 128, lowest seven bits first, in the shortest form.
#[inline]
pub fn put_uvarint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed number: 0, -1, 1, -2 and so on are stored as the unsigned 0, 1, 2, 3.
#[inline]
pub fn put_varint(value: i64, out: &mut Vec<u8>) {
    put_uvarint(((value << 1) ^ (value >> 63)) as u64, out);
}

/// How many bytes [`put_uvarint`] appends.
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
            for signed in [value as i64, (value as i64).wrapping_neg()] {
                bytes.clear();
                put_varint(signed, &mut bytes);
                assert_eq!(Reader::new(&bytes, 0).varint("n"), Ok(signed));
            }
        }
    }
}

//! Numbers in base 128, written in their shortest form. [`manicule_core::bytes::Reader`] reads them.
//!
//! Callers: all of this crate, engines/series

/// As `Reader::uvarint` reads it; at most ten bytes.
#[inline]
pub fn put_uvarint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// As `Reader::varint` reads it: 0, -1, 1, -2 are stored as 0, 1, 2, 3.
#[inline]
pub fn put_varint(bytes: &mut Vec<u8>, number: i64) {
    put_uvarint(bytes, ((number << 1) ^ (number >> 63)) as u64);
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_core::bytes::Reader;

    #[test]
    fn numbers_read_back() {
        for shift in 0..64 {
            for number in [1u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
                let mut bytes = Vec::new();
                put_uvarint(&mut bytes, number);
                put_varint(&mut bytes, number as i64);
                let mut reader = Reader::new(&bytes, 0);
                assert_eq!(reader.uvarint("n"), Ok(number));
                assert_eq!(reader.varint("n"), Ok(number as i64));
                assert!(reader.rest().is_empty());
            }
        }
    }
}

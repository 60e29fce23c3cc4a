//! Whole numbers in byte-comparable form: as many leading ones as bytes, and their complement for
//! negatives.
//!
//! Bytes:   docs/formats/sstable.md, "Byte-comparable keys"

use crate::vint::put_vint;

/// Numbers of up to this many bytes have the form of `bigint`.
const SHORT_LEN_MAX: usize = 6;

/// Appends a number of 64 bits: 1 to 9 bytes.
pub(super) fn put_bigint(number: i64, out: &mut Vec<u8>) {
    let negative = number < 0;
    let magnitude = (if negative { !number } else { number }) as u64;
    // Each byte has seven bits of the number, one in all is the sign's.
    let len = (64 - magnitude.leading_zeros() as usize) / 7 + 1;
    let start = out.len();
    if len >= 9 {
        out.push(0xff);
        out.extend_from_slice(&(magnitude | 1 << 63).to_be_bytes());
    } else {
        out.extend_from_slice(&magnitude.to_be_bytes()[8 - len..]);
        out[start] |= !(0xff_u32 >> len) as u8;
    }
    if negative {
        out[start..].iter_mut().for_each(|byte| *byte = !*byte);
    }
}

/// Appends a number of any length, in two's complement, perhaps padded.
pub(super) fn put_varint(value: &[u8], out: &mut Vec<u8>) {
    let sign = if value.first().is_some_and(|first| first & 0x80 != 0) { 0xff } else { 0 };
    // The sign is written on its own: even the byte of it that the value needs is left out.
    let padding = value.iter().take_while(|byte| **byte == sign).count();
    let value = &value[padding..];
    if value.len() <= SHORT_LEN_MAX {
        let append = |number, byte: &u8| number << 8 | i64::from(*byte);
        return put_bigint(value.iter().fold(i64::from(sign as i8), append), out);
    }
    out.push(!sign);
    let start = out.len();
    put_vint((value.len() - SHORT_LEN_MAX - 1) as u64, out);
    out[start..].iter_mut().for_each(|byte| *byte ^= sign);
    out.extend_from_slice(value);
}

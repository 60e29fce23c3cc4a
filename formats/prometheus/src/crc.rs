//! The checksum of every part of a block: CRC-32C (Castagnoli), stored big-endian.
//!
//! Callers: all of this crate

use manicule_core::bytes::{DecodeError, Reader};

/// The checksum of some bytes. One instruction for eight bytes where the processor has it.
#[inline]
pub fn crc32c(bytes: &[u8]) -> u32 {
    ::crc32c::crc32c(bytes)
}

/// The checksum of bytes that go on behind those whose checksum is `sum`; 0 is the checksum of none.
#[inline]
pub(crate) fn crc32c_append(sum: u32, bytes: &[u8]) -> u32 {
    ::crc32c::crc32c_append(sum, bytes)
}

/// Reads the checksum that follows `covered`, and compares.
#[inline]
pub(crate) fn check(
    what: &'static str,
    covered: &[u8],
    reader: &mut Reader<'_>,
) -> Result<(), DecodeError> {
    let at = reader.at();
    let want = reader.u32_be(what)?;
    let got = crc32c(covered);
    if want != got {
        return Err(DecodeError::Corrupt { what, at, want: want.into(), got: got.into() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_check_value_of_castagnoli() {
        assert_eq!(super::crc32c(b"123456789"), 0xe306_9283);
    }
}

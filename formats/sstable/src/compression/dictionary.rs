//! The dictionary of Zstandard after the offsets of chunks.
//!
//! Bytes:   u8 kind, i64 id, i32 length, bytes, u32 CRC-32C, docs/formats/sstable.md, CompressionInfo.db

use manicule_core::bytes::{DecodeError, Reader};

/// A dictionary that chunks of Zstandard are compressed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dictionary<'a> {
    /// Its id.
    pub id: i64,
    /// A trained dictionary with its header, or any bytes.
    pub bytes: &'a [u8],
}

impl<'a> Dictionary<'a> {
    /// Reads a dictionary, with which the file ends.
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let (what, at) = ("kind of the dictionary", reader.at());
        let kind = reader.u8(what)?;
        if kind != 0 {
            return Err(DecodeError::Corrupt { what, at, want: 0, got: kind.into() });
        }
        let id = reader.u64_be("id of the dictionary")?;
        let len = reader.u32_be("length of the dictionary")?;
        let bytes = reader.take("dictionary", len as usize)?;
        let (what, at) = ("dictionary", reader.at());
        let stored = reader.u32_be(what)?;
        // The id is summed with its bytes turned round.
        let sum = crc32c::crc32c_append(crc32c::crc32c(&[kind]), &id.to_le_bytes());
        let computed = crc32c::crc32c_append(sum, bytes);
        if stored != computed {
            return Err(DecodeError::Checksum { what, at, stored, computed });
        }
        let (extra, at) = (reader.rest().len() as u64, reader.at());
        if extra > 0 {
            let what = "end of the file";
            return Err(DecodeError::Corrupt { what, at, want: at, got: at + extra });
        }
        Ok(Dictionary { id: id as i64, bytes })
    }
}

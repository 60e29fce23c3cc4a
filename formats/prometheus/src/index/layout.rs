//! Layout of the index: the header, and the table of contents at the end.
//!
//! Bytes:   docs/formats/prometheus.md

use manicule_core::bytes::{DecodeError, Reader};

use crate::crc;

/// | 4 magic | 1 version |
pub const INDEX_MAGIC: [u8; 4] = [0xba, 0xaa, 0xd7, 0x00];

/// A series begins at a multiple of this, from version 2 on.
pub const SERIES_ALIGN: u64 = 16;

/// | 6 × 8 offsets of sections | 4 CRC |
pub const TOC_LEN: usize = 6 * size_of::<u64>() + size_of::<u32>();

/// Version of an index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Version {
    /// Offsets name symbols and series; tables are in no order.
    V1 = 1,
    /// The version that everybody writes.
    V2 = 2,
    /// Read as version 2; nobody writes it.
    V3 = 3,
}

/// Reads the header.
pub(super) fn header(bytes: &[u8]) -> Result<Version, DecodeError> {
    let mut reader = Reader::new(bytes, 0);
    let what = "index magic";
    let magic = reader.u32_be(what)?;
    let want = u32::from_be_bytes(INDEX_MAGIC);
    if magic != want {
        return Err(DecodeError::Corrupt { what, at: 0, want: want.into(), got: magic.into() });
    }
    let at = reader.at();
    match reader.u8("index version")? {
        1 => Ok(Version::V1),
        2 => Ok(Version::V2),
        3 => Ok(Version::V3),
        got => {
            let what = "index version (1 to 3 are known)";
            Err(DecodeError::Corrupt { what, at, want: 2, got: got.into() })
        }
    }
}

/// Offsets of the sections from the start of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Toc {
    /// The symbol table's length field.
    pub symbols: u64,
    /// The end of the symbols: the first series follows, aligned.
    pub series: u64,
    /// End of the series, before alignment; or the first of the legacy label indices.
    pub label_indices: u64,
    /// The legacy table of label indices; without one, the same as `postings_table`.
    pub label_indices_table: u64,
    /// Offset of the first posting list, before alignment to 4.
    pub postings: u64,
    /// The postings offset table's length field.
    pub postings_table: u64,
}

impl Toc {
    /// Reads the last bytes of an index.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let what = "table of contents";
        let Some(at) = bytes.len().checked_sub(TOC_LEN) else {
            let (need, have) = (TOC_LEN as u64, bytes.len() as u64);
            return Err(DecodeError::Short { what, at: 0, need, have });
        };
        let mut reader = Reader::new(&bytes[at..], at as u64);
        let covered = &bytes[at..bytes.len() - size_of::<u32>()];
        let toc = Toc {
            symbols: reader.u64_be(what)?,
            series: reader.u64_be(what)?,
            label_indices: reader.u64_be(what)?,
            label_indices_table: reader.u64_be(what)?,
            postings: reader.u64_be(what)?,
            postings_table: reader.u64_be(what)?,
        };
        crc::check("checksum of the table of contents", covered, &mut reader)?;
        Ok(toc)
    }

    /// The bytes of the table, checksum included.
    pub fn encode(&self) -> [u8; TOC_LEN] {
        let mut bytes = [0; TOC_LEN];
        let fields = [
            self.symbols,
            self.series,
            self.label_indices,
            self.label_indices_table,
            self.postings,
            self.postings_table,
        ];
        for (place, field) in bytes.chunks_exact_mut(size_of::<u64>()).zip(fields) {
            place.copy_from_slice(&field.to_be_bytes());
        }
        let covered = TOC_LEN - size_of::<u32>();
        let sum = crc::crc32c(&bytes[..covered]);
        bytes[covered..].copy_from_slice(&sum.to_be_bytes());
        bytes
    }
}

/// A section `| 4 len | len bytes | 4 CRC |` that begins at `at`: its bytes, checked, and where they begin.
pub(super) fn section<'a>(
    bytes: &'a [u8],
    at: u64,
    what: &'static str,
    sum: &'static str,
) -> Result<Reader<'a>, DecodeError> {
    let mut reader = reader_at(bytes, at, what)?;
    let len = reader.u32_be(what)?;
    let inner = reader;
    let covered = reader.take(what, len as usize)?;
    crc::check(sum, covered, &mut reader)?;
    Ok(Reader::new(covered, inner.at()))
}

/// A reader of what follows an offset.
pub(super) fn reader_at<'a>(
    bytes: &'a [u8],
    at: u64,
    what: &'static str,
) -> Result<Reader<'a>, DecodeError> {
    let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
    let have = bytes.len() as u64;
    let rest =
        rest.ok_or(DecodeError::Short { what, at, need: 1, have: have.saturating_sub(at) })?;
    Ok(Reader::new(rest, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_contents_reads_back() {
        let toc = Toc {
            symbols: 5,
            series: 62,
            label_indices: 151,
            label_indices_table: 284,
            postings: 151,
            postings_table: 284,
        };
        let mut bytes = toc.encode();
        assert_eq!(Toc::decode(&bytes), Ok(toc));
        bytes[9] ^= 1;
        assert!(Toc::decode(&bytes).is_err());
        assert!(Toc::decode(&bytes[1..]).is_err());
    }

    #[test]
    fn what_is_no_index_is_refused() {
        assert_eq!(header(&[0xba, 0xaa, 0xd7, 0, 2]), Ok(Version::V2));
        for wrong in [&[0xba, 0xaa, 0xd7, 0, 4][..], &[0xba, 0xaa, 0xd7, 0], b"OggS\x02", &[]] {
            assert!(header(wrong).is_err(), "{wrong:?}");
        }
    }
}

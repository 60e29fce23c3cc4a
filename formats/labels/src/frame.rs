//! The frame: a header, and sections each with its sum.
//!
//! Bytes:   docs/formats/labels.md, section Frame

use manicule_core::bytes::{DecodeError, Reader};

/// | 4 magic | 4 version |
pub const MAGIC: [u8; 4] = *b"MANL";

/// The only version there is.
pub const VERSION: u32 = 1;

/// Kind of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Store = 1,
    Alive = 2,
    Hidden = 3,
    Ids = 4,
    Names = 5,
    Values = 6,
    Sets = 7,
    Rows = 8,
    End = 9,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Store => "store",
            Kind::Alive => "alive",
            Kind::Hidden => "hidden",
            Kind::Ids => "ids",
            Kind::Names => "names",
            Kind::Values => "values",
            Kind::Sets => "sets",
            Kind::Rows => "rows",
            Kind::End => "end",
        }
    }
}

pub(crate) fn put_header(out: &mut Vec<u8>) {
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
}

/// | 1 kind | 8 len | len bytes | 4 CRC-32C of all these |
pub(crate) fn put_section(kind: Kind, out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.push(kind as u8);
    let len_at = out.len();
    out.extend_from_slice(&[0; 8]);
    let bytes_at = out.len();
    put(out);
    let len = (out.len() - bytes_at) as u64;
    out[len_at..bytes_at].copy_from_slice(&len.to_le_bytes());
    let sum = crc32c::crc32c(&out[start..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

pub(crate) fn header(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let what = "magic of a label store";
    let (want, got) = (u32::from_le_bytes(MAGIC), reader.u32_le(what)?);
    if want != got {
        return Err(DecodeError::Corrupt { what, at: 0, want: want.into(), got: got.into() });
    }
    let (what, at) = ("version of a label store", reader.at());
    let got = reader.u32_le(what)?;
    if got != VERSION {
        return Err(DecodeError::Corrupt { what, at, want: VERSION.into(), got: got.into() });
    }
    Ok(())
}

/// The next section, which has to be of a kind: its bytes, whose sum holds.
pub(crate) fn section<'a>(reader: &mut Reader<'a>, kind: Kind) -> Result<Reader<'a>, DecodeError> {
    let (start, all) = (reader.at(), reader.rest());
    let what = kind.name();
    let got = reader.u8(what)?;
    if got != kind as u8 {
        let (want, got) = (kind as u64, got.into());
        return Err(DecodeError::Corrupt { what: "kind of a section", at: start, want, got });
    }
    let len = reader.u64_le(what)?;
    let bytes_at = reader.at();
    let bytes = reader.take(what, usize::try_from(len).unwrap_or(usize::MAX))?;
    let covered = &all[..(reader.at() - start) as usize];
    let at = reader.at();
    let (stored, computed) = (reader.u32_le(what)?, crc32c::crc32c(covered));
    if stored != computed {
        return Err(DecodeError::Checksum { what: "checksum of a section", at, stored, computed });
    }
    Ok(Reader::new(bytes, bytes_at))
}

/// Refuses bytes after the end of a section's contents.
pub(crate) fn ended(reader: &Reader<'_>, what: &'static str) -> Result<(), DecodeError> {
    let got = reader.rest().len() as u64;
    if got > 0 {
        return Err(DecodeError::Corrupt { what, at: reader.at(), want: 0, got });
    }
    Ok(())
}

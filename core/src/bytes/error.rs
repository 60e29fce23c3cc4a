//! Errors of decoders, for bytes that contradict their format: what, where, wanted, got.

use std::borrow::Cow;
use std::fmt;

/// Bytes that contradict their format. Offsets count from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// Fewer bytes than the format says. The file was cut, or a length is wrong.
    Short {
        /// Name of what was being read.
        what: &'static str,
        /// Its offset.
        at: u64,
        /// Number of bytes needed.
        need: u64,
        /// The number found.
        have: u64,
    },
    /// A value that the format rules out.
    Corrupt {
        /// Name of what was being read.
        what: &'static str,
        /// Its offset.
        at: u64,
        /// The value, or the bound, that the format asks for.
        want: u64,
        /// The value that is there.
        got: u64,
    },
    /// A checksum that isn't that of the bytes it covers: one of the two was changed.
    Checksum {
        /// Name of the part that it is of.
        what: &'static str,
        /// Its offset.
        at: u64,
        /// The one that stands there.
        stored: u32,
        /// That of the bytes that are there.
        computed: u32,
    },
    /// Bytes of a file that is elsewhere, and that could not be brought: nothing is known of them.
    Unread {
        /// Their offset.
        at: u64,
        /// Their number.
        need: u64,
    },
}

impl DecodeError {
    /// Offset of the error.
    pub fn at(&self) -> u64 {
        match self {
            DecodeError::Short { at, .. }
            | DecodeError::Corrupt { at, .. }
            | DecodeError::Checksum { at, .. }
            | DecodeError::Unread { at, .. } => *at,
        }
    }

    /// Name of the part that was being read; of a checksum, that it is one.
    pub fn what(&self) -> Cow<'static, str> {
        match self {
            DecodeError::Checksum { what, .. } if !what.contains("checksum") => {
                format!("checksum of the {what}").into()
            }
            DecodeError::Short { what, .. }
            | DecodeError::Corrupt { what, .. }
            | DecodeError::Checksum { what, .. } => (*what).into(),
            DecodeError::Unread { .. } => "bytes that are elsewhere".into(),
        }
    }

    /// Whether it says nothing of the bytes, since they could not be brought.
    pub fn is_unread(&self) -> bool {
        matches!(self, DecodeError::Unread { .. })
    }

    /// The value that the format asks for, and the value found.
    pub fn want_and_got(&self) -> (String, String) {
        match self {
            DecodeError::Short { need, have, .. } => (format!("{need} bytes"), have.to_string()),
            DecodeError::Corrupt { want, got, .. } => (want.to_string(), got.to_string()),
            DecodeError::Checksum { stored, computed, .. } => {
                (format!("{stored:08x} (stored)"), format!("{computed:08x} (computed)"))
            }
            DecodeError::Unread { need, .. } => (format!("{need} bytes"), "none".to_owned()),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, at) = (self.what(), self.at());
        match self {
            DecodeError::Short { need, have, .. } => {
                write!(f, "{what} at offset {at}: {need} bytes needed, {have} there")
            }
            _ => {
                let (want, got) = self.want_and_got();
                write!(f, "{what} at offset {at}: wanted {want}, got {got}")
            }
        }
    }
}

impl std::error::Error for DecodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_told_in_hex_and_as_stored_and_computed() {
        let (stored, computed) = (0x0a1b_2c3d, 0xffff_0000);
        for (what, named) in
            [("symbol table", "checksum of the symbol table"), ("page checksum", "page checksum")]
        {
            let error = DecodeError::Checksum { what, at: 5, stored, computed };
            let want = "at offset 5: wanted 0a1b2c3d (stored), got ffff0000 (computed)";
            assert_eq!(error.to_string(), format!("{named} {want}"));
        }
    }
}

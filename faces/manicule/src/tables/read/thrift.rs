//! Thrift's compact protocol, as far as Parquet's footer and page headers need it: fields one after
//! the other, and what isn't asked for skipped.
//!
//! Bytes:   a struct is fields and a 0; a field | delta of its id << 4 + kind | (id: zigzag, of delta 0) | value |;
//!          a list is | count << 4 + kind | (count: LEB128, of 15) | values |
//!
//! It takes the same bytes for a value as the `parquet` library does, as what is checked here has
//! to be what is read there.

use std::io::Read;

/// Kinds of values.
pub(super) mod kind {
    pub(crate) const TRUE: u8 = 1;
    pub(crate) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(crate) const I32: u8 = 5;
    pub(crate) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(crate) const BINARY: u8 = 8;
    pub(crate) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const MAP: u8 = 11;
    pub(crate) const STRUCT: u8 = 12;
    pub(super) const UUID: u8 = 13;
}

/// How deep values that are skipped may lie in each other: as deep as the library skips them.
const DEPTH_MAX: u8 = 64;
/// Maximum number of elements of a list that is skipped. Those of no bytes at all would take time
/// that the file doesn't have in bytes.
const SKIPPED_COUNT_MAX: u64 = 1 << 24;

/// A field of a struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field {
    pub(super) id: i16,
    pub(super) kind: u8,
}

/// Values that are read one after the other.
pub(super) struct Compact<R> {
    source: R,
}

impl<R: Read> Compact<R> {
    pub(super) fn new(source: R) -> Self {
        Compact { source }
    }

    fn byte(&mut self) -> Result<u8, String> {
        let mut byte = [0];
        let read = self.source.read_exact(&mut byte);
        read.map_err(|error| format!("it can't be read to its end: {error}"))?;
        Ok(byte[0])
    }

    fn bytes(&mut self, len: u64) -> Result<(), String> {
        let read = std::io::copy(&mut self.source.by_ref().take(len), &mut std::io::sink());
        match read {
            Ok(read) if read == len => Ok(()),
            Ok(read) => Err(format!("it ends after {read} of {len} bytes of a value")),
            Err(error) => Err(format!("it can't be read to its end: {error}")),
        }
    }

    fn varint(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("a number of more than ten bytes".to_owned())
    }

    /// A number of 16, 32 or 64 bits.
    pub(super) fn int(&mut self) -> Result<i64, String> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The next field of a struct, or its end.
    pub(super) fn field(&mut self, last_id: i16) -> Result<Option<Field>, String> {
        let byte = self.byte()?;
        let (delta, kind) = (i16::from(byte >> 4), byte & 15);
        if kind == 0 {
            return Ok(None);
        }
        let id = match delta {
            0 => self.int()? as i16,
            _ => last_id.checked_add(delta).ok_or("a field after the last that there can be")?,
        };
        Ok(Some(Field { id, kind }))
    }

    /// Kind and number of a list's elements.
    pub(super) fn list(&mut self) -> Result<(u8, u64), String> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            15 => self.varint()?,
            count => u64::from(count),
        };
        Ok((byte & 15, count))
    }

    /// Calls `each` for every field of a struct; it takes the value.
    pub(super) fn each_field(
        &mut self,
        mut each: impl FnMut(&mut Self, Field) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut last_id = 0;
        while let Some(field) = self.field(last_id)? {
            each(self, field)?;
            last_id = field.id;
        }
        Ok(())
    }

    /// Skips a value.
    pub(super) fn skip(&mut self, kind: u8) -> Result<(), String> {
        self.skip_within(kind, DEPTH_MAX)
    }

    fn skip_within(&mut self, kind: u8, depth: u8) -> Result<(), String> {
        let deeper = depth.checked_sub(1).ok_or("values in values in values, too deep")?;
        match kind {
            kind::TRUE | kind::FALSE => Ok(()),
            kind::BYTE => self.bytes(1),
            kind::I16 | kind::I32 | kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.bytes(8),
            kind::BINARY => {
                let len = self.varint()?;
                self.bytes(len)
            }
            kind::LIST | kind::SET => {
                let (kind, count) = self.list()?;
                self.skip_elements(&[kind], count, deeper)
            }
            kind::MAP => match self.varint()? {
                0 => Ok(()),
                count => {
                    let kinds = self.byte()?;
                    self.skip_elements(&[kinds >> 4, kinds & 15], count, deeper)
                }
            },
            kind::STRUCT => {
                // Ids say nothing about what is skipped: all are deltas of 0.
                while let Some(field) = self.field(0)? {
                    self.skip_within(field.kind, deeper)?;
                }
                Ok(())
            }
            kind::UUID => self.bytes(16),
            other => Err(format!("a value of the kind {other}, which there isn't")),
        }
    }

    fn skip_elements(&mut self, kinds: &[u8], count: u64, depth: u8) -> Result<(), String> {
        if count > SKIPPED_COUNT_MAX {
            return Err(format!("a list of {count} elements"));
        }
        for _ in 0..count {
            for kind in kinds {
                self.skip_within(*kind, depth)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids and kinds of fields.
    type Fields<'f> = &'f [(i16, u8)];

    /// The fields, each of them skipped, and the number of bytes that are left.
    #[track_caller]
    fn check(bytes: &[u8], want: Result<(Fields<'_>, usize), &str>) {
        let (mut left, mut fields) = (bytes, Vec::new());
        let read = Compact::new(&mut left).each_field(|values, field| {
            fields.push((field.id, field.kind));
            values.skip(field.kind)
        });
        let got = read.map(|()| (&fields[..], left.len()));
        assert_eq!(got.as_ref().map_err(String::as_str), want.as_ref().map_err(|want| *want));
    }

    #[test]
    fn values_of_each_kind_are_skipped() {
        check(&[0, 9], Ok((&[], 1)));
        check(&[0x11, 0x12, 0], Ok((&[(1, 1), (2, 2)], 0)));
        check(
            &[0x13, 7, 0x14, 8, 0x15, 0x80, 1, 0x16, 0, 0],
            Ok((&[(1, 3), (2, 4), (3, 5), (4, 6)], 0)),
        );
        check(&[0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x18, 2, b'a', b'b', 0], Ok((&[(1, 7), (2, 8)], 0)));
        check(&[0x19, 0x25, 1, 2, 0x1a, 0xf1, 2, 0], Ok((&[(1, 9), (2, 10)], 0)));
        check(&[0x1b, 0, 0x1b, 1, 0x58, 1, 1, b'a', 0], Ok((&[(1, 11), (2, 11)], 0)));
        check(&[0x1c, 0x15, 0, 0x15, 0, 0, 0], Ok((&[(1, 12)], 0)));
        check(&[0x05, 0x80, 2, 1, 0], Ok((&[(128, 5)], 0)));
    }

    #[test]
    fn what_is_no_struct_is_an_error() {
        let end = "it can't be read to its end: failed to fill whole buffer";
        check(&[], Err(end));
        check(&[0x15], Err(end));
        check(&[0x18, 3, 0, 0], Err("it ends after 2 of 3 bytes of a value"));
        check(&[0x1e, 0], Err("a value of the kind 14, which there isn't"));
        check(&[&[0x15][..], &[0x80; 10]].concat(), Err("a number of more than ten bytes"));
        check(&[0x19, 0xf1, 0x80, 0x80, 0x80, 0x80, 1], Err("a list of 268435456 elements"));
        check(&[0x1c; 80], Err("values in values in values, too deep"));
        check(&[0x05, 0xfe, 0xff, 3, 0, 0x15, 0], Err("a field after the last that there can be"));
    }
}

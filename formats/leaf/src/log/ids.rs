//! Ids one after the other, as what each differs in from the one before of its tag.
//!
//! ```text
//! id: | varint 2 × change |, of the tag of the id before; or | varint 2 × tag + 1 | varint change |
//! change: payload less the last payload of this tag, zigzag: 0, -1, 1, -2 are 0, 1, 2, 3
//! ```
//!
//! Bytes:   docs/formats/leaf.md, section *log*

use manicule_core::bytes::{DecodeError, Reader, put_uvarint};

use crate::head::check_max;
use crate::id::{Id, Tag};

/// The ids before: the last payload of each tag, and which of them came last. A sequence begins
/// with the tag of IRIs, all payloads 0.
#[derive(Clone, Debug)]
pub(super) struct Before {
    /// Of the tags that have come: a place of quads has few.
    payloads: Vec<(Tag, u64)>,
    at: usize,
}

impl Before {
    pub(super) fn new() -> Self {
        Before { payloads: vec![(Tag::IRI, 0)], at: 0 }
    }

    /// Makes a tag the last one.
    fn turn_to(&mut self, tag: Tag) {
        let known = self.payloads.iter().position(|(known, _)| *known == tag);
        self.at = known.unwrap_or_else(|| {
            self.payloads.push((tag, 0));
            self.payloads.len() - 1
        });
    }

    /// Appends an id.
    pub(super) fn put(&mut self, id: Id, out: &mut Vec<u8>) {
        let tag = id.tag();
        let is_same = self.payloads[self.at].0 == tag;
        if !is_same {
            self.turn_to(tag);
        }
        let last = std::mem::replace(&mut self.payloads[self.at].1, id.payload());
        // Payloads have 56 bits: differences have 57, and twice that a bit more.
        let change = id.payload() as i64 - last as i64;
        let zigzag = ((change << 1) ^ (change >> 63)) as u64;
        if is_same {
            put_uvarint(zigzag << 1, out);
        } else {
            put_uvarint(u64::from(tag.0) << 1 | 1, out);
            put_uvarint(zigzag, out);
        }
    }

    /// Reads an id.
    pub(super) fn read(
        &mut self,
        what: &'static str,
        reader: &mut Reader<'_>,
    ) -> Result<Id, DecodeError> {
        let at = reader.at();
        let word = reader.uvarint(what)?;
        let zigzag = if word & 1 == 0 {
            word >> 1
        } else {
            check_max("tag of an id", at, u8::MAX.into(), word >> 1)?;
            self.turn_to(Tag((word >> 1) as u8));
            reader.uvarint(what)?
        };
        let change = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
        let (tag, last) = &mut self.payloads[self.at];
        let payload = last.wrapping_add_signed(change);
        check_max("payload of an id", at, Id::PAYLOAD_MAX, payload)?;
        *last = payload;
        Ok(Id::new(*tag, payload))
    }
}

//! A node of an on-disk trie: one of sixteen types in one page, its transitions and where its
//! payload begins.
//!
//! A node never crosses a page, and its children lie before it: so a node is read out of one page,
//! and a way down always ends.
//!
//! Bytes:   | type << 4 + payload bits | transitions | distances back to the children | payload |,
//!          docs/formats/sstable.md, "Tries"

use manicule_core::bytes::{DecodeError, Reader};

/// Length in bytes of a page: no node crosses from one to the next.
pub const TRIE_PAGE_LEN: u64 = 4096;

/// Bits of a distance in the nodes of each type; those of a leaf have none.
const DISTANCE_BITS: [u8; 16] = [0, 4, 8, 12, 16, 8, 12, 16, 24, 40, 12, 16, 24, 32, 40, 64];

/// One page of a trie's file.
#[derive(Clone, Copy, Debug)]
pub struct TriePage<'a> {
    /// Its number: its offset divided by [`TRIE_PAGE_LEN`].
    pub number: u64,
    /// Its bytes; the last page of a file is shorter.
    pub bytes: &'a [u8],
}

impl<'a> TriePage<'a> {
    /// The number of the page that holds an offset.
    pub fn number_of(at: u64) -> u64 {
        at / TRIE_PAGE_LEN
    }

    /// The page with a number, of a file that lies in memory; empty past its end.
    pub fn of(file: &'a [u8], number: u64) -> TriePage<'a> {
        let start = number.saturating_mul(TRIE_PAGE_LEN).min(file.len() as u64) as usize;
        let end = file.len().min(start + TRIE_PAGE_LEN as usize);
        TriePage { number, bytes: &file[start..end] }
    }
}

/// Bytes of a node's payload, which depend on the file: see
/// [`PartitionPayload`](super::PartitionPayload) and [`RowPayload`](super::RowPayload).
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    /// What the payload holds, 1 to 15.
    pub bits: u8,
    /// Its bytes and those after it, up to the end of the page.
    pub bytes: Reader<'a>,
}

/// A node: transitions to children, perhaps a payload.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// Offset of the node in its file.
    pub at: u64,
    /// Its type, 0 to 15.
    pub kind: u8,
    payload_bits: u8,
    transitions: Transitions<'a>,
    rest: Reader<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Transitions<'a> {
    None,
    One { byte: u8, distance: u64 },
    Sparse { bytes: &'a [u8], distances: &'a [u8], bits: u8 },
    Dense { first: u8, count: usize, distances: &'a [u8], bits: u8 },
}

/// A way from a node to a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The byte of the key that leads there.
    pub byte: u8,
    /// Offset of the child in the file.
    pub child: u64,
}

impl<'a> Node<'a> {
    /// The node at `at`, an offset in the file, of the page that holds it.
    pub fn open(page: TriePage<'a>, at: u64) -> Result<Node<'a>, DecodeError> {
        let (what, start) = ("node of a trie", page.number.saturating_mul(TRIE_PAGE_LEN));
        let inside = at.checked_sub(start).filter(|inside| *inside < page.bytes.len() as u64);
        let Some(inside) = inside else {
            let (need, have) = (1, 0);
            return Err(DecodeError::Short { what, at, need, have });
        };
        let mut r = Reader::new(&page.bytes[inside as usize..], at);
        let head = r.u8(what)?;
        let (kind, low) = (head >> 4, head & 15);
        let transitions = match kind {
            0 => Transitions::None,
            1..=4 => one(&mut r, kind, low)?,
            5..=9 => sparse(&mut r, kind)?,
            _ => dense(&mut r, kind)?,
        };
        // The low bits of types 1 and 3 are those of the distance: they have no payload.
        let payload_bits = if matches!(kind, 1 | 3) { 0 } else { low };
        let node = Node { at, kind, payload_bits, transitions, rest: r };
        if payload_bits == 0 && node.next(0)?.is_none() {
            let what = "payload of a trie's leaf";
            return Err(DecodeError::Corrupt { what, at, want: 1, got: 0 });
        }
        Ok(node)
    }

    /// Its payload, if it has one.
    pub fn payload(&self) -> Option<Payload<'a>> {
        let (bits, bytes) = (self.payload_bits, self.rest);
        (bits != 0).then_some(Payload { bits, bytes })
    }

    /// Number of places for children; in a dense node some may be empty.
    pub fn slot_count(&self) -> usize {
        match self.transitions {
            Transitions::None => 0,
            Transitions::One { .. } => 1,
            Transitions::Sparse { bytes, .. } => bytes.len(),
            Transitions::Dense { count, .. } => count,
        }
    }

    /// The transition in a slot below [`Node::slot_count`]; `None` where a dense node has no child.
    pub fn slot(&self, slot: usize) -> Result<Option<Transition>, DecodeError> {
        let (byte, distance) = match self.transitions {
            Transitions::None => return Ok(None),
            Transitions::One { byte, distance } => (byte, distance),
            Transitions::Sparse { bytes, distances, bits } => {
                (bytes[slot], distance_at(distances, bits, slot))
            }
            Transitions::Dense { first, distances, bits, .. } => {
                let distance = distance_at(distances, bits, slot);
                if distance == 0 {
                    return Ok(None);
                }
                (first + slot as u8, distance)
            }
        };
        let at = self.at;
        match at.checked_sub(distance).filter(|child| *child < at) {
            Some(child) => Ok(Some(Transition { byte, child })),
            None => {
                let what = "distance from a trie's node back to its child";
                Err(DecodeError::Corrupt { what, at, want: at, got: distance })
            }
        }
    }

    /// The first slot whose byte is not below `byte`; the number of slots where there is none.
    pub fn slot_from(&self, byte: u8) -> usize {
        match self.transitions {
            Transitions::None => 0,
            Transitions::One { byte: only, .. } => usize::from(only < byte),
            Transitions::Sparse { bytes, .. } => bytes.partition_point(|other| *other < byte),
            Transitions::Dense { first, count, .. } => {
                usize::from(byte.saturating_sub(first)).min(count)
            }
        }
    }

    /// The transition by a byte.
    pub fn child(&self, byte: u8) -> Result<Option<Transition>, DecodeError> {
        let slot = self.slot_from(byte);
        if slot == self.slot_count() {
            return Ok(None);
        }
        Ok(self.slot(slot)?.filter(|transition| transition.byte == byte))
    }

    /// The first transition from a slot on, and its slot.
    pub fn next(&self, from: usize) -> Result<Option<(usize, Transition)>, DecodeError> {
        for slot in from..self.slot_count() {
            if let Some(transition) = self.slot(slot)? {
                return Ok(Some((slot, transition)));
            }
        }
        Ok(None)
    }

    /// The last transition before a slot.
    pub fn last_before(&self, slot: usize) -> Result<Option<Transition>, DecodeError> {
        for slot in (0..slot).rev() {
            if let Some(transition) = self.slot(slot)? {
                return Ok(Some(transition));
            }
        }
        Ok(None)
    }
}

fn one<'a>(r: &mut Reader<'a>, kind: u8, low: u8) -> Result<Transitions<'a>, DecodeError> {
    let what = "node of a trie";
    // Twelve bits: four in the first byte, eight in the next one, before the transition.
    let high = if kind == 3 { Some(r.u8(what)?) } else { None };
    let byte = r.u8(what)?;
    let distance = match (kind, high) {
        (3, Some(high)) => u64::from(low) << 8 | u64::from(high),
        (2, _) => r.u8(what)?.into(),
        (4, _) => number(r.take(what, 2)?),
        _ => low.into(),
    };
    Ok(Transitions::One { byte, distance })
}

fn sparse<'a>(r: &mut Reader<'a>, kind: u8) -> Result<Transitions<'a>, DecodeError> {
    let (what, at) = ("node of a trie", r.at());
    let count = usize::from(r.u8(what)?);
    let bytes = r.take(what, count)?;
    if count == 0 || !bytes.is_sorted_by(|a, b| a < b) {
        let what = "order of a trie node's transitions";
        return Err(DecodeError::Corrupt { what, at, want: 1, got: 0 });
    }
    let bits = DISTANCE_BITS[usize::from(kind)];
    let distances = r.take(what, distances_len(bits, count))?;
    Ok(Transitions::Sparse { bytes, distances, bits })
}

fn dense<'a>(r: &mut Reader<'a>, kind: u8) -> Result<Transitions<'a>, DecodeError> {
    let (what, at) = ("node of a trie", r.at());
    let (first, count) = (r.u8(what)?, usize::from(r.u8(what)?) + 1);
    let room = 256 - usize::from(first);
    if count > room {
        let (what, want, got) = ("transitions of a dense node", room as u64, count as u64);
        return Err(DecodeError::Corrupt { what, at, want, got });
    }
    let bits = DISTANCE_BITS[usize::from(kind)];
    let distances = r.take(what, distances_len(bits, count))?;
    Ok(Transitions::Dense { first, count, distances, bits })
}

/// Distances of twelve bits are packed, two in three bytes; the last one of an odd count takes two.
fn distances_len(bits: u8, count: usize) -> usize {
    (count * usize::from(bits)).div_ceil(8)
}

fn distance_at(distances: &[u8], bits: u8, slot: usize) -> u64 {
    if bits == 12 {
        let start = slot * 3 / 2;
        let both = number(&distances[start..start + 2]);
        return if slot.is_multiple_of(2) { both >> 4 } else { both & 0xfff };
    }
    let len = usize::from(bits) / 8;
    number(&distances[slot * len..][..len])
}

/// A big-endian number of at most eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node of `bytes` at offset 4000, and its transitions as (byte, distance).
    fn check(bytes: &[u8], payload: Option<u8>, want: &[(u8, u64)]) {
        let mut page = vec![0; 4000];
        page.extend_from_slice(bytes);
        for number in [0, 1 << 40] {
            let at = number * TRIE_PAGE_LEN + 4000;
            let node = Node::open(TriePage { number, bytes: &page }, at).unwrap();
            assert_eq!(node.payload().map(|payload| payload.bits), payload, "{bytes:x?}");
            let mut got = Vec::new();
            let mut from = 0;
            while let Some((slot, Transition { byte, child })) = node.next(from).unwrap() {
                assert_eq!(node.child(byte), Ok(Some(Transition { byte, child })));
                got.push((byte, at - child));
                from = slot + 1;
            }
            assert_eq!(got, want, "{bytes:x?}");
            for byte in 0..=255 {
                let is_child = want.iter().any(|(other, _)| *other == byte);
                assert_eq!(node.child(byte).unwrap().is_some(), is_child, "{byte}");
                let before = want.iter().rfind(|(other, _)| *other < byte).map(|(byte, _)| *byte);
                let got = node.last_before(node.slot_from(byte)).unwrap();
                assert_eq!(got.map(|transition| transition.byte), before, "{byte}");
            }
        }
    }

    #[test]
    fn all_types_of_nodes_are_read() {
        check(&[0x09], Some(9), &[]);
        check(&[0x1c, b'a'], None, &[(b'a', 12)]);
        check(&[0x28, b'a', 200], Some(8), &[(b'a', 200)]);
        check(&[0x31, 0x02, b'a'], None, &[(b'a', 0x102)]);
        check(&[0x40, b'a', 1, 2], None, &[(b'a', 0x102)]);
        check(&[0x50, 2, b'a', b'c', 5, 6], None, &[(b'a', 5), (b'c', 6)]);
        let three = [(b'a', 0x123), (b'c', 0x456), (b'd', 0x789)];
        check(&[0x61, 3, b'a', b'c', b'd', 0x12, 0x34, 0x56, 0x78, 0x90], Some(1), &three);
        check(&[0x70, 2, b'a', b'c', 1, 2, 3, 4], None, &[(b'a', 0x102), (b'c', 0x304)]);
        check(&[0x80, 1, b'a', 0, 1, 2], None, &[(b'a', 0x102)]);
        check(&[0x90, 1, b'a', 0, 0, 0, 1, 2], None, &[(b'a', 0x102)]);
        let dense = [(b'a', 0x123), (b'c', 0x789)];
        check(&[0xa0, b'a', 2, 0x12, 0x30, 0x00, 0x78, 0x90], None, &dense);
        check(&[0xb0, b'a', 1, 0, 0, 1, 2], None, &[(b'b', 0x102)]);
        check(&[0xb3, b'a', 0, 0, 0], Some(3), &[]);
        check(&[0xc0, b'a', 0, 0, 1, 2], None, &[(b'a', 0x102)]);
        check(&[0xd0, b'a', 0, 0, 0, 1, 2], None, &[(b'a', 0x102)]);
        check(&[0xe0, b'a', 0, 0, 0, 0, 1, 2], None, &[(b'a', 0x102)]);
        check(&[0xf0, 255, 0, 0, 0, 0, 0, 0, 0, 1, 2], None, &[(255, 0x102)]);
    }

    #[test]
    fn damaged_nodes_are_refused() {
        let page = |bytes: &[u8]| {
            let page = [&[0; 10], bytes].concat();
            let node = Node::open(TriePage { number: 0, bytes: &page }, 10);
            node.and_then(|node| node.next(0)).unwrap_err().to_string()
        };
        let check = |bytes: &[u8], want: &str| assert_eq!(page(bytes), want);
        check(&[], "node of a trie at offset 10: 1 bytes needed, 0 there");
        check(&[0], "payload of a trie's leaf at offset 10: wanted 1, got 0");
        check(&[0xb0, 5, 0, 0, 0], "payload of a trie's leaf at offset 10: wanted 1, got 0");
        let child = "distance from a trie's node back to its child at offset 10";
        check(&[0x10, b'a'], &format!("{child}: wanted 10, got 0"));
        check(&[0x1b, b'a'], &format!("{child}: wanted 10, got 11"));
        check(&[0x50, 0], "order of a trie node's transitions at offset 11: wanted 1, got 0");
        check(
            &[0x50, 2, 7, 7, 1, 2],
            "order of a trie node's transitions at offset 11: wanted 1, got 0",
        );
        check(&[0x70, 2, 7, 8, 1, 2], "node of a trie at offset 14: 4 bytes needed, 2 there");
        check(&[0xb0, 255, 1], "transitions of a dense node at offset 11: wanted 1, got 2");
    }
}

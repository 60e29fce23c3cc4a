//! A group of terms: each but the first is the length that it shares with the one before, and the
//! rest of its bytes.
//!
//! The lengths lie before all bytes, so a term is found without the bytes of those before it, and
//! made of as few of them as it shares.
//!
//! Bytes:   | for each but the first | varint shared len | varint coded len | | coded bytes of each |, docs/formats/leaf.md

use manicule_core::bytes::{DecodeError, Reader};

use super::GROUP_TERMS;
use super::symbols::Symbols;

/// A group, its lengths read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<'a> {
    pub(super) head: &'a [u8],
    count: usize,
    /// What each shares with the one before; of the first nothing.
    shared: [u32; GROUP_TERMS],
    /// Where the coded bytes of each end.
    ends: [u32; GROUP_TERMS],
    codes: &'a [u8],
    symbols: Option<Symbols<'a>>,
    at: u64,
}

impl<'a> Group<'a> {
    pub(super) fn read(
        head: &'a [u8],
        bytes: &'a [u8],
        at: u64,
        count: usize,
        symbols: Option<Symbols<'a>>,
    ) -> Result<Self, DecodeError> {
        let (mut shared, mut ends) = ([0; GROUP_TERMS], [0; GROUP_TERMS]);
        let mut end = 0u64;
        let mut reader = Reader::new(bytes, at);
        // Nearly always each length takes a byte.
        let lens = bytes.get(..2 * count.saturating_sub(1)).unwrap_or_default();
        if lens.iter().fold(0, |all, byte| all | byte) < 0x80 && !lens.is_empty() {
            for (term, [len, coded]) in lens.as_chunks().0.iter().enumerate() {
                end += u64::from(*coded);
                (shared[term + 1], ends[term + 1]) = (u32::from(*len), end as u32);
            }
            reader.take("lengths of a group", lens.len())?;
        } else {
            for term in 1..count {
                let len = reader.uvarint("shared length of a term")?;
                shared[term] = u32::try_from(len).unwrap_or(u32::MAX);
                end = end.saturating_add(reader.uvarint("coded length of a term")?);
                ends[term] = u32::try_from(end).unwrap_or(u32::MAX);
            }
        }
        let (at, codes) = (reader.at(), reader.rest());
        if end != codes.len() as u64 {
            let (what, want, got) = ("coded bytes of a group", codes.len() as u64, end);
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        Ok(Group { head, count, shared, ends, codes, symbols, at })
    }

    fn codes_of(&self, term: usize) -> &'a [u8] {
        &self.codes[self.ends[term - 1] as usize..self.ends[term] as usize]
    }

    /// Appends what a term doesn't share with the one before it, or as much of that as is asked
    /// for.
    fn put_rest(&self, term: usize, len_max: usize, out: &mut Vec<u8>) {
        let codes = self.codes_of(term);
        match &self.symbols {
            Some(symbols) => symbols.decode(codes, len_max, out),
            None => out.extend_from_slice(&codes[..codes.len().min(len_max)]),
        }
    }

    /// Appends a term.
    pub(super) fn put(&self, term: usize, out: &mut Vec<u8>) -> Result<(), DecodeError> {
        if term == 0 {
            out.extend_from_slice(self.head);
            return Ok(());
        }
        let (start, parts) = (out.len(), Parts::between(&self.shared, 0, term));
        let Some(head) = self.head.get(..parts.need) else {
            return Err(self.too_long(term, parts.need, self.head.len()));
        };
        out.extend_from_slice(head);
        self.put_parts(&parts, term, start, out)
    }

    /// Makes a term of one before it, which lies in `text` from `start` on.
    pub(super) fn step(
        &self,
        from: usize,
        term: usize,
        start: usize,
        text: &mut Vec<u8>,
    ) -> Result<(), DecodeError> {
        if from == term {
            return Ok(());
        }
        let (have, parts) = (text.len() - start, Parts::between(&self.shared, from, term));
        if parts.need > have {
            return Err(self.too_long(term, parts.need, have));
        }
        text.truncate(start + parts.need);
        self.put_parts(&parts, term, start, text)
    }

    /// Appends what a term is made of after its first part.
    fn put_parts(
        &self,
        parts: &Parts,
        term: usize,
        start: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), DecodeError> {
        for (before, end) in parts.rest[..parts.count].iter().rev() {
            let have = out.len() - start;
            self.put_rest(*before, end.saturating_sub(have), out);
            if out.len() - start != *end {
                return Err(self.too_long(term, *end, out.len() - start));
            }
        }
        self.put_rest(term, usize::MAX, out);
        Ok(())
    }

    /// The first term that is not below `text`, given that the head is: its index, or the count;
    /// and whether it is the same.
    pub(super) fn lower_bound(&self, text: &[u8], rest: &mut Vec<u8>) -> (usize, bool) {
        let mut same = same_len(self.head, text);
        for term in 1..self.count {
            let shared = self.shared[term] as usize;
            // The terms before are below the text, and share `same` bytes with it. A term that
            // shares more with the one before differs from the text where that one does; one that
            // shares less is above both.
            if shared > same {
                continue;
            }
            if shared < same {
                return (term, false);
            }
            rest.clear();
            self.put_rest(term, usize::MAX, rest);
            let left = &text[same..];
            match rest.as_slice().cmp(left) {
                std::cmp::Ordering::Less => same += same_len(rest, left),
                order => return (term, order.is_eq()),
            }
        }
        (self.count, false)
    }

    fn too_long(&self, term: usize, need: usize, have: usize) -> DecodeError {
        debug_assert!(term < self.count);
        let (what, want, got) = ("shared length of a term, at most", have as u64, need as u64);
        DecodeError::Corrupt { what, at: self.at, want, got }
    }
}

/// The terms that the beginning of one is of: no byte of them is decoded that it doesn't share.
struct Parts {
    /// How much of the first of them.
    need: usize,
    /// The others, from the last to the first, each up to where the next one differs.
    rest: [(usize, usize); GROUP_TERMS],
    count: usize,
}

impl Parts {
    /// Those of a term that is made of one before it.
    fn between(shared: &[u32; GROUP_TERMS], from: usize, term: usize) -> Parts {
        let mut parts =
            Parts { need: shared[term] as usize, rest: [(0, 0); GROUP_TERMS], count: 0 };
        for before in (from + 1..term).rev() {
            let len = shared[before] as usize;
            if len < parts.need {
                parts.rest[parts.count] = (before, parts.need);
                parts.count += 1;
                parts.need = len;
            }
        }
        parts
    }
}

/// Number of bytes that two texts begin with both.
pub(super) fn same_len(left: &[u8], right: &[u8]) -> usize {
    let eights = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let same = 8 * eights.take_while(|(left, right)| left == right).count();
    same + left[same..].iter().zip(&right[same..]).take_while(|(left, right)| left == right).count()
}

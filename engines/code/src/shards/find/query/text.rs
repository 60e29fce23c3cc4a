//! Texts as Go's regexes read them: each byte that is no part of a rune reads as U+FFFD.

use std::cell::OnceCell;
use std::ops::Range;

use manicule_format_zoekt::{RUNE_ERROR, decode_rune};

use super::expr::Atom;

impl Atom {
    /// Whether it matches a short text somewhere.
    pub(super) fn matches(&self, text: &[u8]) -> bool {
        Text::new(text).is_match(self)
    }
}

/// A text, and what Go makes of it where it is not valid: each byte that is no part of a rune reads
/// as U+FFFD.
pub(super) struct Text<'t> {
    bytes: &'t [u8],
    read: OnceCell<Option<Read>>,
}

/// A text with bad bytes replaced.
struct Read {
    bytes: Vec<u8>,
    /// For each replacement its place in `bytes`, increasing; it stands for one byte and takes
    /// three.
    replaced: Vec<usize>,
}

impl<'t> Text<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Text { bytes, read: OnceCell::new() }
    }

    fn read(&self, atom: &Atom) -> Option<&Read> {
        if atom.is_plain {
            return None;
        }
        let read = || std::str::from_utf8(self.bytes).is_err().then(|| Read::of(self.bytes));
        self.read.get_or_init(read).as_ref()
    }

    pub(super) fn is_match(&self, atom: &Atom) -> bool {
        match self.read(atom) {
            None => atom.regex.is_match(self.bytes),
            Some(read) => atom.regex.is_match(&read.bytes),
        }
    }

    /// Hands over the places of all matches, in their order.
    pub(super) fn matches(&self, atom: &Atom, mut take: impl FnMut(Range<usize>)) {
        match self.read(atom) {
            None => atom.regex.find_iter(self.bytes).for_each(&mut take),
            Some(read) => {
                for found in atom.regex.find_iter(&read.bytes) {
                    if let Some(start) = read.place(found.start)
                        && let Some(end) = read.place(found.end)
                    {
                        take(start..end);
                    }
                }
            }
        }
    }

    /// The place of the first match.
    pub(super) fn first(&self, atom: &Atom) -> Option<Range<usize>> {
        match self.read(atom) {
            None => atom.regex.find(self.bytes),
            Some(read) => {
                let found = atom.regex.find(&read.bytes)?;
                Some(read.place(found.start)?..read.place(found.end)?)
            }
        }
    }
}

impl Read {
    fn of(text: &[u8]) -> Read {
        let mut read = Read { bytes: Vec::with_capacity(text.len() + 64), replaced: Vec::new() };
        let mut rest = text;
        while !rest.is_empty() {
            let (rune, len) = decode_rune(rest);
            if rune == RUNE_ERROR && len == 1 {
                read.replaced.push(read.bytes.len());
                read.bytes.extend_from_slice("\u{fffd}".as_bytes());
            } else {
                read.bytes.extend_from_slice(&rest[..len]);
            }
            rest = &rest[len..];
        }
        read
    }

    /// The place in the text of a place in what was read: two bytes less for each replacement
    /// before it. `None` within a replacement, where the empty text is found and no rune begins.
    fn place(&self, at: usize) -> Option<usize> {
        let before = self.replaced.partition_point(|replaced| *replaced < at);
        let last = before.checked_sub(1).map(|last| self.replaced[last]);
        let is_within = last.is_some_and(|last| at < last + char::REPLACEMENT_CHARACTER.len_utf8());
        (!is_within).then(|| at - 2 * before)
    }
}

#[cfg(test)]
mod tests {
    use super::super::expr::Query;
    use super::*;

    fn check(query: &str, text: &[u8], want: &[Range<usize>]) {
        let query = Query::parse(query).expect("a query");
        let (text, atom) = (Text::new(text), &query.atoms[0]);
        let mut matches = Vec::new();
        text.matches(atom, |found| matches.push(found));
        assert_eq!(matches, want);
        assert_eq!(text.first(atom).as_ref(), want.first());
    }

    #[test]
    fn bad_bytes_read_as_one_rune_each() {
        check("c:a.b", b"\xff a\xffb a\xe6\x97b a\xe6\x97\xa5b", &[2..5, 11..16]);
    }

    #[test]
    fn nothing_is_found_within_a_bad_byte() {
        check("c:x*", b"\xffax", &[0..0, 1..1, 2..3]);
    }
}

//! Evaluation of a query on a document: whether it matches, and where its words do.

use std::cell::OnceCell;
use std::ops::Range;

use manicule_format_zoekt::{RUNE_ERROR, decode_rune};
use memchr::{memchr, memmem, memrchr};

use super::super::files::OpenShard;
use super::super::run::{Document, Visit};
use super::answer::{Answer, Hear};
use super::expr::{Atom, Expr, Query};
use super::plan::is_language;
use crate::tree::Flow;

/// A visitor that judges documents, and reports those that match.
pub(super) struct Judge<'j> {
    query: &'j Query,
    hearer: Box<dyn Hear + 'j>,
    source_of: &'j (dyn Fn(&OpenShard<'_>) -> Option<usize> + Sync),
    matches: Vec<Range<usize>>,
    name_matches: Vec<Range<usize>>,
}

impl<'j> Judge<'j> {
    /// `source_of`: the atom of a shard whose matches all overlap the documents' places.
    pub(super) fn new(
        query: &'j Query,
        hearer: Box<dyn Hear + 'j>,
        source_of: &'j (dyn Fn(&OpenShard<'_>) -> Option<usize> + Sync),
    ) -> Self {
        Judge { query, hearer, source_of, matches: Vec::new(), name_matches: Vec::new() }
    }
}

impl Visit for Judge<'_> {
    fn document(&mut self, document: &Document<'_>) -> Flow {
        let source = match document.places {
            [] => None,
            _ => (self.source_of)(document.shard),
        };
        let case = Case::new(self.query, document, source);
        if !case.holds(&self.query.expr) {
            return Flow::Continue;
        }
        self.matches.clear();
        self.name_matches.clear();
        case.collect(&self.query.expr, &mut self.matches, &mut self.name_matches);
        settle(&mut self.matches);
        if self.matches.is_empty() {
            settle(&mut self.name_matches)
        } else {
            self.name_matches.clear()
        }
        self.hearer.answer(&Answer {
            document,
            matches: &self.matches,
            name_matches: &self.name_matches,
        })
    }

    fn range_end(&mut self, number: usize) {
        self.hearer.range_end(number);
    }
}

/// Puts matches in order, longer ones first; what overlaps one before it is dropped.
fn settle(matches: &mut Vec<Range<usize>>) {
    matches.sort_by(|left, right| left.start.cmp(&right.start).then(right.end.cmp(&left.end)));
    let mut end = 0;
    let mut last_start = None;
    matches.retain(|found| {
        let keeps = found.start >= end && last_start != Some(found.start);
        if keeps {
            end = found.end;
            last_start = Some(found.start);
        }
        keeps
    });
}

/// Facts known so far of one document.
struct Case<'c> {
    query: &'c Query,
    document: &'c Document<'c>,
    source: Option<usize>,
    content: Text<'c>,
    name: Text<'c>,
    in_content: Vec<OnceCell<bool>>,
    in_name: Vec<OnceCell<bool>>,
}

impl<'c> Case<'c> {
    fn new(query: &'c Query, document: &'c Document<'c>, source: Option<usize>) -> Self {
        let unknown = || vec![OnceCell::new(); query.atoms.len()];
        Case {
            query,
            document,
            source,
            content: Text::new(document.content),
            name: Text::new(document.name),
            in_content: unknown(),
            in_name: unknown(),
        }
    }

    fn holds(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(value) => *value,
            // Content is dear: what can be decided without it is asked first.
            Expr::All(parts) => {
                let (dear, cheap) = split(parts);
                cheap.into_iter().chain(dear).all(|part| self.holds(part))
            }
            Expr::Any(parts) => {
                let (dear, cheap) = split(parts);
                cheap.into_iter().chain(dear).any(|part| self.holds(part))
            }
            Expr::Not(inner) => !self.holds(inner),
            Expr::Language(name) => is_language(self.document.language(), name),
            Expr::Repository(regex) => {
                self.document.repository().is_some_and(|own| regex.is_match(&own.name.0))
            }
            Expr::Content(number) => {
                *self.in_content[*number].get_or_init(|| self.content_holds(*number))
            }
            Expr::Name(number) => *self.in_name[*number]
                .get_or_init(|| self.name.is_match(&self.query.atoms[*number])),
        }
    }

    /// The lines to look at: those that hold a place, or what each match holds; where that is
    /// enough.
    fn windows(&self, number: usize) -> Option<Windows<'c>> {
        let atom = &self.query.atoms[number];
        let content = self.document.content;
        let knows_places = self.source == Some(number)
            && atom.by_line
            && self.document.places.len() * WINDOW_LEN < content.len();
        let hits = match (&atom.rare, knows_places) {
            (_, true) => LineHits::Places(self.document.places),
            (Some(rare), false) => LineHits::Text(rare),
            (None, false) => return None,
        };
        Some(Windows { content, hits, at: 0 })
    }

    fn content_holds(&self, number: usize) -> bool {
        let atom = &self.query.atoms[number];
        match self.windows(number) {
            Some(mut windows) => {
                windows.any(|line| Text::new(&self.document.content[line]).is_match(atom))
            }
            None => self.content.is_match(atom),
        }
    }

    fn content_matches(&self, number: usize, matches: &mut Vec<Range<usize>>) {
        let atom = &self.query.atoms[number];
        match self.windows(number) {
            None => self.content.matches(atom, 0, matches),
            Some(windows) => {
                for line in windows {
                    let start = line.start;
                    Text::new(&self.document.content[line]).matches(atom, start, matches);
                }
            }
        }
    }

    /// The matches of all atoms that made the query true.
    fn collect(
        &self,
        expr: &Expr,
        matches: &mut Vec<Range<usize>>,
        name_matches: &mut Vec<Range<usize>>,
    ) {
        match expr {
            Expr::All(parts) | Expr::Any(parts) => {
                for part in parts.iter().filter(|part| self.holds(part)) {
                    self.collect(part, matches, name_matches);
                }
            }
            Expr::Content(number) => self.content_matches(*number, matches),
            Expr::Name(number) => {
                self.name.matches(&self.query.atoms[*number], 0, name_matches);
            }
            Expr::Const(_) | Expr::Not(_) | Expr::Language(_) | Expr::Repository(_) => {}
        }
    }
}

/// Splits parts into those that need the content and those that don't.
fn split(parts: &[Expr]) -> (Vec<&Expr>, Vec<&Expr>) {
    fn is_dear(part: &Expr) -> bool {
        match part {
            Expr::Content(_) => true,
            Expr::All(parts) | Expr::Any(parts) => parts.iter().any(is_dear),
            Expr::Not(inner) => is_dear(inner),
            _ => false,
        }
    }
    parts.iter().partition(|part| is_dear(part))
}

/// Distance of places below which the whole document is as cheap.
const WINDOW_LEN: usize = 256;

/// Hits that make a line worth a look.
enum LineHits<'w> {
    /// It holds one of these places.
    Places(&'w [u32]),
    /// It holds this text.
    Text(&'w memmem::Finder<'static>),
}

impl LineHits<'_> {
    /// The first place from `at` on.
    fn next(&mut self, content: &[u8], at: usize) -> Option<usize> {
        match self {
            LineHits::Text(finder) => finder.find(&content[at..]).map(|hit| at + hit),
            LineHits::Places(places) => loop {
                let (place, rest) = places.split_first()?;
                *places = rest;
                // Otherwise it is on a line before, or on its end.
                if *place as usize >= at {
                    return Some(*place as usize);
                }
            },
        }
    }
}

/// The lines that are worth a look, without their ends.
struct Windows<'w> {
    content: &'w [u8],
    hits: LineHits<'w>,
    at: usize,
}

impl Iterator for Windows<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let place = self.hits.next(self.content, self.at)?;
        let before = &self.content[self.at..place];
        let start = memrchr(b'\n', before).map_or(self.at, |newline| self.at + newline + 1);
        let after = &self.content[place..];
        let end = memchr(b'\n', after).map_or(self.content.len(), |newline| place + newline);
        self.at = (end + 1).min(self.content.len());
        Some(start..end)
    }
}

impl Atom {
    /// Whether it matches a short text somewhere.
    pub(super) fn matches(&self, text: &[u8]) -> bool {
        Text::new(text).is_match(self)
    }
}

/// A text, and what Go makes of it where it is not valid: each byte that is no part of a rune reads
/// as U+FFFD.
struct Text<'t> {
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
    fn new(bytes: &'t [u8]) -> Self {
        Text { bytes, read: OnceCell::new() }
    }

    fn read(&self, atom: &Atom) -> Option<&Read> {
        if atom.is_plain {
            return None;
        }
        let read = || std::str::from_utf8(self.bytes).is_err().then(|| Read::of(self.bytes));
        self.read.get_or_init(read).as_ref()
    }

    fn is_match(&self, atom: &Atom) -> bool {
        match self.read(atom) {
            None => atom.regex.is_match(self.bytes),
            Some(read) => atom.regex.is_match(&read.bytes),
        }
    }

    /// Adds the places of all matches, counted from `start`.
    fn matches(&self, atom: &Atom, start: usize, matches: &mut Vec<Range<usize>>) {
        match self.read(atom) {
            None => matches.extend(
                atom.regex
                    .find_iter(self.bytes)
                    .map(|found| start + found.start()..start + found.end()),
            ),
            Some(read) => matches.extend(atom.regex.find_iter(&read.bytes).filter_map(|found| {
                Some(start + read.place(found.start())?..start + read.place(found.end())?)
            })),
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
    use super::*;

    #[test]
    fn overlaps_are_dropped_from_the_left_longer_ones_first() {
        let mut matches = vec![4..6, 0..2, 1..3, 0..3, 3..3, 6..6];
        settle(&mut matches);
        assert_eq!(matches, [0..3, 3..3, 4..6, 6..6]);
    }

    #[test]
    fn bad_bytes_read_as_one_rune_each() {
        let query = Query::parse("c:a.b").expect("a query");
        let atom = &query.atoms[0];
        let text = Text::new(b"\xff a\xffb a\xe6\x97b a\xe6\x97\xa5b");
        let mut matches = Vec::new();
        text.matches(atom, 0, &mut matches);
        assert_eq!(matches, [2..5, 11..16]);
    }

    #[test]
    fn nothing_is_found_within_a_bad_byte() {
        let query = Query::parse("c:x*").expect("a query");
        let mut matches = Vec::new();
        Text::new(b"\xffax").matches(&query.atoms[0], 0, &mut matches);
        assert_eq!(matches, [0..0, 1..1, 2..3]);
    }

    #[test]
    fn windows_are_the_lines_of_the_places() {
        let content = b"ab\ncd\n\nef";
        let lines = |places: &[u32]| -> Vec<Range<usize>> {
            Windows { content, hits: LineHits::Places(places), at: 0 }.collect()
        };
        assert_eq!(lines(&[0, 1, 4]), [0..2, 3..5]);
        assert_eq!(lines(&[6, 8]), [6..6, 7..9]);
        assert_eq!(lines(&[2, 3]), [0..2, 3..5]);
    }
}

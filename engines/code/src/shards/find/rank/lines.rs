//! Lines of a text, and the lines that hold matches.

use std::ops::Range;

use manicule_format_zoekt::rune_count;
use memchr::memchr_iter;

use super::super::query::Found;
use super::shape::{Fragment, LineMatch, Location};

/// The lines of a text. They are counted from 0 here.
pub(super) struct Lines<'t> {
    text: &'t [u8],
    /// Offset of each line feed.
    newlines: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        Lines { text, newlines: memchr_iter(b'\n', text).collect() }
    }

    /// The line that an offset is in. A line's feed belongs to it.
    pub(super) fn at(&self, offset: usize) -> usize {
        self.newlines.partition_point(|newline| *newline < offset)
    }

    /// The last line; a text that ends in a line feed has an empty one after it.
    fn last(&self) -> usize {
        self.newlines.len()
    }

    pub(super) fn start(&self, line: usize) -> usize {
        line.checked_sub(1).map_or(0, |before| self.newlines[before] + 1)
    }

    /// End of a line, after its line feed.
    pub(super) fn end(&self, line: usize) -> usize {
        self.newlines.get(line).map_or(self.text.len(), |newline| newline + 1)
    }

    /// Place of some lines with their ends, and of those around them.
    pub(super) fn around(&self, lines: Range<usize>, context: usize) -> Range<usize> {
        let last = lines.end.saturating_add(context).min(self.last() + 1) - 1;
        self.start(lines.start.saturating_sub(context))..self.end(last)
    }

    /// The lines that hold a part of a match, without scores. A match over several lines is in each
    /// of them; an empty part is in none.
    pub(super) fn matches(&self, found: &[Found]) -> Vec<LineMatch> {
        let mut matches: Vec<LineMatch> = Vec::new();
        for one in found {
            let mut at = one.range.start;
            let mut line = self.at(at);
            while at < one.range.end {
                let end = self.newlines.get(line).copied().unwrap_or(self.text.len());
                let range = at..one.range.end.min(end);
                at = end + 1;
                line += 1;
                if range.is_empty() {
                    continue;
                }
                let fragment = Fragment { range, symbol: one.symbol, atom: one.atom };
                match matches.last_mut() {
                    Some(last) if last.number as usize == line => last.fragments.push(fragment),
                    _ => matches.push(LineMatch {
                        number: line as u32,
                        range: self.start(line - 1)..self.end(line - 1),
                        score: 0.0,
                        fragments: vec![fragment],
                    }),
                }
            }
        }
        matches
    }
}

/// Lines and columns of offsets that increase: each rune is counted once.
pub(super) struct Cursor<'l, 't> {
    lines: &'l Lines<'t>,
    /// The line of the last location, and that.
    line: usize,
    last: Location,
}

impl<'l, 't> Cursor<'l, 't> {
    pub(super) fn new(lines: &'l Lines<'t>) -> Self {
        Cursor { lines, line: 0, last: Location::START }
    }

    /// An offset in a line, or at its end.
    pub(super) fn location(&mut self, offset: usize, line: usize) -> Location {
        if line != self.line || offset < self.last.offset {
            let (offset, number) = (self.lines.start(line), line as u32 + 1);
            (self.line, self.last) = (line, Location { offset, line: number, column: 1 });
        }
        self.last.column += rune_count(&self.lines.text[self.last.offset..offset]) as u32;
        self.last.offset = offset;
        self.last
    }
}

/// A document's name as a line.
pub(super) fn name_match(fragments: Vec<Fragment>) -> LineMatch {
    LineMatch { number: 0, range: 0..0, score: 0.0, fragments }
}

/// The parts of matches in a name.
pub(super) fn name_fragments(found: &[Found]) -> Vec<Fragment> {
    let fragment =
        |one: &Found| Fragment { range: one.range.clone(), symbol: one.symbol, atom: one.atom };
    found.iter().filter(|one| !one.range.is_empty()).map(fragment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, found: &[Range<usize>], want: &[(u32, &str, &[&str])]) {
        let found: Vec<Found> = found
            .iter()
            .map(|range| Found { range: range.clone(), symbol: None, atom: 0 })
            .collect();
        let got = Lines::of(text.as_bytes()).matches(&found);
        let got: Vec<(u32, &str, Vec<&str>)> = got
            .iter()
            .map(|line| {
                let parts = line.fragments.iter().map(|part| &text[part.range.clone()]).collect();
                (line.number, &text[line.range.clone()], parts)
            })
            .collect();
        let want: Vec<(u32, &str, Vec<&str>)> =
            want.iter().map(|(number, line, parts)| (*number, *line, parts.to_vec())).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn matches_of_one_line_are_together() {
        check("ab\ncdcd\ne", &[3..4, 5..6, 8..9], &[(2, "cdcd\n", &["c", "c"]), (3, "e", &["e"])]);
    }

    #[test]
    fn a_match_over_lines_is_in_each() {
        let want: &[(u32, &str, &[&str])] =
            &[(1, "ab\n", &["b"]), (2, "cd\n", &["cd"]), (4, "e", &["e"])];
        check("ab\ncd\n\ne", &[1..7, 7..8], want);
    }

    #[test]
    fn empty_matches_and_line_ends_are_in_none() {
        check("ab\n\nc", &[0..0, 2..3, 3..4, 5..5], &[]);
    }

    #[test]
    fn locations_count_lines_and_runes() {
        let lines = Lines::of("é日\nab".as_bytes());
        assert_eq!((lines.at(5), lines.at(6)), (0, 1));
        let mut cursor = Cursor::new(&lines);
        for (offset, line, column) in
            [(2, 0, 2), (5, 0, 3), (6, 0, 4), (6, 1, 1), (7, 1, 2), (2, 0, 2)]
        {
            let want = Location { offset, line: line as u32 + 1, column };
            assert_eq!(cursor.location(offset, line), want);
        }
        assert_eq!((lines.around(1..2, 1), lines.around(0..1, 0)), (0..8, 0..6));
        assert_eq!(lines.around(1..2, usize::MAX), 0..8);
    }
}

//! Lines of a text, and the lines that hold matches.

use std::ops::Range;

use manicule_format_zoekt::rune_count;
use memchr::{memchr, memchr_iter, memrchr};

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

/// A line that holds parts of matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedLine {
    /// Counted from 1.
    pub number: u64,
    /// Its place, with its end.
    pub range: Range<usize>,
    /// The parts, increasing.
    pub parts: Vec<Part>,
}

/// Part of a match within a line, without the line's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its place in the text.
    pub range: Range<usize>,
    /// Index of the match.
    pub of: usize,
}

/// The lines that hold a part of a match. Matches increase and don't overlap; one over several
/// lines is in each of them; an empty part is in none.
pub fn matched_lines(
    text: &[u8],
    matches: impl Iterator<Item = Range<usize>>,
) -> impl Iterator<Item = MatchedLine> {
    let parts = matches.enumerate().map(|(of, range)| Part { range, of });
    let parts = parts.filter(|part| !part.range.is_empty());
    let mut walk = LineWalk { text, parts, rest: None, number: 1, start: 0 };
    std::iter::from_fn(move || {
        loop {
            let line = walk.line()?;
            // A line of which only the end matched shows nothing.
            if !line.parts.is_empty() {
                return Some(line);
            }
        }
    })
}

/// A walk over the lines of a text that matches touch.
struct LineWalk<'t, P> {
    text: &'t [u8],
    parts: P,
    /// What is left of the match at hand after the line before.
    rest: Option<Part>,
    /// Number and start of the line after that.
    number: u64,
    start: usize,
}

impl<P: Iterator<Item = Part>> LineWalk<'_, P> {
    fn line(&mut self) -> Option<MatchedLine> {
        let first = self.rest.take().or_else(|| self.parts.next())?;
        let at = first.range.start;
        let newline = memrchr(b'\n', &self.text[self.start..at]);
        let start = newline.map_or(self.start, |newline| self.start + newline + 1);
        let number = self.number + memchr_iter(b'\n', &self.text[self.start..start]).count() as u64;
        let newline = memchr(b'\n', &self.text[at..]).map(|newline| at + newline);
        let (text_end, end) =
            newline.map_or((self.text.len(), self.text.len()), |newline| (newline, newline + 1));
        (self.number, self.start) = (number + 1, end);
        let (mut parts, mut next) = (Vec::new(), Some(first));
        while let Some(Part { range, of }) = next {
            let own = range.start..range.end.min(text_end);
            if !own.is_empty() {
                parts.push(Part { range: own, of });
            }
            if range.end > end {
                self.rest = Some(Part { range: range.start.max(end)..range.end, of });
                break;
            }
            next = self.parts.next();
        }
        Some(MatchedLine { number, range: start..end, parts })
    }
}

/// The lines of matches, without scores.
pub(super) fn line_matches(text: &[u8], found: &[Found]) -> Vec<LineMatch> {
    let fragment = |Part { range, of }: Part| {
        let Found { symbol, atom, .. } = found[of];
        Fragment { range, symbol, atom }
    };
    let line = |MatchedLine { number, range, parts }: MatchedLine| {
        let fragments = parts.into_iter().map(fragment).collect();
        LineMatch { number: number as u32, range, score: 0.0, fragments }
    };
    matched_lines(text, found.iter().map(|found| found.range.clone())).map(line).collect()
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

    fn check(text: &str, matches: &[Range<usize>], want: &[(u64, &str, &[&str])]) {
        let got = matched_lines(text.as_bytes(), matches.iter().cloned());
        let got: Vec<(u64, &str, Vec<&str>)> = got
            .map(|line| {
                let parts = line.parts.iter().map(|part| &text[part.range.clone()]).collect();
                (line.number, &text[line.range], parts)
            })
            .collect();
        let want: Vec<(u64, &str, Vec<&str>)> =
            want.iter().map(|(number, line, parts)| (*number, *line, parts.to_vec())).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn matches_of_one_line_are_together() {
        check("ab\ncdcd\ne", &[3..4, 5..6, 8..9], &[(2, "cdcd\n", &["c", "c"]), (3, "e", &["e"])]);
    }

    #[test]
    fn a_match_over_lines_is_in_each() {
        let want: &[(u64, &str, &[&str])] =
            &[(1, "ab\n", &["b"]), (2, "cd\n", &["cd"]), (4, "e", &["e"])];
        check("ab\ncd\n\ne", &[1..7, 7..8], want);
    }

    #[test]
    fn empty_matches_and_line_ends_are_in_none() {
        check("ab\n\nc", &[0..0, 2..3, 3..4, 5..5], &[]);
        check("ab\nc", &[2..3, 3..4], &[(2, "c", &["c"])]);
        check("a\n\nb", &[0..3, 3..4], &[(1, "a\n", &["a"]), (3, "b", &["b"])]);
    }

    #[test]
    fn parts_name_their_matches() {
        let lines = matched_lines(b"ab\ncd", [0..0, 1..4, 4..5].into_iter());
        let parts: Vec<usize> = lines.flat_map(|line| line.parts).map(|part| part.of).collect();
        assert_eq!(parts, [1, 1, 2]);
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

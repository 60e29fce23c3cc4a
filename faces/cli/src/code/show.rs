//! Lines as people read them: ripgrep's headings, colours and context.

use std::ops::Range;

use manicule::code::search::{MatchedLine, matched_lines};
use memchr::{memchr, memrchr};

/// What is printed of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    Lines,
    Names,
    Counts,
    Json,
}

/// How lines are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) color: bool,
    /// The document's name stands once above its lines, which a blank one parts from the next
    /// document's.
    pub(super) heading: bool,
    /// Number of context lines before each that matches.
    pub(super) before: usize,
    pub(super) after: usize,
}

const PATH: &str = "\x1b[35m";
const NUMBER: &str = "\x1b[32m";
const MATCH: &str = "\x1b[1m\x1b[31m";
const PLAIN: &str = "\x1b[0m";

impl Style {
    /// One line for each that matches, and nothing else: for programs.
    pub(super) const PLAIN: Style = Style { color: false, heading: false, before: 0, after: 0 };

    /// What parts two documents.
    pub(super) fn between(&self, listing: Listing) -> &'static [u8] {
        match (listing, self.heading) {
            (Listing::Lines, true) => b"\n",
            (Listing::Lines, false) if self.has_context() => b"--\n",
            _ => b"",
        }
    }

    fn has_context(&self) -> bool {
        self.before > 0 || self.after > 0
    }

    fn put(&self, out: &mut Vec<u8>, color: &str, text: &[u8]) {
        if self.color && !text.is_empty() {
            out.extend([color.as_bytes(), text, PLAIN.as_bytes()].concat());
        } else {
            out.extend_from_slice(text);
        }
    }

    /// A document's name.
    pub(super) fn put_path(&self, out: &mut Vec<u8>, path: &[u8]) {
        self.put(out, PATH, path);
    }

    /// A document's name as a line, in which `matches` stand.
    pub(super) fn put_name(&self, out: &mut Vec<u8>, path: &[u8], matches: &[Range<usize>]) {
        let mut at = 0;
        for found in matches {
            self.put(out, PATH, &path[at..found.start]);
            self.put(out, MATCH, &path[found.clone()]);
            at = found.end;
        }
        self.put(out, PATH, &path[at..]);
        out.push(b'\n');
    }

    /// A document's lines that match and those around them. Where in `out` each ends, with those
    /// around it.
    pub(super) fn put_lines(
        &self,
        out: &mut Vec<u8>,
        path: &[u8],
        text: &[u8],
        matches: &[Range<usize>],
    ) -> Vec<usize> {
        let mut ends = Vec::new();
        if !self.has_context() {
            for line in matched_lines(text, matches.iter().cloned()) {
                self.put_line(out, path, text, &line, b':');
                ends.push(out.len());
            }
            return ends;
        }
        let lines: Vec<MatchedLine> = matched_lines(text, matches.iter().cloned()).collect();
        let mut shown_end = None;
        for (index, line) in lines.iter().enumerate() {
            let before = self.lines_before(text, line, shown_end.unwrap_or(0));
            let start = before.first().map_or(line.range.start, |first| first.range.start);
            if shown_end.is_some_and(|end| end < start) {
                out.extend_from_slice(b"--\n");
            }
            before.iter().for_each(|line| self.put_line(out, path, text, line, b'-'));
            self.put_line(out, path, text, line, b':');
            let until = lines.get(index + 1).map_or(text.len(), |next| next.range.start);
            let after = self.lines_after(text, line, until);
            after.iter().for_each(|line| self.put_line(out, path, text, line, b'-'));
            shown_end = Some(after.last().unwrap_or(line).range.end);
            ends.push(out.len());
        }
        ends
    }

    fn put_line(&self, out: &mut Vec<u8>, path: &[u8], text: &[u8], line: &MatchedLine, mark: u8) {
        if !self.heading {
            self.put_path(out, path);
            out.push(mark);
        }
        self.put(out, NUMBER, itoa::Buffer::new().format(line.number).as_bytes());
        out.push(mark);
        let mut at = line.range.start;
        for part in line.parts.iter().map(|part| &part.range).filter(|_| self.color) {
            out.extend_from_slice(&text[at..part.start]);
            self.put(out, MATCH, &text[part.clone()]);
            at = part.end;
        }
        out.extend_from_slice(&text[at..line.range.end]);
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
    }

    /// The lines before one, but for those that end before `from`.
    fn lines_before(&self, text: &[u8], line: &MatchedLine, from: usize) -> Vec<MatchedLine> {
        let mut lines = Vec::new();
        let mut end = line.range.start;
        while lines.len() < self.before && end > from {
            let start = memrchr(b'\n', &text[from..end - 1]).map_or(from, |at| from + at + 1);
            let number = line.number - 1 - lines.len() as u64;
            lines.push(MatchedLine { number, range: start..end, parts: Vec::new() });
            end = start;
        }
        lines.reverse();
        lines
    }

    /// The lines after one, up to `until`.
    fn lines_after(&self, text: &[u8], line: &MatchedLine, until: usize) -> Vec<MatchedLine> {
        let mut lines = Vec::new();
        let mut start = line.range.end;
        while lines.len() < self.after && start < until {
            let end = memchr(b'\n', &text[start..]).map_or(text.len(), |at| start + at + 1);
            let number = line.number + 1 + lines.len() as u64;
            lines.push(MatchedLine { number, range: start..end, parts: Vec::new() });
            start = end;
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matches of one byte each.
    #[track_caller]
    fn check(style: Style, text: &str, matches: &[usize], want: &str) {
        let matches: Vec<Range<usize>> = matches.iter().map(|at| *at..at + 1).collect();
        let mut out = Vec::new();
        let ends = style.put_lines(&mut out, b"f", text.as_bytes(), &matches);
        assert_eq!(String::from_utf8_lossy(&out), want);
        assert!(ends.is_sorted() && ends.last().is_none_or(|end| *end == out.len()), "{ends:?}");
    }

    const TEXT: &str = "a\nb\nc\nd\ne\nf\ng";

    #[test]
    fn lines_stand_with_their_neighbours() {
        let style = |before, after| Style { before, after, ..Style::PLAIN };
        check(Style::PLAIN, TEXT, &[4], "f:3:c\n");
        check(style(1, 0), TEXT, &[4], "f-2-b\nf:3:c\n");
        check(style(0, 2), TEXT, &[4], "f:3:c\nf-4-d\nf-5-e\n");
        check(style(9, 9), TEXT, &[4], "f-1-a\nf-2-b\nf:3:c\nf-4-d\nf-5-e\nf-6-f\nf-7-g\n");
        check(style(1, 1), TEXT, &[0, 4], "f:1:a\nf-2-b\nf:3:c\nf-4-d\n");
        check(style(0, 1), TEXT, &[0, 2, 12], "f:1:a\nf:2:b\nf-3-c\n--\nf:7:g\n");
        check(style(1, 0), TEXT, &[0, 12], "f:1:a\n--\nf-6-f\nf:7:g\n");
    }

    #[test]
    fn a_terminal_has_headings_and_colours() {
        let style = Style { color: true, heading: true, before: 0, after: 0 };
        let want = "\x1b[32m2\x1b[0m:b\x1b[1m\x1b[31mc\x1b[0md\n";
        check(style, "a\nbcd\n", &[3], want);
        let mut out = Vec::new();
        style.put_name(&mut out, b"ab", std::slice::from_ref(&(1..2)));
        assert_eq!(out, b"\x1b[35ma\x1b[0m\x1b[1m\x1b[31mb\x1b[0m\n");
    }
}

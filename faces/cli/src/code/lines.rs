//! From the places where a text matches to its lines.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

/// A line that holds matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Counted from 1.
    pub(super) number: u64,
    /// Where it lies, with its end.
    pub(super) range: Range<usize>,
    /// The parts of matches in it, without line ends: places in the text.
    pub(super) parts: Vec<Range<usize>>,
}

/// Hands over the lines that hold a part of a match. Matches rise and don't overlap; one over
/// several lines is in each of them; an empty one is in none.
pub(super) fn each_line(text: &[u8], matches: &[Range<usize>], mut take: impl FnMut(&Line)) {
    // A line of which only the end matched shows nothing.
    let mut take = |line: &Option<Line>| {
        line.iter().filter(|line| !line.parts.is_empty()).for_each(&mut take);
    };
    let mut line: Option<Line> = None;
    let (mut number, mut counted_len) = (1, 0);
    for found in matches {
        let mut at = found.start;
        while at < found.end {
            let is_same = line.as_ref().is_some_and(|line| at < line.range.end);
            if !is_same {
                take(&line);
                let from = line.as_ref().map_or(0, |line| line.range.end);
                let start =
                    memrchr(b'\n', &text[from..at]).map_or(from, |newline| from + newline + 1);
                number += memchr_iter(b'\n', &text[counted_len..start]).count() as u64;
                counted_len = start;
                let end = memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline + 1);
                line = Some(Line { number, range: start..end, parts: Vec::new() });
            }
            let own = line.as_mut().expect("it was just made");
            let has_end = text[own.range.clone()].ends_with(b"\n");
            let end = own.range.end - usize::from(has_end);
            let part = at..found.end.min(end);
            at = found.end.min(own.range.end);
            if !part.is_empty() {
                own.parts.push(part);
            }
        }
    }
    take(&line);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, matches: &[Range<usize>], want: &[(u64, &str, &[&str])]) {
        let mut got = Vec::new();
        each_line(text.as_bytes(), matches, |line| {
            let parts = line.parts.iter().map(|part| text[part.clone()].to_owned()).collect();
            got.push((line.number, text[line.range.clone()].to_owned(), parts));
        });
        let want: Vec<(u64, String, Vec<String>)> = want
            .iter()
            .map(|(number, line, parts)| {
                (*number, (*line).to_owned(), parts.iter().map(|part| (*part).to_owned()).collect())
            })
            .collect();
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
}

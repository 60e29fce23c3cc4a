//! Texts as the page shows them: cut, and with the places that match.

use std::ops::Range;

/// Bytes that are shown of a line.
const LEN_MAX: usize = 500;

/// Bytes that are shown before the first match of a line that is cut.
const LEN_BEFORE: usize = 80;

/// A text and the parts of it that match, in units of UTF-16, as the page's language counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) matches: Vec<[usize; 2]>,
}

/// A line, cut around its first match, in which bytes that are not UTF-8 are U+FFFD.
pub(super) fn line(bytes: &[u8], matches: &[Range<usize>]) -> Shown {
    let first = matches.first().map_or(0, |first| first.start);
    let is_cut_before = bytes.len() > LEN_MAX && first > LEN_MAX / 2;
    let start = if is_cut_before { boundary(bytes, first - LEN_BEFORE) } else { 0 };
    let end = boundary(bytes, bytes.len().min(start + LEN_MAX));
    let mut shown = Shown::default();
    let mut units = 0;
    let mut put = |text: &str| {
        let from = units;
        units += text.encode_utf16().count();
        shown.text.push_str(text);
        [from, units]
    };
    let mut at = start;
    put(if is_cut_before { "…" } else { "" });
    let mut marks = Vec::new();
    for found in matches {
        let (from, to) = (found.start.max(at), found.end.min(end));
        if from >= to {
            continue;
        }
        put(&String::from_utf8_lossy(&bytes[at..from]));
        marks.push(put(&String::from_utf8_lossy(&bytes[from..to])));
        at = to;
    }
    put(&String::from_utf8_lossy(&bytes[at..end]));
    put(if end < bytes.len() { "…" } else { "" });
    shown.matches = marks;
    shown
}

/// A line around a hit, cut.
pub(super) fn plain(bytes: &[u8]) -> String {
    line(bytes, &[]).text
}

/// The place or the one before it at which a character begins, or the text ends.
fn boundary(bytes: &[u8], mut at: usize) -> usize {
    let is_within = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    // No character has more bytes.
    let least = at.saturating_sub(3);
    while at > least && is_within(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line with matches from one byte to another.
    fn marked(bytes: &[u8], matches: &[[usize; 2]]) -> Shown {
        let ranges: Vec<Range<usize>> = matches.iter().map(|[from, to]| *from..*to).collect();
        line(bytes, &ranges)
    }

    #[track_caller]
    fn check(bytes: &[u8], matches: &[[usize; 2]], text: &str, marks: &[[usize; 2]]) {
        let shown = marked(bytes, matches);
        assert_eq!((shown.text.as_str(), &shown.matches[..]), (text, marks));
    }

    #[test]
    fn matches_are_counted_as_the_page_counts() {
        check(b"a lamp", &[[2, 6]], "a lamp", &[[2, 6]]);
        check("é lamp".as_bytes(), &[[3, 7]], "é lamp", &[[2, 6]]);
        check("😀 lamp".as_bytes(), &[[5, 9]], "😀 lamp", &[[3, 7]]);
        check(b"\xff lamp", &[[2, 6]], "\u{fffd} lamp", &[[2, 6]]);
        check(b"aXbX", &[[1, 2], [3, 4]], "aXbX", &[[1, 2], [3, 4]]);
        check(b"", &[], "", &[]);
        // One within another, and one beyond the end.
        check(b"abcd", &[[0, 3], [1, 2], [3, 9]], "abcd", &[[0, 3], [3, 4]]);
    }

    #[test]
    fn long_lines_are_cut_around_their_first_match() {
        let mut long = vec![b'x'; 2000];
        let shown = line(&long, &[]);
        assert_eq!((shown.text.chars().count(), shown.text.ends_with('…')), (LEN_MAX + 1, true));
        long[1000..1004].copy_from_slice(b"lamp");
        let shown = marked(&long, &[[1000, 1004]]);
        let units: Vec<u16> = shown.text.encode_utf16().collect();
        let [from, to] = shown.matches[0];
        assert_eq!(String::from_utf16(&units[from..to]).unwrap(), "lamp");
        assert!(shown.text.starts_with('…') && shown.text.ends_with('…'));
    }

    #[test]
    fn characters_are_not_cut_in_two() {
        let text = "é".repeat(600);
        assert!(!line(text.as_bytes(), &[]).text.contains('\u{fffd}'));
        let broken = [0x80; 900];
        assert_eq!(line(&broken, &[]).text.chars().filter(|char| *char == '\u{fffd}').count(), 497);
    }
}

//! The lines around a hit.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use manicule::find::{Hit, Line};

use super::shown::plain;

/// Number of lines before and after a hit.
const LINES: usize = 2;

/// Bytes before and after a line in which they are looked for.
const WINDOW_LEN: usize = 4 << 10;

/// Lines around a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Around {
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
}

/// The lines around one: of the document that is in memory, or of the hit's file. A file that can't
/// be read any more has none.
pub(super) fn around(hit: &Hit<'_>, line: &Line<'_>) -> Around {
    let Ok(offset) = usize::try_from(line.offset) else { return Around::default() };
    match hit.document {
        Some(text) => within(text, offset, line.text.len(), true),
        None => in_file(hit, line).unwrap_or_default(),
    }
}

fn in_file(hit: &Hit<'_>, line: &Line<'_>) -> io::Result<Around> {
    let mut file = File::open(hit.path)?;
    let start = line.offset.saturating_sub(WINDOW_LEN as u64);
    file.seek(SeekFrom::Start(start))?;
    let before = (line.offset - start) as usize;
    let mut bytes = Vec::new();
    let len = before + line.text.len() + WINDOW_LEN;
    file.take(len as u64).read_to_end(&mut bytes)?;
    Ok(within(&bytes, before, line.text.len(), start == 0))
}

/// The lines around one of a text; the first of the text is whole if it says so.
fn within(text: &[u8], at: usize, len: usize, starts_whole: bool) -> Around {
    let (Some(before), Some(after)) = (text.get(..at), text.get(at + len..)) else {
        return Around::default();
    };
    let mut before: Vec<&[u8]> = before
        .strip_suffix(b"\n")
        .map(|before| before.rsplit(is_end).collect())
        .unwrap_or_default();
    if !starts_whole {
        before.pop();
    }
    before.truncate(LINES);
    before.reverse();
    let after = after.strip_prefix(b"\r").unwrap_or(after);
    // What comes after the last line's end is no line.
    let after = after.strip_prefix(b"\n").map(|after| after.strip_suffix(b"\n").unwrap_or(after));
    let after = after.filter(|after| !after.is_empty());
    let after = after.into_iter().flat_map(|after| after.split(is_end)).take(LINES);
    Around { before: before.into_iter().map(plain).collect(), after: after.map(plain).collect() }
}

fn is_end(byte: &u8) -> bool {
    *byte == b'\n'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, line: &str, starts_whole: bool, before: &[&str], after: &[&str]) {
        let at = text.find(line).unwrap();
        let own = |texts: &[&str]| texts.iter().map(|own| (*own).to_owned()).collect();
        let wanted = Around { before: own(before), after: own(after) };
        assert_eq!(within(text.as_bytes(), at, line.len(), starts_whole), wanted);
    }

    #[test]
    fn two_lines_on_each_side_as_far_as_there_are_any() {
        check("a\nb\nc\nX\nd\ne\nf\n", "X", true, &["b", "c"], &["d", "e"]);
        check("X\nd", "X", true, &[], &["d"]);
        check("a\nX\n", "X", true, &["a"], &[]);
        check("X", "X", true, &[], &[]);
        check("\nX\n\n\n", "X", true, &[""], &["", ""]);
        // What is before the window isn't known.
        check("part\nb\nX\n", "X", false, &["b"], &[]);
        check("part\nX\n", "X", false, &[], &[]);
    }
}

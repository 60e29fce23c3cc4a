//! Lines of bounded length: what is longer is passed over, and never held.

use std::io::{self, BufRead};

/// A line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'l> {
    /// All of it.
    Whole(&'l [u8]),
    /// It is longer than lines may be.
    TooLong,
}

/// Lines of an input.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    len_max: usize,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R, len_max: usize) -> Self {
        Lines { input, len_max, line: Vec::new() }
    }

    /// The next line; `None` at the end. A last line without an end is one.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let (mut is_too_long, mut is_begun) = (false, false);
        loop {
            let bytes = match self.input.fill_buf() {
                Ok([]) if !is_begun => return Ok(None),
                Ok([]) => break,
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            is_begun = true;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            is_too_long |= self.line.len() + part.len() > self.len_max;
            if !is_too_long {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(Some(if is_too_long { Line::TooLong } else { Line::Whole(&self.line) }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn long_lines_are_passed_over_and_the_last_needs_no_end() {
        let input = BufReader::with_capacity(3, &b"ab\n\nabcdef\nabcde\nx"[..]);
        let mut lines = Lines::new(input, 5);
        for want in [
            Some(Line::Whole(b"ab")),
            Some(Line::Whole(b"")),
            Some(Line::TooLong),
            Some(Line::Whole(b"abcde")),
            Some(Line::Whole(b"x")),
            None,
        ] {
            assert_eq!(lines.next().unwrap(), want);
        }
        assert!(lines.line.capacity() <= 16, "what is too long is not held");
    }
}

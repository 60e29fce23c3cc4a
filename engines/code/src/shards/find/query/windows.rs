//! The lines of a document that are worth a look.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

/// Distance of places below which the whole document is as cheap.
pub(super) const WINDOW_LEN: usize = 256;

/// Hits that make a line worth a look.
pub(super) enum LineHits<'w> {
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
pub(super) struct Windows<'w> {
    content: &'w [u8],
    hits: LineHits<'w>,
    at: usize,
}

impl<'w> Windows<'w> {
    pub(super) fn new(content: &'w [u8], hits: LineHits<'w>) -> Self {
        Windows { content, hits, at: 0 }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_the_lines_of_the_places() {
        let content = b"ab\ncd\n\nef";
        let lines = |places: &[u32]| -> Vec<Range<usize>> {
            Windows::new(content, LineHits::Places(places)).collect()
        };
        assert_eq!(lines(&[0, 1, 4]), [0..2, 3..5]);
        assert_eq!(lines(&[6, 8]), [6..6, 7..9]);
        assert_eq!(lines(&[2, 3]), [0..2, 3..5]);
    }
}

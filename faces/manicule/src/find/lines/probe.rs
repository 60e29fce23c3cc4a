//! Whether any line of a piece of a file matches.

use std::io;

use grep_searcher::{BinaryDetection, Searcher, Sink, SinkMatch};
use memchr::memchr;

use super::source::Source;
use crate::find::matcher::Matcher;
use crate::find::reading::Reading;

/// Searcher of pieces.
#[derive(Debug)]
pub struct Probe {
    searcher: Searcher,
    minds_nul: bool,
}

impl Probe {
    /// For files that are read so.
    pub fn new(reading: &Reading) -> Probe {
        let minds_nul = reading.binary_detection(true) != BinaryDetection::none();
        Probe { searcher: reading.probe(), minds_nul }
    }

    /// `false` only when no line of the piece matches. Bytes that binary detection would treat in
    /// its own way count as a match, so that the search itself decides.
    pub fn may_match(&mut self, matcher: &Matcher, piece: &[u8]) -> bool {
        if self.minds_nul && memchr(0, piece).is_some() {
            return true;
        }
        // A byte order mark at the start of a piece would be stripped like one at the start of a
        // file.
        let marks = [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\xFE\xFF"];
        if marks.iter().any(|mark| piece.starts_with(mark)) {
            return true;
        }
        let mut first = First(false);
        // The searcher's only failures are of reading, and a slice is read already.
        let searched = Source::Slice(piece).search(&mut self.searcher, matcher, &mut first);
        searched.is_err() || first.0
    }
}

/// Stops at the first match.
struct First(bool);

impl Sink for First {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> io::Result<bool> {
        self.0 = true;
        Ok(false)
    }
}

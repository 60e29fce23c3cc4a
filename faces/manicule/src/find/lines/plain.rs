//! The common case, fast: text as it is, searched line by line.
//!
//! ripgrep's searcher is general: for plain lines much of its time goes into what the case does not
//! need, such as a decoder between file and buffer (two more reads for each file). Here a file is
//! read in windows that stay in the second-level cache, and lines are found as the searcher finds
//! them.
//!
//! Cases that it does not know are left to the searcher, from the file's start: a NUL, a byte order
//! mark, a line longer than the window.

use std::fs::File;
use std::io::{self, Read};
use std::ops::{ControlFlow, Range};

use grep_matcher::{LineMatchKind, LineTerminator, Matcher as _};
use grep_regex::RegexMatcher;
use grep_searcher::BinaryDetection;
use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::find::matcher::Matcher;
use crate::find::reading::{Coding, Reading};
use crate::find::search::Search;

/// Number of bytes read at once. Larger windows leave no second-level cache for anything else.
const WINDOW_LEN: usize = 64 << 10;

/// Finds lines file by file.
pub struct PlainLines {
    finder: Finder,
    with_number: bool,
    /// Whether a NUL leaves the decision to ripgrep's searcher.
    minds_nul: bool,
    window: Box<[u8]>,
}

/// Result of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searched {
    /// All its lines with a match were handed out.
    Lines,
    /// Unknown: the file has something that only the general way handles. Some of its lines may
    /// have been handed out.
    Unusual,
}

/// A line with a match.
#[derive(Clone, Copy, Debug)]
pub struct PlainLine<'l> {
    /// Its number, from 1, where numbers are wanted; else 0.
    pub number: u64,
    /// Byte offset of its beginning.
    pub offset: u64,
    /// The line with its end, which the last one may lack.
    pub bytes: &'l [u8],
}

impl PlainLines {
    /// The fast way for a search, if it can serve it.
    pub fn new(search: &Search, with_number: bool) -> Option<PlainLines> {
        #[allow(irrefutable_let_patterns, reason = "without PCRE2 there is no other engine")]
        let Some(Matcher::Rust(matcher)) = &search.matcher else { return None };
        let is_by_line = matcher.line_terminator() == Some(LineTerminator::byte(b'\n'));
        if !is_by_line || !is_plain(&search.reading) {
            return None;
        }
        Some(PlainLines {
            finder: Finder::new(search, matcher),
            with_number,
            minds_nul: search.reading.binary_detection(false) != BinaryDetection::none(),
            window: vec![0; WINDOW_LEN].into_boxed_slice(),
        })
    }

    /// Searches a file from its current position, which is its start, until `each` breaks.
    pub fn search(
        &mut self,
        mut file: &File,
        mut each: impl FnMut(PlainLine<'_>) -> ControlFlow<()>,
    ) -> io::Result<Searched> {
        let (mut filled, mut line_count, mut offset) = (0, 0, 0);
        loop {
            let end = filled + read(&mut file, &mut self.window[filled..])?;
            let has_nul = self.minds_nul && memchr(0, &self.window[filled..end]).is_some();
            if has_nul || (offset == 0 && has_mark(&self.window[..end])) {
                return Ok(Searched::Unusual);
            }
            let is_last = end < self.window.len();
            let whole = match memrchr(b'\n', &self.window[..end]) {
                _ if is_last => end,
                Some(newline) => newline + 1,
                None => return Ok(Searched::Unusual),
            };
            let text = &self.window[..whole];
            let mut lines = Counter { text, line_count, counted_len: 0 };
            let mut at = 0;
            while let Some(line) = self.finder.next_line(text, at) {
                at = line.end;
                let number = if self.with_number { lines.before(line.start) + 1 } else { 0 };
                let offset = offset + line.start as u64;
                if each(PlainLine { number, offset, bytes: &text[line] }).is_break() {
                    return Ok(Searched::Lines);
                }
            }
            if is_last {
                return Ok(Searched::Lines);
            }
            if self.with_number {
                line_count = lines.before(whole);
            }
            offset += whole as u64;
            self.window.copy_within(whole..end, 0);
            filled = end - whole;
        }
    }

    /// Searches a text in memory, until `each` breaks. If `places` are given, each match shares its
    /// line with one of them.
    pub fn search_text(
        &mut self,
        text: &[u8],
        places: &[u32],
        mut each: impl FnMut(PlainLine<'_>) -> ControlFlow<()>,
    ) -> Searched {
        if has_mark(text) {
            return Searched::Unusual;
        }
        let mut lines = Counter { text, line_count: 0, counted_len: 0 };
        let (mut at, mut places_left) = (0, places);
        loop {
            let line = match places {
                [] => self.finder.next_line(text, at),
                _ => self.finder.next_line_at(text, at, &mut places_left),
            };
            let Some(line) = line else { return Searched::Lines };
            // A text without a match need not be looked through for a NUL.
            if at == 0 && self.minds_nul && memchr(0, text).is_some() {
                return Searched::Unusual;
            }
            at = line.end;
            let number = if self.with_number { lines.before(line.start) + 1 } else { 0 };
            let offset = line.start as u64;
            if each(PlainLine { number, offset, bytes: &text[line] }).is_break() {
                return Searched::Lines;
            }
        }
    }
}

/// Whether the bytes of a file are looked at as they are, line by line, for matches.
fn is_plain(reading: &Reading) -> bool {
    matches!(reading.coding, Coding::Auto)
        && !(reading.multiline || reading.null_data || reading.crlf)
        && !(reading.invert || reading.stop_on_nonmatch)
        && reading.matches_max.is_none()
}

/// Way to find a line with a match.
enum Finder {
    /// Every line that holds this text matches, and no other.
    Text(memmem::Finder<'static>),
    /// The matcher decides.
    Regex(RegexMatcher),
}

impl Finder {
    fn new(search: &Search, matcher: &RegexMatcher) -> Finder {
        let has_boundary = search.patterns.boundary.is_some();
        match search.text().filter(|text| !text.is_empty() && !has_boundary) {
            Some(text) => Finder::Text(memmem::Finder::new(&text).into_owned()),
            None => Finder::Regex(matcher.clone()),
        }
    }

    /// The first line with a match from the line that begins at `at` on.
    fn next_line(&self, text: &[u8], mut at: usize) -> Option<Range<usize>> {
        while at < text.len() {
            let (hit, is_sure) = match self {
                Finder::Text(finder) => (finder.find(&text[at..])?, true),
                Finder::Regex(matcher) => match matcher.find_candidate_line(&text[at..]) {
                    Ok(Some(LineMatchKind::Confirmed(hit))) => (hit, true),
                    Ok(Some(LineMatchKind::Candidate(hit))) => (hit, false),
                    Ok(None) => return None,
                    Err(never) => panic!("{never}"),
                },
            };
            let start = memrchr(b'\n', &text[at..at + hit]).map_or(at, |newline| at + newline + 1);
            let after = at + hit;
            let end =
                memchr(b'\n', &text[after..]).map_or(text.len(), |newline| after + newline + 1);
            // An empty match after the last line is in no line.
            if start == text.len() {
                return None;
            }
            if is_sure || self.confirms(&text[start..end]) {
                return Some(start..end);
            }
            at = end;
        }
        None
    }

    /// The first line with a match from the line that begins at `at` on, of those that hold a
    /// place; takes the places that it has looked at.
    fn next_line_at(
        &self,
        text: &[u8],
        mut at: usize,
        places: &mut &[u32],
    ) -> Option<Range<usize>> {
        while let Some((place, rest)) = places.split_first() {
            *places = rest;
            let place = *place as usize;
            if place < at {
                continue;
            }
            let start = memrchr(b'\n', &text[at..place]).map_or(at, |newline| at + newline + 1);
            let end =
                memchr(b'\n', &text[place..]).map_or(text.len(), |newline| place + newline + 1);
            at = end;
            if self.confirms(&text[start..end]) {
                return Some(start..end);
            }
        }
        None
    }

    fn confirms(&self, line: &[u8]) -> bool {
        match self {
            Finder::Text(finder) => finder.find(line).is_some(),
            Finder::Regex(matcher) => {
                matcher.is_match(line.strip_suffix(b"\n").unwrap_or(line)).unwrap_or(false)
            }
        }
    }
}

/// Counts the lines of a text up to the positions asked for, looking at each byte once.
struct Counter<'t> {
    text: &'t [u8],
    line_count: u64,
    counted_len: usize,
}

impl Counter<'_> {
    /// Number of lines that end before `at`, which increases from call to call.
    fn before(&mut self, at: usize) -> u64 {
        self.line_count += memchr_iter(b'\n', &self.text[self.counted_len..at]).count() as u64;
        self.counted_len = at;
        self.line_count
    }
}

/// Reads until the buffer is full or the file ends: a regular file gives less than was asked for
/// only at its end.
fn read(file: &mut &File, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Whether a text begins with a byte order mark, of UTF-8 or UTF-16.
fn has_mark(text: &[u8]) -> bool {
    matches!(text, [0xef, 0xbb, 0xbf, ..] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

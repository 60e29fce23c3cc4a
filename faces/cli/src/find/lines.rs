//! The common case, fast: lines of text, with path and number, without colour, context or anything
//! else.
//!
//! ripgrep's searcher and printer are general; for `path:number:line` most of their time goes into
//! what the case does not need: a decoder between file and buffer (two more reads for each file),
//! and for each file with a match a path made absolute for hyperlinks that are not printed (seven
//! `readlink`s). Here a file is read in windows that stay in the second-level cache, lines are
//! found as the searcher finds them, and are written as the printer writes them.
//!
//! Cases that it does not know are left to them, from the file's start: a NUL, a byte order mark, a
//! line longer than the window. They are its twin in the tests, and in every differential run
//! against ripgrep.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use grep_matcher::{LineMatchKind, LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::BinaryDetection;
use memchr::{memchr, memchr_iter, memmem, memrchr};

use super::call::Call;
use crate::flags::{Coding, Context, Find, Mode};

/// Number of bytes read at once. Larger windows leave no second-level cache for anything else.
const WINDOW_LEN: usize = 64 << 10;

/// Finds and writes the lines file by file.
pub(crate) struct Lines {
    finder: Finder,
    with_path: bool,
    with_number: bool,
    /// Separator between path, number and line.
    separator: Vec<u8>,
    /// Whether a NUL leaves the decision to ripgrep's searcher.
    minds_nul: bool,
    window: Box<[u8]>,
    /// The lines of the file that was searched last.
    out: Vec<u8>,
}

/// Result of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// All its lines with a match are in [`Lines::out`].
    Lines,
    /// Unknown: the file has something that only the general way handles.
    Unusual,
}

impl Lines {
    /// The fast way for a call, if it can serve it.
    pub(crate) fn new(call: &Call, matcher: &RegexMatcher) -> Option<Lines> {
        let is_by_line = matcher.line_terminator() == Some(LineTerminator::byte(b'\n'));
        if !is_by_line || !wants_plain_lines(call) || !takes_files_as_they_are(call) {
            return None;
        }
        let separator = call.options.field_match_separator.clone();
        Some(Lines {
            finder: Finder::new(call, matcher),
            with_path: call.with_filename,
            with_number: call.line_number,
            separator: separator.unwrap_or_else(|| b":".to_vec()),
            minds_nul: call.binary_detection(false) != BinaryDetection::none(),
            window: vec![0; WINDOW_LEN].into_boxed_slice(),
            out: Vec::new(),
        })
    }

    /// The lines found by the last search, as they are printed.
    pub(crate) fn out(&self) -> &[u8] {
        &self.out
    }

    /// Searches a file from its current position, which is its start.
    pub(crate) fn search(&mut self, mut file: &File, path: &Path) -> io::Result<Found> {
        self.out.clear();
        let mut head = Vec::new();
        if self.with_path {
            head.extend_from_slice(path.as_os_str().as_bytes());
            head.extend_from_slice(&self.separator);
        }
        let (mut filled, mut line_count, mut is_first) = (0, 0, true);
        loop {
            let end = filled + read(&mut file, &mut self.window[filled..])?;
            let has_nul = self.minds_nul && memchr(0, &self.window[filled..end]).is_some();
            if has_nul || (is_first && has_mark(&self.window[..end])) {
                return Ok(Found::Unusual);
            }
            let is_last = end < self.window.len();
            let whole = match memrchr(b'\n', &self.window[..end]) {
                _ if is_last => end,
                Some(newline) => newline + 1,
                None => return Ok(Found::Unusual),
            };
            line_count = self.search_window(whole, &head, line_count, is_last);
            if is_last {
                return Ok(Found::Lines);
            }
            self.window.copy_within(whole..end, 0);
            filled = end - whole;
            is_first = false;
        }
    }

    /// Searches a text in memory. If `places` are given, each match shares its line with one of
    /// them.
    pub(crate) fn search_text(&mut self, text: &[u8], path: &Path, places: &[u32]) -> Found {
        self.out.clear();
        if has_mark(text) {
            return Found::Unusual;
        }
        let mut lines = Counter { text, line_count: 0, counted_len: 0 };
        let (mut at, mut places_left) = (0, places);
        loop {
            let line = match places {
                [] => self.finder.next_line(text, at),
                _ => self.finder.next_line_at(text, at, &mut places_left),
            };
            let Some(line) = line else { return Found::Lines };
            // A text without a match need not be looked through for a NUL.
            if at == 0 && self.minds_nul && memchr(0, text).is_some() {
                return Found::Unusual;
            }
            at = line.end;
            if self.with_path {
                self.out.extend_from_slice(path.as_os_str().as_bytes());
                self.out.extend_from_slice(&self.separator);
            }
            let number = self.with_number.then(|| lines.before(line.start) + 1);
            write_line(&text[line], number, &self.separator, &mut self.out);
        }
    }

    /// Writes every line with a match of the window's first `len` bytes, before which there were
    /// `line_count` lines.
    /// Returns the number of lines up to its end, or any number if it won't be needed.
    fn search_window(&mut self, len: usize, head: &[u8], line_count: u64, is_last: bool) -> u64 {
        let text = &self.window[..len];
        let mut lines = Counter { text, line_count, counted_len: 0 };
        let mut at = 0;
        while let Some(line) = self.finder.next_line(text, at) {
            at = line.end;
            self.out.extend_from_slice(head);
            let number = self.with_number.then(|| lines.before(line.start) + 1);
            write_line(&text[line], number, &self.separator, &mut self.out);
        }
        if self.with_number && !is_last { lines.before(len) } else { 0 }
    }
}

/// Writes a line, its number in front if there is one, and an end if it has none.
fn write_line(line: &[u8], number: Option<u64>, separator: &[u8], out: &mut Vec<u8>) {
    if let Some(number) = number {
        out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        out.extend_from_slice(separator);
    }
    out.extend_from_slice(line);
    if !out.ends_with(b"\n") {
        out.push(b'\n');
    }
}

/// Whether the call prints nothing but lines, with or without path and number.
fn wants_plain_lines(call: &Call) -> bool {
    let options = &call.options;
    call.mode == Mode::Search(Find::Lines)
        && call.color() == termcolor::ColorChoice::Never
        && !(options.quiet || call.stats || call.heading || call.column || options.vimgrep)
        && !(options.byte_offset || options.only_matching || options.text_trim || options.null)
        && options.replace.is_none()
        && options.max_columns.is_none()
        && options.max_count.is_none()
        && options.path_separator.is_none()
        && options.budget.is_none()
        && options.context != Context::Passthru
        && options.context.lines() == (0, 0)
}

/// Whether the call looks at the bytes of a file, line by line, for matches.
fn takes_files_as_they_are(call: &Call) -> bool {
    let options = &call.options;
    matches!(options.encoding, Coding::Auto)
        && options.pre.is_none()
        && !options.search_zip
        && !(options.multiline || options.null_data || options.crlf)
        && !(options.invert_match || options.stop_on_nonmatch)
}

/// Way to find a line with a match.
enum Finder {
    /// Every line that holds this text matches, and no other.
    Text(memmem::Finder<'static>),
    /// The matcher decides.
    Regex(RegexMatcher),
}

impl Finder {
    fn new(call: &Call, matcher: &RegexMatcher) -> Finder {
        match call.text().filter(|text| !text.is_empty() && call.options.boundary.is_none()) {
            Some(text) => Finder::Text(memmem::Finder::new(&text).into_owned()),
            None => Finder::Regex(matcher.clone()),
        }
    }

    /// The first line with a match from the line that begins at `at` on.
    fn next_line(&self, text: &[u8], mut at: usize) -> Option<std::ops::Range<usize>> {
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
    ) -> Option<std::ops::Range<usize>> {
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

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};
    use std::sync::{Arc, Mutex};

    use grep_searcher::Searcher;
    use manicule_testkit::Rng;
    use termcolor::{ColorSpec, WriteColor};

    use super::super::matcher::Matcher;
    use super::super::output::{Out, Page, Room, When, lock};
    use super::super::printer::{Printer, Source};
    use super::*;
    use crate::flags;
    use crate::messages::InvokedAs;

    fn call(words: &str) -> Call {
        let words = words.split_whitespace().map(std::ffi::OsString::from);
        let options = flags::parse(words, InvokedAs::Manicule).expect("flags of a test");
        Call::new(options, InvokedAs::Manicule).expect("a call of a test")
    }

    /// A page whose bytes are read after the printer has it.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            lock(&self.0).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl WriteColor for Kept {
        fn supports_color(&self) -> bool {
            false
        }

        fn set_color(&mut self, _: &ColorSpec) -> io::Result<()> {
            Ok(())
        }

        fn reset(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Page for Kept {
        fn publish(&mut self, _: &Out, _: When) -> io::Result<Room> {
            Ok(Room::More)
        }

        fn finish(&mut self, _: &Out) -> io::Result<()> {
            Ok(())
        }
    }

    /// Output of ripgrep's searcher and printer for the file.
    fn plain(call: &Call, matcher: &Matcher, file: &File, path: &Path) -> Vec<u8> {
        let mut searcher: Searcher = call.searcher();
        searcher.set_binary_detection(call.binary_detection(false));
        let page = Kept::default();
        let mut printer = Printer::new(call, Box::new(page.clone()));
        printer.search(&mut searcher, matcher, path, Source::File(file)).expect("a file of a test");
        lock(&page.0).clone()
    }

    fn check(words: &str, text: &[u8]) -> Found {
        let call = call(words);
        let matcher = super::super::matcher::build(&call).expect(words);
        #[allow(irrefutable_let_patterns, reason = "without PCRE2 there is no other engine")]
        let Matcher::Rust(engine) = &matcher else {
            panic!("{words}: plain lines are the default engine's")
        };
        let mut lines = Lines::new(&call, engine).expect("plain lines");
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(text).expect("a file");
        file.rewind().expect("a file");
        let path = Path::new("some/file");
        let found = lines.search(&file, path).expect("a file");
        if found == Found::Lines {
            file.rewind().expect("a file");
            let want = plain(&call, &matcher, &file, path);
            let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
            assert_eq!(shown(lines.out()), shown(&want), "{words} in {}", shown(text));
            let every = (0..text.len() as u32).collect::<Vec<_>>();
            for places in [&[][..], &every] {
                assert_eq!(lines.search_text(text, path, places), Found::Lines);
                assert_eq!(shown(lines.out()), shown(&want), "{words} at hand: {}", shown(text));
            }
        }
        found
    }

    #[test]
    fn lines_are_written_as_the_printer_writes_them() {
        for words in [
            "-n b .",
            ". -e b .",
            "-n -e ^ .",
            "-n -e $ .",
            "-nw b .",
            "-nx b .",
            "-ni B .",
            "-In b .",
        ] {
            assert_eq!(check(words, b"a\nb\n\nabc\r\nlast b"), Found::Lines);
            assert_eq!(check(words, b""), Found::Lines);
            assert_eq!(check(words, b"\n\n"), Found::Lines);
        }
    }

    #[test]
    fn what_is_unusual_is_left_to_the_searcher() {
        assert_eq!(check("-n b .", b"b\n\0b\n"), Found::Unusual);
        assert_eq!(check("-n b .", b"\xef\xbb\xbfb\n"), Found::Unusual);
        assert_eq!(check("-n b .", b"\xff\xfeb\0"), Found::Unusual);
        assert_eq!(check("-n b .", &[b'b'; WINDOW_LEN + 1]), Found::Unusual);
        assert_eq!(check("-an b .", b"b\n\0b\n"), Found::Lines);
    }

    #[test]
    fn random_files_over_several_windows() {
        let mut rng = Rng::new(11);
        for round in 0..60 {
            let words =
                ["-n ab .", "-n a.*b .", "-n \\bab\\b .", "ab .", "-ni AB .", "-n [a-c]{4} ."];
            let line_len_max = 1 + rng.below(300);
            let len = rng.below(200_000);
            let mut text = Vec::with_capacity(len);
            while text.len() < len {
                let line_len = rng.below(line_len_max);
                text.extend((0..line_len).map(|_| b"abcde xyz\r"[rng.below(10)]));
                text.push(b'\n');
            }
            check(words[round % words.len()], &text);
        }
    }
}

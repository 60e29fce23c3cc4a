//! The common case, fast: lines of text, with path and number, without colour, context or anything
//! else.
//!
//! ripgrep's printer is general; for `path:number:line` much of its time goes into what the case
//! does not need: for each file with a match a path made absolute for hyperlinks that are not
//! printed (seven `readlink`s). Here lines that the façade finds in its fast way
//! (`manicule::find::PlainLines`) are written as the printer writes them.
//!
//! ripgrep's searcher and printer are its twin in the tests, and in every differential run against
//! ripgrep.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use manicule::find::{PlainLine, PlainLines, Searched};

use super::call::Call;
use crate::flags::{Context, Find, Mode};

/// Finds and writes the lines file by file.
pub(crate) struct Lines {
    plain: PlainLines,
    with_path: bool,
    with_number: bool,
    /// Separator between path, number and line.
    separator: Vec<u8>,
    /// What comes before each line: path and separator.
    head: Vec<u8>,
    /// The lines of the file that was searched last.
    out: Vec<u8>,
}

impl Lines {
    /// The fast way for a call, if it can serve it.
    pub(crate) fn new(call: &Call) -> Option<Lines> {
        if !wants_plain_lines(call) {
            return None;
        }
        let separator = call.options.field_match_separator.clone();
        Some(Lines {
            plain: PlainLines::new(&call.search, call.line_number)?,
            with_path: call.with_filename,
            with_number: call.line_number,
            separator: separator.unwrap_or_else(|| b":".to_vec()),
            head: Vec::new(),
            out: Vec::new(),
        })
    }

    /// The lines found by the last search, as they are printed.
    pub(crate) fn out(&self) -> &[u8] {
        &self.out
    }

    /// Searches a file from its current position, which is its start.
    pub(crate) fn search(&mut self, file: &File, path: &Path) -> io::Result<Searched> {
        self.begin(path);
        let Lines { plain, head, separator, out, with_number, .. } = self;
        plain.search(file, |line| write_line(line, head, *with_number, separator, out))
    }

    /// Searches a text in memory. If `places` are given, each match shares its line with one of
    /// them.
    pub(crate) fn search_text(&mut self, text: &[u8], path: &Path, places: &[u32]) -> Searched {
        self.begin(path);
        let Lines { plain, head, separator, out, with_number, .. } = self;
        plain.search_text(text, places, |line| write_line(line, head, *with_number, separator, out))
    }

    fn begin(&mut self, path: &Path) {
        self.out.clear();
        self.head.clear();
        if self.with_path {
            self.head.extend_from_slice(path.as_os_str().as_bytes());
            self.head.extend_from_slice(&self.separator);
        }
    }
}

/// Writes a line, path and number in front if they are wanted, and an end if it has none.
fn write_line(
    line: PlainLine<'_>,
    head: &[u8],
    with_number: bool,
    separator: &[u8],
    out: &mut Vec<u8>,
) -> ControlFlow<()> {
    out.extend_from_slice(head);
    if with_number {
        out.extend_from_slice(itoa::Buffer::new().format(line.number).as_bytes());
        out.extend_from_slice(separator);
    }
    out.extend_from_slice(line.bytes);
    if !out.ends_with(b"\n") {
        out.push(b'\n');
    }
    ControlFlow::Continue(())
}

/// Whether the call prints nothing but lines, with or without path and number, of files as they
/// are.
fn wants_plain_lines(call: &Call) -> bool {
    let options = &call.options;
    call.mode == Mode::Search(Find::Lines)
        && call.color() == termcolor::ColorChoice::Never
        && !(options.quiet || call.stats || call.heading || call.column || options.vimgrep)
        && !(options.byte_offset || options.only_matching || options.text_trim || options.null)
        && options.replace.is_none()
        && options.max_columns.is_none()
        && options.path_separator.is_none()
        && options.budget.is_none()
        && options.context != Context::Passthru
        && options.context.lines() == (0, 0)
        && options.pre.is_none()
        && !options.search_zip
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};
    use std::sync::{Arc, Mutex};

    use manicule::find::{Matcher, Source};
    use manicule_testkit::Rng;
    use termcolor::{ColorSpec, WriteColor};

    use super::super::output::{Out, Page, Room, When, lock};
    use super::super::printer::Printer;
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
        let mut searcher = call.searcher();
        searcher.set_binary_detection(call.search.reading.binary_detection(false));
        let page = Kept::default();
        let mut printer = Printer::new(call, Box::new(page.clone()));
        printer.search(&mut searcher, matcher, path, Source::File(file)).expect("a file of a test");
        lock(&page.0).clone()
    }

    fn check(words: &str, text: &[u8]) -> Searched {
        let mut call = call(words);
        call.compile().expect(words);
        let mut lines = Lines::new(&call).expect("plain lines");
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(text).expect("a file");
        file.rewind().expect("a file");
        let path = Path::new("some/file");
        let found = lines.search(&file, path).expect("a file");
        if found == Searched::Lines {
            file.rewind().expect("a file");
            let want = plain(&call, call.matcher(), &file, path);
            let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
            assert_eq!(shown(lines.out()), shown(&want), "{words} in {}", shown(text));
            let every = (0..text.len() as u32).collect::<Vec<_>>();
            for places in [&[][..], &every] {
                assert_eq!(lines.search_text(text, path, places), Searched::Lines);
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
            assert_eq!(check(words, b"a\nb\n\nabc\r\nlast b"), Searched::Lines);
            assert_eq!(check(words, b""), Searched::Lines);
            assert_eq!(check(words, b"\n\n"), Searched::Lines);
        }
    }

    #[test]
    fn what_is_unusual_is_left_to_the_searcher() {
        assert_eq!(check("-n b .", b"b\n\0b\n"), Searched::Unusual);
        assert_eq!(check("-n b .", b"\xef\xbb\xbfb\n"), Searched::Unusual);
        assert_eq!(check("-n b .", b"\xff\xfeb\0"), Searched::Unusual);
        assert_eq!(check("-n b .", &[b'b'; (64 << 10) + 1]), Searched::Unusual);
        assert_eq!(check("-an b .", b"b\n\0b\n"), Searched::Lines);
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

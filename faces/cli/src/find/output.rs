//! Buffered output of results: to standard output, file by file, under a budget if there is one.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use grep_cli::StandardStream;
use memchr::memrchr;
use termcolor::{Buffer, BufferWriter, ColorSpec, HyperlinkSpec, WriteColor};

use super::call::Call;

/// Standard output, shared by the visitors.
pub(crate) struct Out {
    writer: BufferWriter,
    separator: Option<Vec<u8>>,
    budget: Option<Mutex<Budget>>,
}

/// Number of bytes that may be printed, and of those that were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) bytes_max: u64,
    pub(crate) bytes_printed: u64,
    /// Whether something was left out.
    pub(crate) cut: bool,
    /// Number of bytes that were ready and not printed; files that were not searched don't count.
    pub(crate) bytes_left_out: u64,
}

/// Whether the budget allows more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// It allows more.
    More,
    /// The budget is used up.
    Full,
}

impl Out {
    /// Standard output as the call wants it.
    pub(crate) fn new(call: &Call) -> Out {
        let separator = call.file_separator();
        let mut writer = BufferWriter::stdout(call.color());
        writer.separator(separator.clone());
        let budget = call.options.budget.map(|bytes_max| Mutex::new(Budget::new(bytes_max)));
        Out { writer, separator, budget }
    }

    /// A buffer for the results of one file.
    pub(crate) fn buffer(&self) -> Buffer {
        self.writer.buffer()
    }

    /// Prints the results of one file, whole, with the separator before them.
    pub(crate) fn print(&self, buffer: &Buffer) -> io::Result<Room> {
        match &self.budget {
            None => self.writer.print(buffer).map(|()| Room::More),
            Some(budget) => {
                let mut budget = lock(budget);
                let shown = budget.admit(buffer.as_slice(), self.separator.as_deref());
                let mut stdout = io::stdout().lock();
                stdout.write_all(&shown)?;
                stdout.flush()?;
                Ok(if budget.cut { Room::Full } else { Room::More })
            }
        }
    }

    /// Prints what the budget doesn't count.
    pub(crate) fn print_last(&self, buffer: &Buffer) -> io::Result<()> {
        match &self.budget {
            None => self.writer.print(buffer)?,
            Some(_) => io::stdout().lock().write_all(buffer.as_slice())?,
        }
        self.flush()
    }

    /// Flushes the standard library's buffer: a path that no line end follows, or the rest of a
    /// page of which the disk took a part.
    pub(crate) fn flush(&self) -> io::Result<()> {
        io::stdout().lock().flush()
    }

    /// State of the budget, if there is one.
    pub(crate) fn budget(&self) -> Option<Budget> {
        self.budget.as_ref().map(|budget| lock(budget).clone())
    }
}

/// What a mutex holds, valid though a thread panicked: each change of it is a whole one.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Budget {
    fn new(bytes_max: u64) -> Budget {
        Budget { bytes_max, bytes_printed: 0, cut: false, bytes_left_out: 0 }
    }

    /// The part of a file's results that may be printed: all, or up to a line end; counted as
    /// printed.
    fn admit(&mut self, bytes: &[u8], separator: Option<&[u8]>) -> Vec<u8> {
        if bytes.is_empty() {
            return Vec::new();
        }
        let mut wanted = Vec::with_capacity(bytes.len());
        if let (Some(separator), true) = (separator, self.bytes_printed > 0) {
            wanted.extend_from_slice(separator);
            wanted.push(b'\n');
        }
        let separator_len = wanted.len();
        wanted.extend_from_slice(bytes);
        let room = if self.cut {
            0
        } else {
            usize::try_from(self.bytes_max - self.bytes_printed).unwrap_or(usize::MAX)
        };
        if room < wanted.len() {
            self.cut = true;
            let end = memrchr(b'\n', &wanted[..room]).map_or(0, |at| at + 1);
            // A separator with nothing after it separates nothing.
            let end = if end <= separator_len { 0 } else { end };
            self.bytes_left_out += (wanted.len() - end) as u64;
            wanted.truncate(end);
        }
        self.bytes_printed += wanted.len() as u64;
        wanted
    }
}

/// Time at which results are flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// At once.
    Now,
    /// With those of other files, soon: no separator is between them, and no terminal shows them.
    Soon,
}

/// Number of bytes printed together: a system call for each file takes a tenth of a search for a
/// frequent word.
const TOGETHER_LEN: usize = 32 << 10;

/// Output of one visitor for the results of a file.
pub(crate) trait Page: WriteColor + Send {
    /// Called before a file.
    fn begin(&mut self) {}

    /// Whether it is full, so that further writing failed.
    fn is_full(&self) -> bool {
        false
    }

    /// Whether standard output failed since the last call.
    fn has_failed(&mut self) -> bool {
        false
    }

    /// Called after a file.
    fn publish(&mut self, out: &Out, when: When) -> io::Result<Room>;

    /// Called after the last file: prints the rest.
    fn finish(&mut self, out: &Out) -> io::Result<()>;
}

/// Standard output itself, for the only visitor of a call.
pub(crate) struct Direct {
    stream: StandardStream,
    has_failed: bool,
}

impl Direct {
    /// Standard output as the call wants it.
    pub(crate) fn new(call: &Call) -> Direct {
        Direct { stream: call.stdout(), has_failed: false }
    }

    fn noted<T>(&mut self, written: io::Result<T>) -> io::Result<T> {
        self.has_failed |= written.is_err();
        written
    }
}

impl Page for Direct {
    fn has_failed(&mut self) -> bool {
        std::mem::take(&mut self.has_failed)
    }

    fn publish(&mut self, _: &Out, _: When) -> io::Result<Room> {
        Ok(Room::More)
    }

    fn finish(&mut self, _: &Out) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Write for Direct {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes);
        self.noted(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.stream.flush();
        self.noted(flushed)
    }
}

impl WriteColor for Direct {
    fn supports_color(&self) -> bool {
        self.stream.supports_color()
    }

    fn supports_hyperlinks(&self) -> bool {
        self.stream.supports_hyperlinks()
    }

    fn set_color(&mut self, spec: &ColorSpec) -> io::Result<()> {
        let set = self.stream.set_color(spec);
        self.noted(set)
    }

    fn set_hyperlink(&mut self, link: &HyperlinkSpec) -> io::Result<()> {
        let set = self.stream.set_hyperlink(link);
        self.noted(set)
    }

    fn reset(&mut self) -> io::Result<()> {
        let reset = self.stream.reset();
        self.noted(reset)
    }

    fn is_synchronous(&self) -> bool {
        self.stream.is_synchronous()
    }
}

impl Page for Buffer {
    fn publish(&mut self, out: &Out, when: When) -> io::Result<Room> {
        if when == When::Soon && self.len() < TOGETHER_LEN {
            return Ok(Room::More);
        }
        let printed = out.print(self);
        self.clear();
        printed
    }

    fn finish(&mut self, out: &Out) -> io::Result<()> {
        self.publish(out, When::Now).map(drop)
    }
}

/// A buffer that holds little more than the budget, so that a large file costs no more than its
/// printed part.
pub(crate) struct Capped {
    buffer: Buffer,
    bytes_max: u64,
}

impl Capped {
    /// An empty buffer for this budget.
    pub(crate) fn new(buffer: Buffer, bytes_max: u64) -> Capped {
        Capped { buffer, bytes_max }
    }
}

impl Page for Capped {
    fn begin(&mut self) {
        self.buffer.clear();
    }

    fn is_full(&self) -> bool {
        self.buffer.len() as u64 > self.bytes_max
    }

    fn publish(&mut self, out: &Out, _: When) -> io::Result<Room> {
        let printed = out.print(&self.buffer);
        self.buffer.clear();
        printed
    }

    /// Every file's results are printed when it ends.
    fn finish(&mut self, _: &Out) -> io::Result<()> {
        Ok(())
    }
}

/// Error of a writer whose budget is used up: nothing has failed.
#[derive(Debug)]
struct UsedUp;

impl fmt::Display for UsedUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the budget is used up")
    }
}

impl std::error::Error for UsedUp {}

/// The error that ends a visit because the budget is used up.
pub(crate) fn used_up() -> io::Error {
    io::Error::other(UsedUp)
}

/// Whether an error is that one.
pub(crate) fn is_used_up(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<UsedUp>())
}

impl Write for Capped {
    /// Fails once it is full, which ends the search of the file.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_full() { Err(used_up()) } else { self.buffer.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteColor for Capped {
    fn supports_color(&self) -> bool {
        self.buffer.supports_color()
    }

    fn supports_hyperlinks(&self) -> bool {
        self.buffer.supports_hyperlinks()
    }

    fn set_color(&mut self, spec: &ColorSpec) -> io::Result<()> {
        self.buffer.set_color(spec)
    }

    fn set_hyperlink(&mut self, link: &HyperlinkSpec) -> io::Result<()> {
        self.buffer.set_hyperlink(link)
    }

    fn reset(&mut self) -> io::Result<()> {
        self.buffer.reset()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints each piece in turn under a budget; the separator is `--`.
    fn check(bytes_max: u64, pieces: &[&str], want: &str, cut: bool) {
        let mut budget = Budget::new(bytes_max);
        let mut printed = Vec::new();
        for piece in pieces {
            printed.extend(budget.admit(piece.as_bytes(), Some(b"--")));
        }
        assert_eq!(String::from_utf8_lossy(&printed), want);
        assert_eq!((budget.cut, budget.bytes_printed), (cut, want.len() as u64));
    }

    #[test]
    fn all_fits() {
        check(7, &["a\n", "b\n"], "a\n--\nb\n", false);
    }

    #[test]
    fn the_cut_is_at_a_line_end() {
        check(5, &["a\nbb\ncc\n"], "a\nbb\n", true);
        check(4, &["a\nbb\n"], "a\n", true);
        check(1, &["a\n"], "", true);
    }

    #[test]
    fn no_separator_without_something_behind_it() {
        check(6, &["a\n", "b\n"], "a\n", true);
        check(5, &["a\n", "b\n"], "a\n", true);
    }

    #[test]
    fn nothing_after_the_cut() {
        check(4, &["a\nbb\n", "c\n"], "a\n", true);
    }
}

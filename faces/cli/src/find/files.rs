//! The visitor that lists files: `--files`.

use std::io::{self, Write};
use std::path::Path;

use grep_printer::{PathPrinter, PathPrinterBuilder};
use manicule::code::tree::{Candidate, Flow, Visit};
use manicule::find::{Text, Visitor};
use termcolor::{Buffer, ColorSpec, HyperlinkSpec, WriteColor};

use super::call::Call;
use super::output::{Room, used_up};
use super::tally::Tally;

/// Approximate size of the pieces in which paths are printed: one system call for some thousand of
/// them.
const PAGE_BYTES: usize = 64 << 10;

/// Prints the path of each file.
pub(crate) struct Lister<'c> {
    call: &'c Call,
    tally: &'c Tally<'c>,
    printer: PathPrinter<Pages<'c>>,
}

impl<'c> Lister<'c> {
    /// A lister of one thread.
    pub(crate) fn new(call: &'c Call, tally: &'c Tally<'c>) -> Lister<'c> {
        let printer = PathPrinterBuilder::new()
            .color_specs(call.colors.clone())
            .hyperlink(call.hyperlink.clone())
            .separator(call.options.path_separator)
            .terminator(terminator(call))
            .build(Pages::new(call, tally));
        Lister { call, tally, printer }
    }
}

fn terminator(call: &Call) -> u8 {
    if call.options.null { 0 } else { b'\n' }
}

impl Lister<'_> {
    fn list(&mut self, path: &Path) -> Flow {
        self.tally.visit();
        if self.call.quit_after_match() {
            return Flow::Quit;
        }
        match self.printer.write(path) {
            Ok(()) => Flow::Continue,
            Err(error) => self.tally.lose(error),
        }
    }
}

impl Visitor for Lister<'_> {
    fn text(&mut self, text: Text<'_>) -> Flow {
        self.list(text.path)
    }
}

impl Visit for Lister<'_> {
    fn file(&mut self, candidate: Candidate<'_>) -> Flow {
        self.list(self.call.shown(candidate.path))
    }

    fn may_match(&mut self, _: &[u8]) -> bool {
        true
    }

    fn left_out(&mut self, _: u64, _: u64) {}

    fn error(&mut self, error: &ignore::Error) -> Flow {
        self.tally.messages.failure(error);
        Flow::Continue
    }

    fn warning(&mut self, error: &ignore::Error) {
        self.tally.messages.ignore_rule(error);
    }
}

/// Collects whole lines of one thread and prints them together, so that no path is torn.
struct Pages<'c> {
    tally: &'c Tally<'c>,
    buffer: Buffer,
    terminator: u8,
    bytes_max: usize,
}

impl<'c> Pages<'c> {
    /// An empty page.
    fn new(call: &Call, tally: &'c Tally<'c>) -> Pages<'c> {
        let bytes_max = if call.by_line() { 0 } else { PAGE_BYTES };
        Pages { tally, buffer: tally.out.buffer(), terminator: terminator(call), bytes_max }
    }

    fn publish(&mut self) -> io::Result<()> {
        let room = self.tally.out.print(&self.buffer)?;
        self.buffer.clear();
        match room {
            Room::More => Ok(()),
            Room::Full => Err(used_up()),
        }
    }
}

impl Write for Pages<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.buffer.write(bytes)?;
        // The printer writes a path's terminator by itself, last.
        if bytes == [self.terminator] && self.buffer.len() > self.bytes_max {
            self.publish()?;
        }
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.publish()
    }
}

impl WriteColor for Pages<'_> {
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

    fn is_synchronous(&self) -> bool {
        self.buffer.is_synchronous()
    }
}

impl Drop for Pages<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.publish() {
            self.tally.lose(error);
        }
    }
}

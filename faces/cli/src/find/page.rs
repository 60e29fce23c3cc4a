//! The page of an index whose answers are no lines: a row for each match, or only its path, or
//! their number.

use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::time::Duration;

use grep_printer::Stats;
use manicule::Failure;
use termcolor::{Buffer, WriteColor};

use crate::find::call::Call;
use crate::find::output::Room;
use crate::find::tally::Tally;
use crate::flags::{Find, Mode};

/// Printer of one index's results.
pub(super) struct Page<'c> {
    pub(super) call: &'c Call,
    pub(super) path: &'c Path,
    pub(super) buffer: Buffer,
    /// Counts of the rows that match.
    pub(super) count: u64,
    /// Counts of the matches in them, where they are asked for.
    matches: u64,
    /// Bytes that were printed before the end.
    printed_len: u64,
}

/// Bytes of collected text from which on it is printed before the end.
const PART_LEN: usize = 64 << 10;

/// When the rows of an index are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Printed {
    /// While it is searched, part by part; the search ends with the budget.
    InParts,
    /// At the end of its search, so that a budget counts all that is left out.
    Together,
}

impl<'c> Page<'c> {
    pub(super) fn new(call: &'c Call, own: &'c Path, tally: &Tally<'_>) -> Self {
        // The path of the current folder itself would become empty.
        let path = Some(call.shown(own)).filter(|path| *path != Path::new(""));
        Page {
            call,
            path: path.unwrap_or(own),
            buffer: tally.out.buffer(),
            count: 0,
            matches: 0,
            printed_len: 0,
        }
    }

    /// Number of matches after which the search of this index ends.
    fn matches_max(&self) -> u64 {
        let is_one_enough = self.call.options.quiet
            || matches!(self.call.mode, Mode::Search(Find::FilesWith | Find::FilesWithout));
        if is_one_enough { 1 } else { self.call.options.max_count.unwrap_or(u64::MAX) }
    }

    /// Whether the search goes on after a match that is counted and printed.
    pub(super) fn pass(&mut self, printed: Printed, tally: &Tally<'_>) -> ControlFlow<()> {
        let mut has_room =
            || printed == Printed::Together || self.publish_part(tally) == Room::More;
        if has_room() && self.count < self.matches_max() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// Writes what comes before the text of a match: the index's path, where it belongs there.
    pub(super) fn begin_row(&mut self) -> io::Result<()> {
        let call = self.call;
        if self.has_name() && (!call.heading || self.count == 1) {
            let end = if call.heading { "\n" } else { ": " };
            self.write_path(if call.options.null { b"\0" } else { end.as_bytes() })?;
        }
        Ok(())
    }

    /// Whether rows begin with the index's path: the current folder has none that anybody has
    /// typed.
    fn has_name(&self) -> bool {
        let is_here = self.call.implicit_path && self.path == Path::new("./");
        self.call.with_filename && !is_here
    }

    /// Counts the matches of a row, where the call asks for their number. A row that matches as a
    /// whole is one.
    pub(super) fn count_matches(
        &mut self,
        matches: impl FnOnce() -> Result<Vec<Range<usize>>, Failure>,
    ) -> Result<(), Failure> {
        if self.call.mode == Mode::Search(Find::CountMatches) {
            self.matches += matches()?.len().max(1) as u64;
        }
        Ok(())
    }

    /// Whether matches are coloured.
    pub(super) fn is_colored(&self) -> bool {
        self.buffer.supports_color() && !self.call.options.invert_match
    }

    /// Writes a text, the matches in it coloured.
    pub(super) fn write_text(&mut self, text: &[u8], matches: Vec<Range<usize>>) -> io::Result<()> {
        let mut end = 0;
        for found in matches.into_iter().filter(|found| !found.is_empty()) {
            self.buffer.write_all(&text[end..found.start])?;
            self.buffer.set_color(self.call.colors.matched())?;
            self.buffer.write_all(&text[found.clone()])?;
            self.buffer.reset()?;
            end = found.end;
        }
        self.buffer.write_all(&text[end..])
    }

    /// Writes the index's path alone, of a call that lists paths.
    pub(super) fn list(&mut self) -> io::Result<()> {
        self.write_path(if self.call.options.null { b"\0" } else { b"\n" })
    }

    /// Ends the search of the index: what only its end knows, and its part in the call's results.
    pub(super) fn end(
        &mut self,
        searched_len: u64,
        elapsed: Duration,
        tally: &Tally<'_>,
    ) -> io::Result<()> {
        self.finish()?;
        if self.call.stats {
            tally.add(&self.stats(searched_len, elapsed));
        }
        let find_none = self.call.mode == Mode::Search(Find::FilesWithout);
        if (self.count > 0) != find_none {
            tally.found();
        }
        Ok(())
    }

    /// Prints the collected text on standard output.
    pub(super) fn publish(&self, tally: &Tally<'_>) -> Room {
        tally.out.print(&self.buffer).unwrap_or_else(|error| {
            tally.lose(error);
            Room::Full
        })
    }

    /// Prints what has been collected once that is much, so that memory stays flat; not where
    /// something is printed between the results of two indexes. A budget admits all at the end, and
    /// no more than it has.
    fn publish_part(&mut self, tally: &Tally<'_>) -> Room {
        let len = self.buffer.as_slice().len();
        if let Some(bytes_max) = self.call.options.budget {
            return if len as u64 > bytes_max { Room::Full } else { Room::More };
        }
        if self.call.file_separator().is_some() || len < PART_LEN {
            return Room::More;
        }
        let room = self.publish(tally);
        self.printed_len += self.buffer.as_slice().len() as u64;
        self.buffer.clear();
        room
    }

    /// The numbers of this index: a row counts as a line with a match.
    fn stats(&self, searched_len: u64, elapsed: Duration) -> Stats {
        let mut stats = Stats::new();
        stats.add_elapsed(elapsed);
        stats.add_searches(1);
        stats.add_bytes_searched(searched_len);
        stats.add_searches_with_match(u64::from(self.count > 0));
        stats.add_matches(self.count);
        stats.add_matched_lines(self.count);
        stats.add_bytes_printed(self.printed_len + self.buffer.as_slice().len() as u64);
        stats
    }

    /// Prints paths and counts.
    fn finish(&mut self) -> io::Result<()> {
        let options = &self.call.options;
        let Mode::Search(find) = self.call.mode else { return Ok(()) };
        let end: &[u8] = if options.null { b"\0" } else { b"\n" };
        match find {
            _ if options.quiet => Ok(()),
            Find::FilesWith if self.count > 0 => self.write_path(end),
            Find::FilesWithout if self.count == 0 => self.write_path(end),
            Find::Count | Find::CountMatches if self.count > 0 || options.include_zero => {
                if self.has_name() {
                    self.write_path(if options.null { b"\0" } else { b":" })?;
                }
                let is_of_rows = find == Find::Count;
                writeln!(self.buffer, "{}", if is_of_rows { self.count } else { self.matches })
            }
            _ => Ok(()),
        }
    }

    fn write_path(&mut self, end: &[u8]) -> io::Result<()> {
        self.buffer.set_color(self.call.colors.path())?;
        write!(self.buffer, "{}", self.path.display())?;
        self.buffer.reset()?;
        self.buffer.write_all(end)
    }
}

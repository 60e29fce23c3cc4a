//! State shared by the visitors of one call: files, results and failures.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use grep_printer::Stats;
use manicule::code::tree::Flow;

use super::output::{Out, is_used_up, lock};
use crate::messages::Messages;

/// One for each call, lent to every visitor.
pub(crate) struct Tally<'c> {
    pub(crate) messages: &'c Messages,
    pub(crate) out: &'c Out,
    visited: AtomicBool,
    matched: AtomicBool,
    stats: Mutex<Stats>,
    lost: Mutex<Option<io::Error>>,
    over: AtomicBool,
}

impl<'c> Tally<'c> {
    /// A tally of no files.
    pub(crate) fn new(messages: &'c Messages, out: &'c Out) -> Tally<'c> {
        Tally {
            messages,
            out,
            visited: AtomicBool::new(false),
            matched: AtomicBool::new(false),
            stats: Mutex::new(Stats::new()),
            lost: Mutex::new(None),
            over: AtomicBool::new(false),
        }
    }

    /// Records that there was a file. Written once only: threads would otherwise contend for the
    /// cache line.
    pub(crate) fn visit(&self) {
        if !self.visited.load(Relaxed) {
            self.visited.store(true, Relaxed);
        }
    }

    /// Records that a file had a result.
    pub(crate) fn found(&self) {
        if !self.matched.load(Relaxed) {
            self.matched.store(true, Relaxed);
        }
    }

    /// Whether there was any file.
    pub(crate) fn visited(&self) -> bool {
        self.visited.load(Relaxed)
    }

    /// Whether any file had a result.
    pub(crate) fn matched(&self) -> bool {
        self.matched.load(Relaxed)
    }

    /// Adds the numbers of one file.
    pub(crate) fn add(&self, stats: &Stats) {
        *lock(&self.stats) += stats;
    }

    /// Counts files that were searched without being opened: no line of them matches.
    pub(crate) fn leave_out(&self, file_count: u64, len: u64, counted: bool) {
        self.visit();
        if counted {
            let mut stats = lock(&self.stats);
            stats.add_searches(file_count);
            stats.add_bytes_searched(len);
        }
    }

    /// The numbers of all files.
    pub(crate) fn stats(&self) -> Stats {
        lock(&self.stats).clone()
    }

    /// Records that standard output has failed, so that nothing more can be printed. The first
    /// failure is kept.
    pub(crate) fn lose(&self, error: io::Error) -> Flow {
        if !is_used_up(&error) {
            lock(&self.lost).get_or_insert(error);
            self.over.store(true, Relaxed);
        }
        Flow::Quit
    }

    /// Whether standard output has failed.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// The failure of standard output, if there was one.
    pub(crate) fn lost(&self) -> io::Result<()> {
        lock(&self.lost).take().map_or(Ok(()), Err)
    }
}

//! The line between a server and its clients: how fast bytes pass, and what has passed.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes that pass at once: of slower lines a client sees the first while the others are on their
/// way.
const PIECE_LEN: usize = 64 << 10;

/// What passed between a server and its clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Number of requests.
    pub requests: u64,
    /// The longest chain of requests of which each began when the one before had been answered,
    /// by the clock: so it means something where requests wait longer than a client thinks.
    pub rounds: u64,
    /// Bytes of the bodies of answers.
    pub bytes: u64,
}

/// A request that was answered.
#[derive(Clone, Copy, Debug)]
struct Span {
    begin: Instant,
    end: Instant,
    len: u64,
}

/// The line.
#[derive(Debug, Default)]
pub(crate) struct Line {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    bytes_per_second: Option<u64>,
    /// When what has been sent will have passed.
    free_at: Option<Instant>,
    spans: Vec<Span>,
}

impl Line {
    fn locked(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn limit(&self, bytes_per_second: u64) {
        self.locked().bytes_per_second = Some(bytes_per_second);
    }

    /// Writes an answer by `write`, no faster than the line is.
    pub(crate) fn pass(
        &self,
        begin: Instant,
        len: usize,
        to: impl Write,
        write: impl FnOnce(&mut Paced<'_, &mut dyn Write>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut to = to;
        write(&mut Paced { line: self, to: &mut to })?;
        self.locked().spans.push(Span { begin, end: Instant::now(), len: len as u64 });
        Ok(())
    }

    /// Takes a part of the line, and waits until it has passed.
    fn wait(&self, len: usize) {
        let mut inner = self.locked();
        let Some(rate) = inner.bytes_per_second else { return };
        let now = Instant::now();
        let from = inner.free_at.map_or(now, |at| at.max(now));
        let until = from + Duration::from_secs_f64(len as f64 / rate as f64);
        inner.free_at = Some(until);
        drop(inner);
        thread::sleep(until.saturating_duration_since(now));
    }

    /// What has passed since this was called last.
    pub(crate) fn take(&self) -> Traffic {
        let mut spans = std::mem::take(&mut self.locked().spans);
        spans.sort_by_key(|span| span.end);
        let (mut rounds, mut last) = (0, None);
        for span in &spans {
            if last.is_none_or(|last| span.begin >= last) {
                (rounds, last) = (rounds + 1, Some(span.end));
            }
        }
        let bytes = spans.iter().map(|span| span.len).sum();
        Traffic { requests: spans.len() as u64, rounds, bytes }
    }
}

/// A connection whose bytes pass no faster than the line is.
pub(crate) struct Paced<'l, W> {
    line: &'l Line,
    to: W,
}

impl<W: Write> Write for Paced<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = &bytes[..bytes.len().min(PIECE_LEN)];
        self.line.wait(piece.len());
        self.to.write(piece)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_the_longest_chain() {
        let line = Line::default();
        let zero = Instant::now();
        let at = |ms: u64| zero + Duration::from_millis(ms);
        // Three at once, then one, and one beside both.
        for (begin, end, len) in [(0, 30, 5), (1, 31, 5), (2, 40, 5), (41, 70, 5), (1, 60, 100)] {
            line.locked().spans.push(Span { begin: at(begin), end: at(end), len });
        }
        assert_eq!(line.take(), Traffic { requests: 5, rounds: 2, bytes: 120 });
        assert_eq!(line.take(), Traffic::default());
    }

    #[test]
    fn bytes_of_all_connections_share_the_line() {
        let line = Line::default();
        line.limit(10 << 20);
        let begin = Instant::now();
        thread::scope(|scope| {
            for _ in 0..2 {
                let line = &line;
                scope.spawn(move || {
                    let bytes = vec![0; 512 << 10];
                    let write = |to: &mut Paced<'_, &mut dyn Write>| to.write_all(&bytes);
                    line.pass(begin, bytes.len(), io::sink(), write).unwrap();
                });
            }
        });
        assert!(begin.elapsed() >= Duration::from_millis(95), "{:?}", begin.elapsed());
        assert_eq!(line.take().bytes, 1 << 20);
    }
}

//! The samples of chunks that overlap, in the order of time. Of samples of one time the first one
//! that comes is kept, the others are counted.

use manicule_format_prometheus::chunk::{Sample, Samples};

use super::heap::Heap;
use super::ledger::Ledger;
use super::recode::OutChunk;
use crate::block::BlockError;

/// A chunk being read: the current sample, and those after it.
#[derive(Debug)]
struct Cursor<'c> {
    chunk: &'c OutChunk<'c>,
    head: Option<Sample>,
    rest: Samples<'c>,
}

impl Cursor<'_> {
    /// Goes on to the next sample; `false` after the last.
    fn advance(&mut self) -> Result<bool, BlockError> {
        self.head = self.rest.next().transpose().map_err(|error| self.chunk.damaged(error))?;
        Ok(self.head.is_some())
    }

    fn time(&self) -> i64 {
        self.head.as_ref().expect("it stands at a sample").time
    }
}

fn is_earlier(left: &Cursor<'_>, right: &Cursor<'_>) -> bool {
    left.time() < right.time()
}

/// The samples of several chunks as one run of increasing times.
#[derive(Debug)]
pub(super) struct Chain<'c> {
    /// The chunk of the last sample. It is gone on with before it is compared with the others.
    current: Option<Cursor<'c>>,
    others: Heap<Cursor<'c>>,
    last: i64,
    kept: Option<Sample>,
    ledger: &'c Ledger<'c>,
}

impl<'c> Chain<'c> {
    /// Chunks in the order in which Prometheus chains them: the first one is read first.
    pub(super) fn new(
        chunks: &'c [OutChunk<'c>],
        ledger: &'c Ledger<'c>,
    ) -> Result<Self, BlockError> {
        let (mut current, mut others) = (None, Heap::new());
        for chunk in chunks {
            let rest = chunk.samples()?;
            let mut cursor = Cursor { chunk, head: None, rest };
            if current.is_none() {
                current = Some(cursor);
            } else if cursor.advance()? {
                others.push(cursor, is_earlier);
            }
        }
        Ok(Chain { current, others, last: i64::MIN, kept: None, ledger })
    }

    pub(super) fn next(&mut self) -> Result<Option<&Sample>, BlockError> {
        let Some(mut current) = self.current.take() else { return Ok(None) };
        loop {
            if current.advance()? {
                if self.leaves_out(&current) {
                    continue;
                }
                if self.others.peek().is_none_or(|other| current.time() < other.time()) {
                    break;
                }
                self.others.push(current, is_earlier);
            }
            match self.others.pop(is_earlier) {
                None => return Ok(None),
                Some(other) => current = other,
            }
            if !self.leaves_out(&current) {
                break;
            }
        }
        self.last = current.time();
        self.kept = current.head.take();
        self.current = Some(current);
        Ok(self.kept.as_ref())
    }

    /// Whether the sample at which a chunk stands has the time of the one that was kept last; then
    /// it is counted.
    fn leaves_out(&self, cursor: &Cursor<'_>) -> bool {
        let is_other = cursor.time() != self.last;
        if !is_other && let Some(sample) = &cursor.head {
            self.ledger.clash(self.kept.as_ref(), sample);
        }
        !is_other
    }
}

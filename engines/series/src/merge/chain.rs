//! The samples of chunks that overlap, in the order of time. Of samples of one time the first one that comes is kept.
//!
//! Callers: merge/chunks

use manicule_format_prometheus::chunk::{Sample, Samples};

use super::heap::Heap;
use super::recode::OutChunk;
use crate::BlockError;

/// A chunk being read: the sample it stands at, and those behind.
#[derive(Debug)]
struct Cursor<'c> {
    chunk: &'c OutChunk<'c>,
    head: Option<Sample>,
    rest: Samples<'c>,
}

impl Cursor<'_> {
    /// Goes on to the next sample; `false` behind the last.
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

/// The samples of several chunks as one run of rising times.
#[derive(Debug)]
pub(super) struct Chain<'c> {
    /// The chunk of the last sample. It is gone on with before it is compared with the others.
    current: Option<Cursor<'c>>,
    others: Heap<Cursor<'c>>,
    last: i64,
}

impl<'c> Chain<'c> {
    /// Chunks in the order in which Prometheus chains them: the first one is read first.
    pub(super) fn new(chunks: &'c [OutChunk<'c>]) -> Result<Self, BlockError> {
        let (mut current, mut others) = (None, Heap::new());
        for chunk in chunks {
            let rest = chunk.chunk().samples().map_err(|error| chunk.damaged(error))?;
            let mut cursor = Cursor { chunk, head: None, rest };
            if current.is_none() {
                current = Some(cursor);
            } else if cursor.advance()? {
                others.push(cursor, is_earlier);
            }
        }
        Ok(Chain { current, others, last: i64::MIN })
    }

    pub(super) fn next(&mut self) -> Result<Option<Sample>, BlockError> {
        let Some(mut current) = self.current.take() else { return Ok(None) };
        loop {
            if current.advance()? {
                if current.time() == self.last {
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
            if current.time() != self.last {
                break;
            }
        }
        self.last = current.time();
        let sample = current.head.take();
        self.current = Some(current);
        Ok(sample)
    }
}

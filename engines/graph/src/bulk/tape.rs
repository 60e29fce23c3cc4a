//! Bytes that wait in a file for what memory there is: written from front to back, and read so,
//! through buffers.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use manicule_store::{SharedFiles, Spill};

use crate::error::GraphError;

/// A file that is made when it is first needed, and has no name.
#[derive(Debug)]
pub(super) struct Overflow {
    files: SharedFiles,
    path: PathBuf,
    spill: Mutex<Option<Arc<Spill>>>,
}

impl Overflow {
    /// A file that is called `path` for a moment.
    pub(super) fn new(files: SharedFiles, path: PathBuf) -> Self {
        Overflow { files, path, spill: Mutex::default() }
    }

    fn failed(&self, source: io::Error) -> GraphError {
        GraphError::Io { file: self.path.clone(), source }
    }

    fn spill(&self) -> Result<Arc<Spill>, GraphError> {
        let mut spill = self.spill.lock().expect("no holder panics");
        if let Some(spill) = &*spill {
            return Ok(spill.clone());
        }
        let made = Spill::create(&self.files, &self.path).map_err(|error| self.failed(error))?;
        Ok(spill.insert(Arc::new(made)).clone())
    }
}

/// Where bytes lie that were written as one.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape {
    /// Offsets and lengths.
    parts: Vec<(u64, usize)>,
}

impl Tape {
    /// Whether there are no bytes.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

/// Writes a tape.
#[derive(Debug)]
pub(super) struct TapeWriter<'o> {
    overflow: &'o Overflow,
    spill: Arc<Spill>,
    tape: Tape,
    buffer: Vec<u8>,
    buffer_len: usize,
}

impl<'o> TapeWriter<'o> {
    /// A tape without bytes, whose writer holds back about `buffer_len`.
    pub(super) fn new(overflow: &'o Overflow, buffer_len: usize) -> Result<Self, GraphError> {
        let spill = overflow.spill()?;
        Ok(TapeWriter { overflow, spill, tape: Tape::default(), buffer: Vec::new(), buffer_len })
    }

    /// The bytes that are held back, to be added to. [`TapeWriter::settle`] comes after.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes what is held back, if it is enough.
    pub(super) fn settle(&mut self) -> Result<(), GraphError> {
        if self.buffer.len() < self.buffer_len { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> Result<(), GraphError> {
        if !self.buffer.is_empty() {
            let at = self.spill.append(&self.buffer);
            let at = at.map_err(|error| self.overflow.failed(error))?;
            self.tape.parts.push((at, self.buffer.len()));
            self.buffer.clear();
        }
        Ok(())
    }

    /// The tape.
    pub(super) fn finish(mut self) -> Result<Tape, GraphError> {
        self.write()?;
        Ok(self.tape)
    }
}

/// Reads a tape.
#[derive(Debug)]
pub(super) struct TapeReader<'o> {
    overflow: &'o Overflow,
    spill: Arc<Spill>,
    /// Parts that aren't read, last first; of the first of them what is left.
    parts: Vec<(u64, usize)>,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were taken.
    taken: usize,
    buffer_len: usize,
}

impl<'o> TapeReader<'o> {
    /// A reader of about `buffer_len` bytes at a time.
    pub(super) fn new(
        overflow: &'o Overflow,
        tape: &Tape,
        buffer_len: usize,
    ) -> Result<Self, GraphError> {
        let parts = tape.parts.iter().rev().copied().collect();
        let (spill, buffer) = (overflow.spill()?, Vec::new());
        Ok(TapeReader { overflow, spill, parts, buffer, taken: 0, buffer_len })
    }

    /// Whether all was taken.
    pub(super) fn is_done(&self) -> bool {
        self.parts.is_empty() && self.taken == self.buffer.len()
    }

    /// The next bytes, which stay where they are until they are taken: at least `len`, or all that
    /// is left.
    pub(super) fn peek(&mut self, len: usize) -> Result<&[u8], GraphError> {
        if self.buffer.len() - self.taken < len {
            self.buffer.drain(..self.taken);
            self.taken = 0;
            let want = self.buffer_len.max(len);
            while self.buffer.len() < want
                && let Some((at, rest)) = self.parts.last_mut()
            {
                let start = self.buffer.len();
                let count = (*rest).min(want - start);
                self.buffer.resize(start + count, 0);
                let read = self.spill.read_at(&mut self.buffer[start..], *at);
                read.map_err(|error| self.overflow.failed(error))?;
                (*at, *rest) = (*at + count as u64, *rest - count);
                if *rest == 0 {
                    self.parts.pop();
                }
            }
        }
        Ok(&self.buffer[self.taken..])
    }

    /// Takes bytes that were peeked at.
    pub(super) fn skip(&mut self, len: usize) {
        self.taken += len;
        debug_assert!(self.taken <= self.buffer.len());
    }

    /// Takes the next bytes, of which there are that many: we have written them.
    pub(super) fn take<const N: usize>(&mut self) -> Result<[u8; N], GraphError> {
        let bytes = *self.peek(N)?.first_chunk().expect("what was written is there");
        self.skip(N);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use manicule_store::Disk;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let overflow = Overflow::new(Disk::shared(), folder.path().join("a"));
        for len in [1, 3, 64, 4096] {
            let mut writers =
                [0u32, 1].map(|_| TapeWriter::new(&overflow, len).expect("a file without a name"));
            for number in 0..1000u32 {
                for (which, writer) in writers.iter_mut().enumerate() {
                    let word = number * 2 + which as u32;
                    writer.buffer().extend_from_slice(&word.to_le_bytes());
                    writer.settle().expect("written");
                }
            }
            for (which, writer) in writers.into_iter().enumerate() {
                let tape = writer.finish().expect("written");
                let mut reader = TapeReader::new(&overflow, &tape, len).expect("a reader");
                for number in 0..1000u32 {
                    let word = u32::from_le_bytes(reader.take().expect("read"));
                    assert_eq!(word, number * 2 + which as u32);
                }
                assert!(reader.is_done());
            }
        }
        assert!(!folder.path().join("a").exists());
    }
}

//! Rows that wait until the types of their columns are known, which the last row decides: in
//! chunks, in memory while they are few, in a file without a name from then on.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_store::context::{self, Budget, Context};
use manicule_store::{Disk, Spill};

use super::chunk::Chunk;
use super::types::{Kinds, Profile, Value};
use crate::graph::Error;
use crate::tables::TableError;

/// Maximum number of rows of a chunk.
const CHUNK_ROWS: usize = 1 << 16;
/// Maximum number of bytes of text of a chunk, about: the last row may pass it.
const CHUNK_LEN: usize = 4 << 20;
/// Maximum number of chunks in memory.
const HELD_MAX: usize = 8;
/// Maximum number of bytes of a value: offsets of Arrow's texts have 31 bits.
const VALUE_LEN_MAX: usize = 1 << 30;

/// Where a chunk waits.
#[derive(Debug)]
enum Held {
    Memory {
        chunk: Chunk,
        _taken: context::Held,
    },
    /// Its place and length in the spill, and the number of its rows.
    File(u64, usize, usize),
}

/// Staged rows.
#[derive(Debug)]
pub(crate) struct Stage {
    /// What the values of each column have been.
    pub(super) profiles: Vec<Profile>,
    pub(super) kinds: Kinds,
    /// The chunk that is being filled.
    filled: Chunk,
    text_len: usize,
    held: VecDeque<Held>,
    memory: Arc<Budget>,
    spill: Option<Spill>,
    /// The name that the spill has for a moment.
    path: PathBuf,
}

impl Stage {
    /// No rows of some columns; what has no place in memory is in a file in `scratch`.
    pub(crate) fn new(column_count: usize, scratch: &Path) -> Stage {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Relaxed);
        let name = format!(".manicule-rows.{}.{number}.tmp", std::process::id());
        Stage {
            profiles: vec![Profile::default(); column_count],
            kinds: Kinds::default(),
            filled: Chunk::new(column_count),
            text_len: 0,
            held: VecDeque::new(),
            memory: Context::current().memory().share(u64::MAX),
            spill: None,
            path: scratch.join(name),
        }
    }

    /// Adds the value of the next column of a row.
    pub(crate) fn push(&mut self, at: usize, value: Option<Value<'_>>) -> Result<(), Error> {
        let Some(Value { kind, text }) = value else {
            self.filled.columns[at].push(None);
            return Ok(());
        };
        if text.len() > VALUE_LEN_MAX {
            return Err(TableError::Format(format!("a value of {} bytes", text.len())).into());
        }
        let kind = self.kinds.number(kind);
        self.profiles[at].see(kind, &self.kinds, text);
        self.filled.columns[at].push(Some((kind, text)));
        self.text_len += text.len();
        Ok(())
    }

    /// Ends a row.
    pub(crate) fn end_row(&mut self) -> Result<(), Error> {
        self.filled.end_row();
        if self.filled.row_count() == CHUNK_ROWS || self.text_len >= CHUNK_LEN {
            self.end_chunk()
        } else {
            Ok(())
        }
    }

    fn end_chunk(&mut self) -> Result<(), Error> {
        let chunk = std::mem::replace(&mut self.filled, Chunk::new(self.profiles.len()));
        self.text_len = 0;
        let held = if self.held.len() < HELD_MAX {
            let taken = self.memory.take(chunk.len() as u64).map_err(Error::Memory)?;
            Held::Memory { chunk, _taken: taken }
        } else {
            self.spilled(&chunk).map_err(TableError::Io)?
        };
        self.held.push_back(held);
        Ok(())
    }

    fn spilled(&mut self, chunk: &Chunk) -> io::Result<Held> {
        let bytes = chunk.to_bytes();
        let spill = match &self.spill {
            Some(spill) => spill,
            None => self.spill.insert(Spill::create(&Disk::shared(), &self.path)?),
        };
        Ok(Held::File(spill.append(&bytes)?, bytes.len(), chunk.row_count()))
    }

    /// Ends the rows: what the values of each column are is known.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        if self.filled.row_count() > 0 { self.end_chunk() } else { Ok(()) }
    }

    /// The next rows, in order.
    pub(crate) fn next(&mut self) -> Result<Option<Chunk>, Error> {
        Ok(match self.held.pop_front() {
            None => None,
            Some(Held::Memory { chunk, .. }) => Some(chunk),
            Some(Held::File(at, len, row_count)) => {
                Some(self.read(at, len, row_count).map_err(TableError::Io)?)
            }
        })
    }

    fn read(&self, at: u64, len: usize, row_count: usize) -> io::Result<Chunk> {
        let spill = self.spill.as_ref().expect("what was spilled has a file");
        let mut bytes = vec![0; len];
        spill.read_at(&mut bytes, at)?;
        let chunk = Chunk::of_bytes(&bytes, self.profiles.len(), row_count);
        chunk.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }
}

#[cfg(test)]
mod tests {
    use super::super::types::Kind;
    use super::*;

    #[test]
    fn rows_come_back_in_order_from_memory_and_from_a_file() {
        let scratch = tempfile::tempdir().unwrap();
        let mut stage = Stage::new(2, scratch.path());
        // A chunk a row, four of them in the file.
        let texts: Vec<String> =
            (0..HELD_MAX + 4).map(|at| format!("{at}{}", "x".repeat(CHUNK_LEN))).collect();
        for text in &texts {
            stage.push(0, Some(Value { kind: Kind::Iri, text })).unwrap();
            stage.push(1, None).unwrap();
            stage.end_row().unwrap();
        }
        stage.end().unwrap();
        assert!(stage.spill.is_some());
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "it has no name");
        for text in &texts {
            let chunk = stage.next().unwrap().expect("a row more");
            assert!(chunk.values(0).eq([Some((0, &**text))]) && chunk.values(1).eq([None]));
        }
        assert!(stage.next().unwrap().is_none());
    }

    #[test]
    fn what_waits_in_memory_is_of_the_context() {
        let context = Context::new(context::ContextOptions {
            memory: CHUNK_LEN as u64,
            ..context::ContextOptions::NONE
        });
        context.enter(|| {
            let mut stage = Stage::new(1, Path::new("."));
            let text = "x".repeat(CHUNK_LEN);
            stage.push(0, Some(Value { kind: Kind::Iri, text: &text })).unwrap();
            let error = stage.end_row().unwrap_err();
            assert_eq!(error.class(), manicule_core::ErrorClass::TooMuch);
        });
        assert_eq!(context.memory().held_bytes(), 0);
    }
}

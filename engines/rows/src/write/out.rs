//! Files of an SSTable that is being written, and bytes that wait for their place in one.

use std::io::{self, Write};

use manicule_store::{OutFile, Spill};

use super::draft::Aside;

/// Number of bytes from which on they go to a file.
const BUFFER_LEN: usize = 256 << 10;

/// A file, written in long pieces.
#[derive(Debug)]
pub(super) struct Out {
    /// The file; `None`: what is put goes nowhere.
    file: Option<OutFile>,
    buffer: Vec<u8>,
    len: u64,
}

impl Out {
    pub(super) fn create(aside: &Aside, name: &str) -> io::Result<Self> {
        let file = match aside {
            Aside::Folder(draft) => Some(draft.create(name)?),
            Aside::Nowhere => None,
        };
        Ok(Out { file, buffer: Vec::new(), len: 0 })
    }

    /// Number of bytes that were put.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.len += bytes.len() as u64;
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_LEN { self.flush() } else { Ok(()) }
    }

    /// Hands what waits to the system.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            if let Some(file) = &mut self.file {
                file.write_all(&self.buffer)?;
            }
            self.buffer.clear();
        }
        Ok(())
    }
}

/// Bytes in order, of which the first go to a file without a name when they are too many for
/// memory.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Name of that file for the moment in which it has one.
    name: String,
    /// Number of bytes that are held.
    held_len_max: usize,
    held: Vec<u8>,
    spill: Option<Spill>,
    spilled_len: u64,
}

impl Waiting {
    pub(super) fn new(name: &str, held_len_max: usize) -> Self {
        let (name, held, spill) = (name.to_owned(), Vec::new(), None);
        Waiting { name, held_len_max, held, spill, spilled_len: 0 }
    }

    /// Their number.
    pub(super) fn len(&self) -> u64 {
        self.spilled_len + self.held.len() as u64
    }

    /// Adds what `put` appends.
    pub(super) fn add<T>(
        &mut self,
        aside: &Aside,
        put: impl FnOnce(&mut Vec<u8>) -> T,
    ) -> io::Result<T> {
        let done = put(&mut self.held);
        if self.held.len() >= self.held_len_max {
            match (&mut self.spill, aside) {
                (Some(spill), _) => drop(spill.append(&self.held)?),
                (none, Aside::Folder(draft)) => {
                    let spill = Spill::create(draft.files(), &draft.path().join(&self.name))?;
                    none.insert(spill).append(&self.held)?;
                }
                // Nobody will read them.
                (None, Aside::Nowhere) => {}
            }
            self.spilled_len += self.held.len() as u64;
            self.held.clear();
        }
        Ok(done)
    }

    /// Hands them all out, in pieces of at most [`BUFFER_LEN`] and of what is held.
    pub(super) fn take(&mut self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if let Some(spill) = self.spill.take() {
            let (mut buffer, mut at) = (vec![0; BUFFER_LEN], 0);
            while at < self.spilled_len {
                let len = buffer.len().min((self.spilled_len - at) as usize);
                spill.read_at(&mut buffer[..len], at)?;
                each(&buffer[..len])?;
                at += len as u64;
            }
            self.spilled_len = 0;
        }
        each(&self.held)?;
        self.held.clear();
        Ok(())
    }
}

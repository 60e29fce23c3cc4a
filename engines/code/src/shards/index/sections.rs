//! Sections of a shard on their way to its file, each at the place that the layout gives it.
//!
//! Bytes:   docs/formats/zoekt.md, section *Sections*

use std::io;

use manicule_format_zoekt::{Layout, Section, TooLong, sized_deltas};
use manicule_store::OutFile;

/// Bytes are written to the file in pieces of about this many.
pub(super) const PIECE_LEN: usize = 1 << 20;

/// Error of writing a shard.
#[derive(Debug)]
pub(in crate::shards) enum WriteError {
    /// The file, or the spill.
    Io(io::Error),
    TooLong(TooLong),
    /// More languages than a code can express.
    Languages,
    /// Somebody wants no more.
    Stopped,
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Io(error)
    }
}

impl From<TooLong> for WriteError {
    fn from(error: TooLong) -> Self {
        WriteError::TooLong(error)
    }
}

/// Bytes on their way to the file.
pub(super) struct Piece<'f> {
    file: &'f OutFile,
    at: u64,
    bytes: Vec<u8>,
}

impl<'f> Piece<'f> {
    /// Nothing yet; what comes is written from offset `at` on.
    pub(super) fn at(file: &'f OutFile, at: u64) -> Self {
        Piece { file, at, bytes: Vec::new() }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= PIECE_LEN { self.flush() } else { Ok(()) }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.file.write_all_at(&self.bytes, self.at)?;
        self.at += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }
}

pub(super) fn place_ngrams(layout: &mut Layout, count: usize) -> Result<u64, TooLong> {
    layout.simple(Section::NgramText, count * size_of::<u64>())
}

pub(super) fn put(
    file: &OutFile,
    layout: &mut Layout,
    section: Section,
    bytes: &[u8],
) -> Result<(), WriteError> {
    let at = layout.simple(section, bytes.len())?;
    Ok(file.write_all_at(bytes, at)?)
}

/// A section of the running counts after the first.
pub(super) fn put_ends(
    file: &OutFile,
    layout: &mut Layout,
    section: Section,
    starts: &[u32],
) -> Result<(), WriteError> {
    put(file, layout, section, &sized_deltas(starts[1..].iter().copied()))
}

pub(super) fn put_items<'i>(
    file: &OutFile,
    layout: &mut Layout,
    section: Section,
    items: impl Iterator<Item = &'i [u8]> + Clone,
) -> Result<(), WriteError> {
    let placed = layout.compound(section, items.clone().map(|item| item.len() as u32))?;
    let mut out = Piece::at(file, placed.at);
    for item in items {
        out.push(item)?;
    }
    out.push(&placed.index)?;
    Ok(out.flush()?)
}

//! Draft of a manifest: rows and names collected, then written.

use std::ffi::CStr;
use std::io::{self, Write};

use super::rows::{
    Entry, FILES, FOLDERS, File, Folder, META, Meta, NAMES, OTHERS, Other, RULES, SEGMENTS,
    SegmentRow, WATCHED, Watched, name_at,
};
use crate::frame::{FrameWriter, Kind};

/// A manifest being made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Metadata of the whole tree.
    pub meta: Meta,
    /// The folders, a parent before its children.
    pub folders: Vec<Folder>,
    /// The files, by folder.
    pub files: Vec<File>,
    /// Entries that the rules leave out, by folder.
    pub others: Vec<Other>,
    /// Files that the rules were read from.
    pub watched: Vec<Watched>,
    /// The segments that files refer to.
    pub segments: Vec<SegmentRow>,
    /// Version of the rules by which files count, whoever numbers them.
    pub rules: u32,
    names: Vec<u8>,
}

impl Draft {
    /// Stores a name or path and returns where. Zero bytes end it: no file system allows them.
    ///
    /// # Panics
    /// If all names together reach 4 GiB.
    pub fn name(&mut self, name: &[u8]) -> u32 {
        let at = u32::try_from(self.names.len()).expect("names below 4 GiB");
        self.names.extend_from_slice(name);
        self.names.push(0);
        at
    }

    /// A name stored before.
    pub fn name_c(&self, at: u32) -> &CStr {
        name_at(&self.names, at)
    }

    /// Writes the manifest. Returns how many bytes it has.
    pub fn write(&self, out: impl Write) -> io::Result<u64> {
        let mut frame = FrameWriter::new(out, Kind::Manifest)?;
        write_section(&mut frame, META, std::slice::from_ref(&self.meta))?;
        write_section(&mut frame, FOLDERS, &self.folders)?;
        write_section(&mut frame, FILES, &self.files)?;
        write_section(&mut frame, OTHERS, &self.others)?;
        write_section(&mut frame, WATCHED, &self.watched)?;
        write_section(&mut frame, SEGMENTS, &self.segments)?;
        frame.section(NAMES)?;
        frame.write(&self.names)?;
        frame.section(RULES)?;
        frame.write(&self.rules.to_le_bytes())?;
        let (mut out, len) = frame.finish()?;
        out.flush()?;
        Ok(len)
    }
}

fn write_section<W: Write, E: Entry>(
    frame: &mut FrameWriter<W>,
    id: u32,
    rows: &[E],
) -> io::Result<()> {
    frame.section(id)?;
    let mut bytes = Vec::with_capacity(rows.len() * E::LEN);
    rows.iter().for_each(|row| row.encode(&mut bytes));
    frame.write(&bytes)
}

//! Zip: a header, the deflated content, its lengths; at the end the directory.

use std::io::{self, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use manicule_format_restic::{OwnedNode, ZipEntry, put_zip_end};

use super::entry::{Archive, ArchiveError, Content};

pub(super) struct Zip<'o> {
    out: Counted<'o>,
    entries: Vec<ZipEntry>,
}

/// An output, and the number of bytes that went there.
struct Counted<'o> {
    out: &'o mut dyn Write,
    at: u64,
}

impl<'o> Zip<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Zip { out: Counted { out, at: 0 }, entries: Vec::new() }
    }
}

impl Archive for Zip<'_> {
    fn put(
        &mut self,
        path: &[u8],
        node: &OwnedNode,
        content: &mut Content<'_, '_>,
    ) -> Result<(), ArchiveError> {
        let Some(mut entry) = ZipEntry::of(path, node, self.out.at) else {
            let shown = String::from_utf8_lossy(path);
            let why = format!("{shown:.80}..: a path of {} bytes, more than zip takes", path.len());
            return Err(ArchiveError::Damaged(why));
        };
        let mut bytes = Vec::new();
        entry.put_header(&mut bytes);
        self.out.write_all(&bytes)?;
        let (from, mut crc) = (self.out.at, Crc::new());
        let len = if entry.is_deflated() {
            let mut packed = DeflateEncoder::new(&mut self.out, Compression::default());
            let len = content.read(|plain| {
                crc.update(plain);
                packed.write_all(plain)
            })?;
            packed.finish()?;
            len
        } else {
            // Of a link its target; others have no content.
            let plain: &[u8] = if node.kind == "symlink" { &node.link_target } else { &[] };
            crc.update(plain);
            self.out.write_all(plain)?;
            plain.len() as u64
        };
        bytes.clear();
        entry.put_lens(crc.sum(), self.out.at - from, len, &mut bytes);
        self.out.write_all(&bytes)?;
        self.entries.push(entry);
        Ok(())
    }

    fn end(&mut self) -> Result<(), ArchiveError> {
        let mut end = Vec::new();
        put_zip_end(&self.entries, self.out.at, &mut end);
        Ok(self.out.write_all(&end)?)
    }
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.out.write(bytes)?;
        self.at += len as u64;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

//! Tar: a header, the content, zeros up to the next block.

use std::io::Write;

use manicule_format_restic::{OwnedNode, pad, put_tar_end, put_tar_header};

use super::entry::{Archive, ArchiveError, Content};

pub(super) struct Tar<'o> {
    out: &'o mut dyn Write,
}

impl<'o> Tar<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Tar { out }
    }
}

impl Archive for Tar<'_> {
    fn put(
        &mut self,
        path: &[u8],
        node: &OwnedNode,
        content: &mut Content<'_, '_>,
    ) -> Result<(), ArchiveError> {
        let mut bytes = Vec::new();
        put_tar_header(path, node, &mut bytes);
        self.out.write_all(&bytes)?;
        let len = content.read(|plain| self.out.write_all(plain))?;
        bytes.clear();
        pad(len, &mut bytes);
        Ok(self.out.write_all(&bytes)?)
    }

    fn end(&mut self) -> Result<(), ArchiveError> {
        let mut end = Vec::new();
        put_tar_end(&mut end);
        Ok(self.out.write_all(&end)?)
    }
}

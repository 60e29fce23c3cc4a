//! Blobs of one kind, gathered into packs.

use std::io;

use manicule_format_restic::{BlobKind, Id, PackedBlob, Place};

use crate::writer::Writer;

/// How a blob is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storing {
    Compressed,
    Plain,
}

/// A pack that is being filled.
pub(crate) struct Packer {
    kind: BlobKind,
    blob_count_max: usize,
    body: Vec<u8>,
    blobs: Vec<PackedBlob>,
}

impl Packer {
    pub(crate) fn new(kind: BlobKind, blob_count_max: usize) -> Packer {
        Packer { kind, blob_count_max, body: Vec::new(), blobs: Vec::new() }
    }

    /// Stores a blob, and ends the pack if it is full. Returns the blob's id.
    pub(crate) fn add(
        &mut self,
        writer: &mut Writer,
        plain: &[u8],
        storing: Storing,
    ) -> io::Result<Id> {
        let id = Id::of(plain);
        let offset = self.body.len() as u32;
        let raw_len = match storing {
            Storing::Plain => {
                writer.seal(plain, &mut self.body);
                0
            }
            Storing::Compressed => {
                let frame = writer.compress(plain)?;
                writer.seal(&frame, &mut self.body);
                plain.len() as u32
            }
        };
        let place = Place { offset, len: self.body.len() as u32 - offset, raw_len };
        self.blobs.push(PackedBlob { kind: Some(self.kind), id, place });
        if self.blobs.len() == self.blob_count_max {
            self.flush(writer)?;
        }
        Ok(id)
    }

    /// Ends the pack, if it has blobs.
    pub(crate) fn flush(&mut self, writer: &mut Writer) -> io::Result<()> {
        if self.blobs.is_empty() {
            return Ok(());
        }
        writer.put_header(&self.blobs, &mut self.body);
        let id = writer.put_pack(&self.body)?;
        writer.index_pack(id, &self.blobs)?;
        self.body.clear();
        self.blobs.clear();
        Ok(())
    }
}

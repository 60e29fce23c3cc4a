//! What the head of a cached index says, and the rows of its packs.
//!
//! Bytes:   docs/formats/blob-cache.md, "Index"

use manicule_core::bytes::{DecodeError, Reader};

use crate::{Id, IndexForm};

/// The head of a cached index, after its sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexContents {
    /// Number of packs.
    pub pack_count: u32,
    /// Number of entries: of data blobs, of trees.
    pub entry_counts: [u32; 2],
    /// Entries that equal an earlier one in everything, which are left out.
    pub repeat_count: u64,
    /// The index files, ordered by id.
    pub files: Vec<CachedFile>,
    /// Packs that are marked for deletion, and the times as they are written.
    pub marked: Vec<(Id, Option<String>)>,
}

/// An index file in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedFile {
    /// Its id.
    pub id: Id,
    /// Its length as it is stored.
    pub len: u64,
    /// Number of packs that it names.
    pub pack_count: u32,
    /// Number of blobs that it lists.
    pub blob_count: u32,
    /// Whether it is written byte by byte as restic writes.
    pub form: IndexForm,
}

/// Length of a file in a head.
const FILE_LEN: usize = 32 + 8 + 4 + 4 + 1;

/// Length of a pack's row.
pub const PACK_ROW_LEN: usize = 32 + 4 + 4 + 8 + 8 + 4;

/// A pack in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedPack {
    /// Its id.
    pub id: Id,
    /// Number of its blobs.
    pub blob_count: u32,
    /// Those of them that have no type.
    pub untyped_count: u32,
    /// Length of its file, as its blobs make it.
    pub len: u64,
    /// Length of its header.
    pub header_len: u64,
    /// Number of times that index files name it.
    pub named: u32,
}

impl IndexContents {
    /// Appends its bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.pack_count.to_le_bytes());
        self.entry_counts.iter().for_each(|count| out.extend_from_slice(&count.to_le_bytes()));
        out.extend_from_slice(&self.repeat_count.to_le_bytes());
        out.extend_from_slice(&(self.files.len() as u32).to_le_bytes());
        for file in &self.files {
            out.extend_from_slice(&file.id.0);
            out.extend_from_slice(&file.len.to_le_bytes());
            out.extend_from_slice(&file.pack_count.to_le_bytes());
            out.extend_from_slice(&file.blob_count.to_le_bytes());
            out.push(u8::from(file.form == IndexForm::General));
        }
        out.extend_from_slice(&(self.marked.len() as u32).to_le_bytes());
        for (id, time) in &self.marked {
            out.extend_from_slice(&id.0);
            out.push(u8::from(time.is_some()));
            let time = time.as_deref().unwrap_or_default();
            out.extend_from_slice(&(time.len() as u32).to_le_bytes());
            out.extend_from_slice(time.as_bytes());
        }
    }

    /// Reads its bytes.
    pub fn decode(bytes: &[u8]) -> Result<IndexContents, DecodeError> {
        let mut reader = Reader::new(bytes, 0);
        let pack_count = reader.u32_le("count of packs")?;
        let entry_counts =
            [reader.u32_le("count of data blobs")?, reader.u32_le("count of trees")?];
        let repeat_count = reader.u64_le("count of repeated entries")?;
        let file_count = at_hand(&mut reader, "count of index files", FILE_LEN)?;
        let files = (0..file_count).map(|_| read_file(&mut reader)).collect::<Result<_, _>>()?;
        let marked_count = at_hand(&mut reader, "count of marked packs", 32 + 1 + 4)?;
        let marked =
            (0..marked_count).map(|_| read_marked(&mut reader)).collect::<Result<_, _>>()?;
        Ok(IndexContents { pack_count, entry_counts, repeat_count, files, marked })
    }
}

impl CachedPack {
    /// Appends its row.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id.0);
        out.extend_from_slice(&self.blob_count.to_le_bytes());
        out.extend_from_slice(&self.untyped_count.to_le_bytes());
        out.extend_from_slice(&self.len.to_le_bytes());
        out.extend_from_slice(&self.header_len.to_le_bytes());
        out.extend_from_slice(&self.named.to_le_bytes());
    }

    /// Reads a row.
    pub fn decode(row: &[u8]) -> Result<CachedPack, DecodeError> {
        let mut reader = Reader::new(row, 0);
        Ok(CachedPack {
            id: read_id(&mut reader)?,
            blob_count: reader.u32_le("count of a pack's blobs")?,
            untyped_count: reader.u32_le("count of a pack's blobs without a type")?,
            len: reader.u64_le("length of a pack")?,
            header_len: reader.u64_le("length of a pack's header")?,
            named: reader.u32_le("count of a pack's names")?,
        })
    }
}

/// A count of things of at least `len` bytes each: no more than there are bytes for.
pub(super) fn at_hand(
    reader: &mut Reader<'_>,
    what: &'static str,
    len: usize,
) -> Result<u32, DecodeError> {
    let (at, got) = (reader.at(), reader.u32_le(what)?);
    let want = (reader.rest().len() / len) as u64;
    if u64::from(got) > want {
        return Err(DecodeError::Corrupt { what, at, want, got: got.into() });
    }
    Ok(got)
}

pub(super) fn read_id(reader: &mut Reader<'_>) -> Result<Id, DecodeError> {
    let id = reader.take("id", 32)?;
    Ok(Id(id.try_into().expect("32 bytes")))
}

fn read_file(reader: &mut Reader<'_>) -> Result<CachedFile, DecodeError> {
    Ok(CachedFile {
        id: read_id(reader)?,
        len: reader.u64_le("length of an index file")?,
        pack_count: reader.u32_le("count of a file's packs")?,
        blob_count: reader.u32_le("count of a file's blobs")?,
        form: match reader.u8("form of an index file")? {
            0 => IndexForm::Canonical,
            _ => IndexForm::General,
        },
    })
}

fn read_marked(reader: &mut Reader<'_>) -> Result<(Id, Option<String>), DecodeError> {
    let id = read_id(reader)?;
    let is_timed = reader.u8("whether a mark has a time")? == 1;
    let len = reader.u32_le("length of a mark's time")? as usize;
    let time = String::from_utf8_lossy(reader.take("time of a mark", len)?).into_owned();
    Ok((id, is_timed.then_some(time)))
}

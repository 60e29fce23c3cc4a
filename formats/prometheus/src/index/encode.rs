//! The parts of an index as bytes, version 2. Who writes a file puts them one behind the other and knows where each
//! stands; what is left out or refused is his to decide.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: engines/series

use manicule_core::bytes::{put_uvarint, put_varint, uvarint_len};

use super::layout::{INDEX_MAGIC, SERIES_ALIGN, Version};
use super::symbols::SymbolIndex;
use crate::crc::crc32c_append;
use crate::{ChunkMeta, crc32c};

/// | 4 magic | 1 version |
pub const INDEX_HEADER: [u8; 5] =
    [INDEX_MAGIC[0], INDEX_MAGIC[1], INDEX_MAGIC[2], INDEX_MAGIC[3], Version::V2 as u8];

/// The first posting list and each legacy label index begin at a multiple of this.
pub const LIST_ALIGN: u64 = 4;

/// What a list takes beside its items: | 4 len | 4 count | .. | 4 CRC |
pub const LIST_FRAME_LEN: u64 = 12;

/// | uvarint len | bytes |
#[inline]
pub fn put_string(string: &[u8], out: &mut Vec<u8>) {
    put_uvarint(string.len() as u64, out);
    out.extend_from_slice(string);
}

/// How many bytes [`put_string`] appends.
#[inline]
pub fn string_len(string: &[u8]) -> u64 {
    (uvarint_len(string.len() as u64) + string.len()) as u64
}

/// Zeros up to the next multiple of `align`, for who stands at offset `at` of the file.
#[inline]
pub fn put_padding(at: u64, align: u64, out: &mut Vec<u8>) {
    const ZEROS: [u8; SERIES_ALIGN as usize] = [0; SERIES_ALIGN as usize];
    let len = at.next_multiple_of(align) - at;
    out.extend_from_slice(&ZEROS[..len as usize]);
}

/// A section `| 4 len | len bytes | 4 CRC |` being written piece by piece: symbols, a list, a table.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    sum: u32,
    left: u32,
}

impl Section {
    /// Appends the length field of a section that will have `len` bytes.
    pub fn begin(len: u32, out: &mut Vec<u8>) -> Section {
        out.extend_from_slice(&len.to_be_bytes());
        Section { sum: 0, left: len }
    }

    /// Appends the bytes that `fill` appends, which the checksum covers.
    ///
    /// # Panics
    /// If the section gets longer than was said when it began.
    #[inline]
    pub fn add(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
        let start = out.len();
        fill(out);
        let added = &out[start..];
        let left = (self.left as usize).checked_sub(added.len());
        self.left = left.expect("a section is as long as was said") as u32;
        self.sum = crc32c_append(self.sum, added);
    }

    /// Appends the checksum.
    ///
    /// # Panics
    /// If the section is shorter than was said when it began.
    pub fn end(self, out: &mut Vec<u8>) {
        assert!(self.left == 0, "a section is as long as was said");
        out.extend_from_slice(&self.sum.to_be_bytes());
    }
}

/// A label as every series that has it says it: both symbols, encoded once.
#[derive(Clone, Copy, Debug)]
pub struct LabelBytes {
    /// Two varints of 32 bits, and in the last byte how many bytes they take.
    bytes: [u8; LABEL_STORE_LEN],
    /// Plus 1, so that 0 stands before every name.
    name: u32,
}

/// Two varints of 32 bits are at most ten bytes; one more says how many.
const LABEL_STORE_LEN: usize = 12;
const LABEL_LEN_AT: usize = LABEL_STORE_LEN - 1;

impl LabelBytes {
    /// The label of a name and a value.
    ///
    /// # Panics
    /// If the name is the last number that there is: a table of so many symbols is too long.
    pub fn new(name: SymbolIndex, value: SymbolIndex) -> Self {
        let mut encoded = Vec::with_capacity(LABEL_STORE_LEN);
        put_uvarint(name.0.into(), &mut encoded);
        put_uvarint(value.0.into(), &mut encoded);
        let mut bytes = [0; LABEL_STORE_LEN];
        bytes[..encoded.len()].copy_from_slice(&encoded);
        bytes[LABEL_LEN_AT] = encoded.len() as u8;
        let name = name.0.checked_add(1).expect("fewer than 2^32 - 1 symbols");
        LabelBytes { bytes, name }
    }

    /// A number that rises with the name, and is not 0: labels of a series are in order when it rises strictly.
    #[inline]
    pub fn name_rank(&self) -> u32 {
        self.name
    }
}

/// What a series says, being put together; it stays to be used for the next.
#[derive(Clone, Debug, Default)]
pub struct SeriesPayload(Vec<u8>);

impl SeriesPayload {
    /// Begins a series of so many labels.
    #[inline]
    pub fn begin(&mut self, label_count: usize) {
        self.0.clear();
        put_uvarint(label_count as u64, &mut self.0);
    }

    /// The next label.
    #[inline(always)]
    pub fn label(&mut self, label: &LabelBytes) {
        // A store of constant length, of which the wrong end is taken back: 2 ns where copying the right length takes 6.
        let end = self.0.len() + usize::from(label.bytes[LABEL_LEN_AT]);
        self.0.extend_from_slice(&label.bytes);
        self.0.truncate(end);
    }

    /// The chunks, whose times the caller has found to be in order.
    #[inline]
    pub fn chunks(&mut self, chunks: &[ChunkMeta]) {
        let out = &mut self.0;
        put_uvarint(chunks.len() as u64, out);
        let mut before: Option<&ChunkMeta> = None;
        for chunk in chunks {
            match before {
                None => put_varint(chunk.min_time, out),
                Some(before) => {
                    put_uvarint(chunk.min_time.wrapping_sub(before.max_time) as u64, out)
                }
            }
            put_uvarint(chunk.max_time.wrapping_sub(chunk.min_time) as u64, out);
            match before {
                None => put_uvarint(chunk.reference.0, out),
                Some(before) => {
                    put_varint(chunk.reference.0.wrapping_sub(before.reference.0) as i64, out);
                }
            }
            before = Some(chunk);
        }
    }

    /// Appends the series: its length, what it says, the checksum.
    #[inline]
    pub fn put(&self, out: &mut Vec<u8>) {
        put_uvarint(self.0.len() as u64, out);
        out.extend_from_slice(&self.0);
        out.extend_from_slice(&crc32c(&self.0).to_be_bytes());
    }
}

/// An entry of the postings offset table: | 2 | str name | str value | uvarint list_at |
pub fn put_list_place(name: &[u8], value: &[u8], list_at: u64, out: &mut Vec<u8>) {
    out.push(2);
    put_string(name, out);
    put_string(value, out);
    put_uvarint(list_at, out);
}

/// How many bytes [`put_list_place`] appends.
pub fn list_place_len(name: &[u8], value: &[u8], list_at: u64) -> u64 {
    1 + string_len(name) + string_len(value) + uvarint_len(list_at) as u64
}

/// An entry of the legacy table of label indices: | 1 | str name | uvarint label_index_at |
pub fn put_label_index_place(name: &[u8], label_index_at: u64, out: &mut Vec<u8>) {
    out.push(1);
    put_string(name, out);
    put_uvarint(label_index_at, out);
}

/// How many bytes [`put_label_index_place`] appends.
pub fn label_index_place_len(name: &[u8], label_index_at: u64) -> u64 {
    1 + string_len(name) + uvarint_len(label_index_at) as u64
}

//! The parts of an index as bytes, version 2. The writer of a file puts them back to back and knows
//! where each stands; what is left out or refused is his to decide.
//!
//! Bytes:   docs/formats/prometheus.md

use manicule_core::bytes::{UVARINT_LEN_MAX, folded, put_uvarint, uvarint_len, uvarint_word};

use super::layout::{INDEX_MAGIC, SERIES_ALIGN, Version};
use super::symbols::SymbolIndex;
use crate::crc::crc32c_append;
use crate::{ChunkMeta, crc32c};

/// | 4 magic | 1 version |
pub const INDEX_HEADER: [u8; 5] =
    [INDEX_MAGIC[0], INDEX_MAGIC[1], INDEX_MAGIC[2], INDEX_MAGIC[3], Version::V2 as u8];

/// The first posting list and each legacy label index begin at a multiple of this.
pub const LIST_ALIGN: u64 = 4;

/// Length of a list beside its items: | 4 len | 4 count | .. | 4 CRC |
pub const LIST_FRAME_LEN: u64 = 12;

/// | uvarint len | bytes |
#[inline]
pub fn put_string(string: &[u8], out: &mut Vec<u8>) {
    put_uvarint(string.len() as u64, out);
    out.extend_from_slice(string);
}

/// Number of bytes that [`put_string`] appends.
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
    /// If the name is the last number that there is: a table of that many symbols is too long.
    pub fn new(name: SymbolIndex, value: SymbolIndex) -> Self {
        let word =
            |symbol: SymbolIndex| uvarint_word(symbol.0.into()).expect("32 bits are below 56");
        let ((first, first_len), (second, second_len)) = (word(name), word(value));
        let both = u128::from(first) | u128::from(second) << (8 * first_len);
        let mut bytes = [0; LABEL_STORE_LEN];
        bytes[..LABEL_LEN_AT].copy_from_slice(&both.to_le_bytes()[..LABEL_LEN_AT]);
        bytes[LABEL_LEN_AT] = (first_len + second_len) as u8;
        let name = name.0.checked_add(1).expect("fewer than 2^32 - 1 symbols");
        LabelBytes { bytes, name }
    }

    /// A number that rises with the name, and is not 0: labels of a series are in order when it
    /// rises strictly.
    #[inline]
    pub fn name_rank(&self) -> u32 {
        self.name
    }
}

/// Series being appended to a buffer. Their checksums come last, all together: the bytes of a
/// series that was just written can't be read back at once without waiting for the stores (40 ms of
/// 1.2 million series).
#[derive(Debug)]
pub struct SeriesEncoder<'o> {
    /// Long enough for what comes next, and longer; cut to `at` in the end.
    out: &'o mut Vec<u8>,
    at: usize,
    /// File offset of the buffer's first byte, if the file is seen as beginning that much earlier.
    file_at: u64,
    /// Offset of the payload of the series being appended.
    payload_at: usize,
    /// Length in bytes of the length field of the series before: mostly that of the next.
    len_len: usize,
    sums: &'o mut SeriesSums,
}

/// Series of a buffer that lack their checksums: memory that an encoder borrows.
#[derive(Clone, Debug, Default)]
pub struct SeriesSums(Vec<(usize, usize)>);

/// Number of checksums computed together: their series lie in the first cache of the processor.
const SUMS_TOGETHER: usize = 128;

/// Maximum length of a chunk: three numbers.
const CHUNK_LEN_MAX: usize = 3 * UVARINT_LEN_MAX;

/// Maximum length of a series beside labels and chunks: padding before and after, three numbers, a
/// checksum.
const SERIES_FRAME_LEN_MAX: usize = 2 * SERIES_ALIGN as usize + 3 * UVARINT_LEN_MAX + 4;

impl<'o> SeriesEncoder<'o> {
    /// Appends series to `out`, whose end stands at offset `at` of the file.
    pub fn new(out: &'o mut Vec<u8>, at: u64, sums: &'o mut SeriesSums) -> Self {
        sums.0.clear();
        let (len, file_at) = (out.len(), at.wrapping_sub(out.len() as u64));
        SeriesEncoder { out, at: len, file_at, payload_at: 0, len_len: 1, sums }
    }

    /// Length of the buffer in bytes.
    pub fn out_len(&self) -> usize {
        self.at
    }

    /// Begins a series of `label_count` labels after padding, and returns its offset in the file.
    #[inline]
    pub fn begin(&mut self, label_count: usize) -> u64 {
        self.room(SERIES_FRAME_LEN_MAX + label_count * LABEL_STORE_LEN);
        self.put(&[0; SERIES_ALIGN as usize], 0);
        let file_at = self.file_at.wrapping_add(self.at as u64).next_multiple_of(SERIES_ALIGN);
        self.at = file_at.wrapping_sub(self.file_at) as usize;
        self.payload_at = self.at + self.len_len;
        self.at = self.payload_at;
        self.number(label_count as u64);
        file_at
    }

    /// The next label: as many as were said.
    #[inline(always)]
    pub fn label(&mut self, label: &LabelBytes) {
        // A store of constant length, of which only so much counts.
        self.put(&label.bytes, label.bytes[LABEL_LEN_AT].into());
    }

    /// The chunks, whose times the caller has found to be in order; and the end of the series.
    #[inline]
    pub fn end(&mut self, chunks: &[ChunkMeta]) {
        self.room(SERIES_FRAME_LEN_MAX + chunks.len() * CHUNK_LEN_MAX);
        self.number(chunks.len() as u64);
        let mut before: Option<&ChunkMeta> = None;
        for chunk in chunks {
            match before {
                None => self.number(folded(chunk.min_time)),
                Some(before) => self.number(chunk.min_time.wrapping_sub(before.max_time) as u64),
            }
            self.number(chunk.max_time.wrapping_sub(chunk.min_time) as u64);
            match before {
                None => self.number(chunk.reference.0),
                Some(before) => {
                    let step = chunk.reference.0.wrapping_sub(before.reference.0);
                    self.number(folded(step as i64));
                }
            }
            before = Some(chunk);
        }
        self.put_len();
        self.sums.0.push((self.payload_at, self.at));
        self.at += size_of::<u32>();
        if self.sums.0.len() == SUMS_TOGETHER {
            self.put_sums();
        }
    }

    /// Puts the length in front of the payload, which moves if the length takes more or fewer bytes
    /// than was thought.
    #[inline]
    fn put_len(&mut self) {
        let len = self.at - self.payload_at;
        let (word, len_len) = uvarint_word(len as u64).expect("a buffer is shorter than 2^56");
        let len_at = self.payload_at - self.len_len;
        if len_len != self.len_len {
            self.move_payload(len_at + len_len, len);
            self.len_len = len_len;
        }
        self.out[len_at..len_at + len_len].copy_from_slice(&word.to_le_bytes()[..len_len]);
    }

    #[cold]
    fn move_payload(&mut self, to: usize, len: usize) {
        self.out.copy_within(self.payload_at..self.at, to);
        self.payload_at = to;
        self.at = to + len;
    }

    fn put_sums(&mut self) {
        for (start, end) in self.sums.0.drain(..) {
            let sum = crc32c(&self.out[start..end]);
            self.out[end..end + size_of::<u32>()].copy_from_slice(&sum.to_be_bytes());
        }
    }

    /// The end of the last series: all checksums are there, the buffer has the bytes of the series
    /// and no others.
    pub fn finish(mut self) {
        self.put_sums();
        self.out.truncate(self.at);
    }

    #[inline(always)]
    fn number(&mut self, value: u64) {
        match uvarint_word(value) {
            Some((word, len)) => self.put(&word.to_le_bytes(), len),
            None => self.long_number(value),
        }
    }

    #[cold]
    fn long_number(&mut self, value: u64) {
        let mut bytes = Vec::with_capacity(UVARINT_LEN_MAX);
        put_uvarint(value, &mut bytes);
        self.out[self.at..self.at + bytes.len()].copy_from_slice(&bytes);
        self.at += bytes.len();
    }

    /// Stores `bytes`, of which the first `len` count.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: &[u8; N], len: usize) {
        self.out[self.at..self.at + N].copy_from_slice(bytes);
        self.at += len;
    }

    /// Makes the buffer long enough for `len` bytes more.
    #[inline(always)]
    fn room(&mut self, len: usize) {
        if self.out.len() < self.at + len {
            self.out.resize(self.at + len.max(ROOM_LEN), 0);
        }
    }
}

/// By how much a buffer grows at a time.
const ROOM_LEN: usize = 64 << 10;

/// An entry of the postings offset table: | 2 | str name | str value | uvarint list_at |
pub fn put_list_place(name: &[u8], value: &[u8], list_at: u64, out: &mut Vec<u8>) {
    out.push(2);
    put_string(name, out);
    put_string(value, out);
    put_uvarint(list_at, out);
}

/// Number of bytes that [`put_list_place`] appends.
pub fn list_place_len(name: &[u8], value: &[u8], list_at: u64) -> u64 {
    1 + string_len(name) + string_len(value) + uvarint_len(list_at) as u64
}

/// An entry of the legacy table of label indices: | 1 | str name | uvarint label_index_at |
pub fn put_label_index_place(name: &[u8], label_index_at: u64, out: &mut Vec<u8>) {
    out.push(1);
    put_string(name, out);
    put_uvarint(label_index_at, out);
}

/// Number of bytes that [`put_label_index_place`] appends.
pub fn label_index_place_len(name: &[u8], label_index_at: u64) -> u64 {
    1 + string_len(name) + uvarint_len(label_index_at) as u64
}

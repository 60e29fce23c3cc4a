//! Chunks of a Data.db whose CompressionInfo.db doesn't say any more where they are: found by the
//! checksum after each.
//!
//! Chunks lie back to back, so where one ends the next begins: after the last that is known each
//! end is tried, until the four bytes there are the checksum of what lies before, and that
//! decompresses. A damaged chunk has no end. Then the next one is searched by what blocks of its
//! codec begin with, and how many are lost in between follows from the number of all.
//!
//! Bytes:   docs/formats/sstable.md, "CompressionInfo.db"

use manicule_core::compress::Codec;
use manicule_format_sstable::{
    CHUNK_SUM_LEN, Chunk, CompressionHead, CompressionInfo, Version, put_compression_head,
};
use manicule_store::pages::{Keep, Reading};

use super::chunks::Chunks;
use super::file::OpenFile;
use super::places::Places;
use super::resident::Resident;
use crate::RowsError;

/// Maximum number of bytes that are summed up in vain, at places that begin as a chunk does and are
/// none: a second's work.
const VAIN_LEN_MAX: u64 = 512 << 20;
/// Length in bytes of what is searched for the beginning of a chunk at once.
const SEARCH_LEN: u64 = 1 << 20;
/// Length in bytes of the longest beginning of a chunk.
const SIGN_LEN_MAX: u64 = 5;
/// An empty chunk at the end, with its checksum, is not longer.
const EMPTY_CHUNK_LEN_MAX: u64 = 64;

/// How the chunks of a Data.db are decompressed, whatever CompressionInfo.db has lost after the
/// length of the data; and what it has lost, as a sentence, unless it is whole.
///
/// # Errors
/// That of CompressionInfo.db, where its beginning is damaged too, or no chunk is found.
pub(super) fn open_found(
    info: Resident,
    version: Version,
    chunk_bytes_max: u32,
    data: &OpenFile,
    reading: &mut Reading<'_>,
) -> Result<(Chunks, Option<String>), RowsError> {
    let error = match CompressionInfo::open(info.bytes(), version) {
        Ok(_) => {
            let places = Places::in_memory(info, version, reading)?;
            return Ok((Chunks::open(places, chunk_bytes_max)?, None));
        }
        Err(error) => info.damaged(error),
    };
    let Ok(cut) = CompressionInfo::open_cut(info.bytes(), version) else { return Err(error) };
    let count = cut.chunk_count();
    if count == 0 || count as u64 > data.len() / CHUNK_SUM_LEN {
        return Err(error);
    }
    let open = |offsets: &[u64], reading: &mut Reading<'_>| {
        let bytes = Resident::of(info.path().to_owned(), with_offsets(&cut, version, offsets));
        Chunks::open(Places::in_memory(bytes, version, reading)?, chunk_bytes_max)
    };
    let chunks = open(&vec![0; count], reading)?;
    let (info, known) = (chunks.places().info()?, known(&cut, data.len()));
    let signs = signs(chunks.codec, [info.chunk_len, last_len(&info)]);
    let mut search = Search { chunks: &chunks, info, data, signs, vain_len: 0 };
    let known_count = known.len();
    let Some(numbered) = number(search.runs(known, reading), count, data.len()) else {
        return Err(error);
    };
    let found_count = numbered.there_count.saturating_sub(known_count);
    let lost_count = count - numbered.there_count;
    let why = format!(
        "{error}; of {count} chunks it has the places of {known_count}, {found_count} were found by \
         their checksums, and {lost_count} are lost"
    );
    Ok((open(&numbered.offsets, reading)?, Some(why)))
}

/// A CompressionInfo.db that says the same, with these offsets.
fn with_offsets(cut: &CompressionInfo<'_>, version: Version, offsets: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let head = CompressionHead {
        class: cut.class,
        options: &cut.options,
        chunk_len: cut.chunk_len,
        compressed_len_max: cut.compressed_len_max,
        data_len: cut.data_len,
        chunk_count: offsets.len() as u32,
    };
    put_compression_head(version, &head, &mut bytes);
    offsets.iter().for_each(|offset| bytes.extend_from_slice(&offset.to_be_bytes()));
    bytes
}

/// The offsets that are left, as far as they can be those of chunks.
fn known(cut: &CompressionInfo<'_>, data_len: u64) -> Vec<u64> {
    let len_max = stored_len_max(cut) + CHUNK_SUM_LEN;
    let mut known: Vec<u64> = Vec::new();
    for offset in (0..cut.offset_count()).map_while(|index| cut.offset(index)) {
        let is_next = match known.last() {
            None => offset == 0,
            Some(last) => offset > *last && offset - last <= len_max,
        };
        if !is_next || offset >= data_len {
            break;
        }
        known.push(offset);
    }
    known
}

/// Greatest length in bytes of a compressed chunk: Snappy's, which no other codec exceeds.
fn stored_len_max(info: &CompressionInfo<'_>) -> u64 {
    let len = u64::from(info.chunk_len);
    len + len / 6 + 64
}

/// Length in bytes of the last chunk before compression.
fn last_len(info: &CompressionInfo<'_>) -> u32 {
    (info.data_len - (info.chunk_count() as u64 - 1) * u64::from(info.chunk_len)) as u32
}

/// What chunks begin with that have one of these lengths.
fn signs(codec: Option<Codec>, lens: [u32; 2]) -> Vec<Vec<u8>> {
    match codec {
        None => Vec::new(),
        Some(Codec::Lz4) => lens.map(|len| len.to_le_bytes().to_vec()).into(),
        Some(Codec::Snappy) => lens.map(leb128).into(),
        Some(Codec::Zstd) => vec![vec![0x28, 0xb5, 0x2f, 0xfd]],
        Some(Codec::Deflate) => [0x01, 0x5e, 0x9c, 0xda].map(|level| vec![0x78, level]).into(),
    }
}

fn leb128(mut number: u32) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

/// Chunks back to back.
#[derive(Debug)]
struct Run {
    starts: Vec<u64>,
    end: u64,
}

struct Search<'s> {
    chunks: &'s Chunks,
    /// With no right offsets.
    info: CompressionInfo<'s>,
    data: &'s OpenFile,
    /// What chunks begin with.
    signs: Vec<Vec<u8>>,
    /// Number of bytes that were summed up in vain.
    vain_len: u64,
}

impl Search<'_> {
    /// All chunks that are there, after those that are `known`.
    fn runs(&mut self, mut known: Vec<u64>, reading: &mut Reading<'_>) -> Vec<Run> {
        let end = known.pop().unwrap_or_default();
        let (mut runs, mut run) = (Vec::new(), Run { starts: known, end });
        loop {
            while let Some(next) = self.end_of_chunk(run.end, reading) {
                run.starts.push(run.end);
                run.end = next;
            }
            let end = run.end;
            runs.push(run);
            if end >= self.data.len() {
                return runs;
            }
            let start = self.next_start(end, reading);
            run = Run { starts: Vec::new(), end: start.unwrap_or(self.data.len()) };
        }
    }

    /// Where the chunk at a place ends, with its checksum, if one is there.
    fn end_of_chunk(&mut self, start: u64, reading: &mut Reading<'_>) -> Option<u64> {
        let end = start + stored_len_max(&self.info) + CHUNK_SUM_LEN;
        let window = self.data.get(start..end.min(self.data.len()), Keep::Passing, reading).ok()?;
        let lens = [self.info.chunk_len, last_len(&self.info)];
        let is_chunk = |stored_len: usize, len: u32, is_plain: bool| {
            let stored = start..start + stored_len as u64;
            let chunk = Chunk { stored, len, is_plain };
            self.chunks.decompress(&chunk, &window[..stored_len], &self.info, self.data).is_ok()
        };
        if self.signs.iter().any(|sign| window.starts_with(sign)) {
            let mut ends = sums(&window);
            let found =
                ends.find(|stored_len| lens.iter().any(|len| is_chunk(*stored_len, *len, false)));
            if let Some(stored_len) = found {
                return Some(start + stored_len as u64 + CHUNK_SUM_LEN);
            }
            self.vain_len += window.len() as u64;
        }
        if self.chunks.codec.is_some() && self.info.compressed_len_max.is_none() {
            return None;
        }
        let plain = lens.into_iter().find(|len| is_summed(&window, *len as usize))?;
        Some(start + u64::from(plain) + CHUNK_SUM_LEN)
    }

    /// Where the first chunk after a damaged one begins.
    fn next_start(&mut self, damaged: u64, reading: &mut Reading<'_>) -> Option<u64> {
        if self.chunks.codec.is_none() {
            let next = damaged + u64::from(self.info.chunk_len) + CHUNK_SUM_LEN;
            return Some(next).filter(|next| *next < self.data.len());
        }
        let mut at = damaged + 1;
        while at < self.data.len() {
            let end = (at + SEARCH_LEN + SIGN_LEN_MAX).min(self.data.len());
            let window = self.data.get(at..end, Keep::Passing, reading).ok()?.to_vec();
            for place in 0..window.len().min(SEARCH_LEN as usize) {
                let is_sign = self.signs.iter().any(|sign| window[place..].starts_with(sign));
                let start = at + place as u64;
                if is_sign && self.end_of_chunk(start, reading).is_some() {
                    return Some(start);
                }
                if self.vain_len > VAIN_LEN_MAX {
                    return None;
                }
            }
            at += SEARCH_LEN;
        }
        None
    }
}

/// CRC-32 of each byte.
const SUMS: [u32; 256] = {
    let (mut table, mut byte) = ([0; 256], 0);
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

/// Lengths of beginnings that are followed by their CRC-32.
fn sums(window: &[u8]) -> impl Iterator<Item = usize> {
    let mut sum = u32::MAX;
    let bytes = window.iter().zip(window[1.min(window.len())..].windows(4)).enumerate();
    bytes.filter_map(move |(at, (byte, after))| {
        sum = SUMS[(sum as u8 ^ byte) as usize] ^ sum >> 8;
        (after == (!sum).to_be_bytes()).then_some(at + 1)
    })
}

/// Whether a beginning of this length is followed by its CRC-32.
fn is_summed(window: &[u8], len: usize) -> bool {
    let split = window.split_at_checked(len);
    split.is_some_and(|(bytes, after)| after.starts_with(&crc32fast::hash(bytes).to_be_bytes()))
}

/// Chunks with their numbers.
#[derive(Debug, PartialEq, Eq)]
struct Numbered {
    /// Their offsets. One that is lost has an offset too, at which no chunk is.
    offsets: Vec<u64>,
    /// Number of those that aren't lost.
    there_count: usize,
}

/// Gives the chunks of a file of `data_len` bytes their numbers, of which there are `count`.
/// Between two runs one is lost at least. Where several are, and between which runs is not clear,
/// those runs are lost too that are neither the first nor the last.
fn number(mut runs: Vec<Run>, count: usize, data_len: u64) -> Option<Numbered> {
    let there = |runs: &[Run]| runs.iter().map(|run| run.starts.len()).sum::<usize>();
    if let [.., before, last] = &runs[..]
        && last.starts.is_empty()
        && data_len - before.end <= EMPTY_CHUNK_LEN_MAX
        && there(&runs) == count
    {
        runs.pop();
    }
    let least = there(&runs) + runs.len() - 1;
    let is_clear = least == count;
    if least > count || (!is_clear && runs.len() == 1) {
        return None;
    }
    if !is_clear {
        runs.drain(1..runs.len() - 1);
    }
    let there_count = there(&runs);
    let lost_count = Some(count - there_count).filter(|_| there_count > 0)?;
    let each = if is_clear { 1 } else { lost_count };
    let (mut offsets, mut lost_at) = (Vec::new(), None);
    for Run { starts, end } in runs {
        if let Some(lost_at) = lost_at {
            offsets.push(lost_at);
            let next = starts.first().copied().unwrap_or(data_len);
            offsets.extend(std::iter::repeat_n(next, each - 1));
        }
        offsets.extend(starts);
        lost_at = Some(end);
    }
    Some(Numbered { offsets, there_count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_found_by_its_checksum() {
        let mut bytes = b"a chunk of some bytes".to_vec();
        let len = bytes.len();
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
        bytes.extend_from_slice(b"and the next one");
        assert_eq!(sums(&bytes).collect::<Vec<_>>(), [len]);
        assert!(is_summed(&bytes, len) && !is_summed(&bytes, len + 1));
        assert_eq!(sums(&bytes[..len + 3]).count(), 0);
        for few in 0..4 {
            assert_eq!(sums(&bytes[..few]).count(), 0);
        }
    }

    #[test]
    fn lost_chunks_have_a_number_where_it_is_clear() {
        let check = |runs: &[(&[u64], u64)], count, want: Option<(&[u64], usize)>| {
            let of = |(starts, end): &(&[u64], u64)| Run { starts: starts.to_vec(), end: *end };
            let got = number(runs.iter().map(of).collect(), count, 1000);
            let want = want
                .map(|(offsets, there_count)| Numbered { offsets: offsets.to_vec(), there_count });
            assert_eq!(got, want, "{runs:?} {count}");
        };
        let whole: (&[u64], u64) = (&[0, 100, 500], 1000);
        check(&[whole], 3, Some((&[0, 100, 500], 3)));
        check(&[whole], 4, None);
        check(&[whole], 2, None);
        // One is lost in each gap.
        let gaps: [(&[u64], u64); 3] = [(&[0], 100), (&[300], 400), (&[700, 800], 1000)];
        check(&gaps, 6, Some((&[0, 100, 300, 400, 700, 800], 4)));
        // Two in one of them: of which, nobody knows.
        check(&gaps, 7, Some((&[0, 100, 700, 700, 700, 700, 800], 3)));
        check(&gaps, 5, None);
        // At the end.
        check(&[(&[0, 100], 300), (&[], 1000)], 4, Some((&[0, 100, 300, 1000], 2)));
        // At the start.
        check(&[(&[], 0), (&[300], 1000)], 2, Some((&[0, 300], 1)));
        check(&[(&[], 0), (&[], 1000)], 2, None);
        // An empty chunk at the end is none.
        check(&[(&[0, 100], 990), (&[], 1000)], 2, Some((&[0, 100], 2)));
    }
}

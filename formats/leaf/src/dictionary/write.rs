//! Terms into the bytes of a dictionary segment.
//!
//! Bytes:   docs/formats/leaf.md, section *dictionary*
//! Callers: engines/graph

use manicule_core::bytes::{page_sums, put_uvarint};

use super::GROUP_TERMS;
use super::footer::{PARTS, Part};
use super::group::same_len;
use super::symbols::Encoder;
use super::train::train;
use crate::head::{FileKind, put_head};
use crate::id::Tag;
use crate::pack::{SLACK, pack, width_of};

/// Bytes of terms that symbols are learned from: some 12 ms of rounds.
const SAMPLE_LEN: usize = 64 << 10;

/// Bytes of terms below which no symbols are learned.
const SYMBOLS_FROM_LEN: usize = 4 << 10;

/// Writes a dictionary segment: tags in order, the terms of each in the order of their bytes; the bytes of a file out.
#[derive(Debug)]
pub struct DictionaryWriter {
    bytes: Vec<u8>,
    table: Vec<u8>,
    section_count: u32,
    last_tag: Option<Tag>,
    section: Option<Pending>,
}

/// A section being gathered.
#[derive(Debug)]
struct Pending {
    tag: Tag,
    first: u64,
    count: u64,
    heads: Vec<u8>,
    head_ends: Vec<u64>,
    /// What each term that is no head shares with the one before, and where the rest of it ends in `rests`.
    shared: Vec<u32>,
    ends: Vec<u64>,
    rests: Vec<u8>,
    last: Vec<u8>,
}

impl DictionaryWriter {
    /// A segment without terms.
    #[expect(clippy::new_without_default, reason = "a writer begins a file")]
    pub fn new() -> Self {
        let mut bytes = Vec::new();
        put_head(FileKind::Dictionary, [0; 4], &mut bytes);
        DictionaryWriter {
            bytes,
            table: Vec::new(),
            section_count: 0,
            last_tag: None,
            section: None,
        }
    }

    /// Begins the terms of a tag above those before, whose numbers begin with `first`.
    pub fn begin(&mut self, tag: Tag, first: u64) {
        assert!(self.section.is_none(), "the section before has ended");
        assert!(
            tag.has_text() && self.last_tag.is_none_or(|last| last < tag),
            "tags rise: {tag:?}"
        );
        self.last_tag = Some(tag);
        self.section = Some(Pending {
            tag,
            first,
            count: 0,
            heads: Vec::new(),
            head_ends: Vec::new(),
            shared: Vec::new(),
            ends: Vec::new(),
            rests: Vec::new(),
            last: Vec::new(),
        });
    }

    /// Adds a term.
    ///
    /// Panics if it isn't above the one before.
    pub fn push(&mut self, text: &[u8]) {
        let section = self.section.as_mut().expect("a section has begun");
        let is_first = section.count == 0;
        assert!(is_first || *section.last < *text, "terms rise strictly");
        if section.count.is_multiple_of(GROUP_TERMS as u64) {
            section.heads.extend_from_slice(text);
            section.head_ends.push(section.heads.len() as u64);
            section.last.clear();
            section.last.extend_from_slice(text);
        } else {
            let shared = same_len(&section.last, text);
            section.shared.push(u32::try_from(shared).expect("a term has fewer than 2^32 bytes"));
            section.rests.extend_from_slice(&text[shared..]);
            section.ends.push(section.rests.len() as u64);
            section.last.truncate(shared);
            section.last.extend_from_slice(&text[shared..]);
        }
        section.count += 1;
    }

    /// Ends the terms of a tag. `numbers` says which number each has, less the first of the section: in the order of the terms, each
    /// below their count, once; `None` where they are in order.
    pub fn end(&mut self, numbers: Option<&[u32]>) {
        let section = self.section.take().expect("a section has begun");
        if section.count == 0 {
            return;
        }
        let mut ends = [0; PARTS];
        let mut end = |part: Part, bytes: &[u8]| ends[part as usize] = bytes.len() as u64;
        let encoder = section.encoder();
        let group_ends = section.put_groups(encoder.as_ref(), &mut self.bytes);
        end(Part::Groups, &self.bytes);
        put_packed(&group_ends, group_ends[group_ends.len() - 1], &mut self.bytes);
        end(Part::GroupEnds, &self.bytes);
        self.bytes.extend_from_slice(&section.heads);
        end(Part::Heads, &self.bytes);
        put_packed(&section.head_ends, section.heads.len() as u64, &mut self.bytes);
        end(Part::HeadEnds, &self.bytes);
        let is_sorted = numbers.is_none_or(|numbers| numbers.is_sorted());
        let ranks = numbers.map(|numbers| ranks_of(numbers, section.count));
        let permuted = ranks.zip(numbers).filter(|_| !is_sorted);
        if let Some((_, numbers)) = &permuted {
            let numbers: Vec<u64> = numbers.iter().map(|number| u64::from(*number)).collect();
            put_packed(&numbers, section.count - 1, &mut self.bytes);
        }
        end(Part::Numbers, &self.bytes);
        if let Some((ranks, _)) = &permuted {
            put_packed(ranks, section.count - 1, &mut self.bytes);
        }
        end(Part::Ranks, &self.bytes);
        if let Some(encoder) = &encoder {
            encoder.put(&mut self.bytes);
        }
        end(Part::Symbols, &self.bytes);
        self.table.extend_from_slice(&u32::from(section.tag.0).to_le_bytes());
        self.table.extend_from_slice(&[0; 4]);
        for word in [section.first, section.count].into_iter().chain(ends) {
            self.table.extend_from_slice(&word.to_le_bytes());
        }
        self.section_count += 1;
    }

    /// The bytes of the file.
    pub fn finish(mut self) -> Vec<u8> {
        assert!(self.section.is_none(), "the last section has ended");
        let table_at = self.bytes.len() as u64;
        self.bytes.append(&mut self.table);
        let sums_at = self.bytes.len();
        for sum in page_sums(&self.bytes) {
            self.bytes.extend_from_slice(&sum.to_le_bytes());
        }
        self.bytes.extend_from_slice(&table_at.to_le_bytes());
        self.bytes.extend_from_slice(&self.section_count.to_le_bytes());
        let sum = crc32fast::hash(&self.bytes[sums_at..]);
        self.bytes.extend_from_slice(&sum.to_le_bytes());
        self.bytes
    }
}

impl Pending {
    /// The rests of the terms of groups from here and there.
    fn samples(&self) -> Vec<&[u8]> {
        let step = self.rests.len().div_ceil(SAMPLE_LEN).max(1);
        let group_len = GROUP_TERMS - 1;
        let mut samples = Vec::new();
        for group in (0..self.ends.len().div_ceil(group_len)).step_by(step) {
            for term in group * group_len..self.ends.len().min((group + 1) * group_len) {
                samples.push(self.rest(term));
            }
        }
        samples
    }

    fn rest(&self, term: usize) -> &[u8] {
        let start = term.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.rests[start as usize..self.ends[term] as usize]
    }

    /// Symbols, if they shorten the terms by more than an eighth.
    fn encoder(&self) -> Option<Encoder> {
        // A table is 2 kB.
        if self.rests.len() < SYMBOLS_FROM_LEN {
            return None;
        }
        let samples = self.samples();
        let encoder = train(&samples);
        let (mut plain_len, mut table) = (0, Vec::new());
        encoder.put(&mut table);
        let mut codes = Vec::new();
        for sample in &samples {
            plain_len += sample.len();
            encoder.encode(sample, &mut codes);
        }
        let share = self.rests.len() as u64 * codes.len() as u64 / plain_len.max(1) as u64;
        (share + table.len() as u64 <= self.rests.len() as u64 / 8 * 7).then_some(encoder)
    }

    /// Appends the groups: where each ends.
    fn put_groups(&self, encoder: Option<&Encoder>, out: &mut Vec<u8>) -> Vec<u64> {
        let start = out.len();
        let mut ends = Vec::with_capacity(self.head_ends.len());
        let mut codes = Vec::new();
        for group in 0..self.head_ends.len() {
            codes.clear();
            let first = group * (GROUP_TERMS - 1);
            for term in first..self.ends.len().min(first + GROUP_TERMS - 1) {
                let before = codes.len();
                match encoder {
                    Some(encoder) => encoder.encode(self.rest(term), &mut codes),
                    None => codes.extend_from_slice(self.rest(term)),
                }
                put_uvarint(self.shared[term].into(), out);
                put_uvarint((codes.len() - before) as u64, out);
            }
            out.extend_from_slice(&codes);
            ends.push((out.len() - start) as u64);
        }
        ends
    }
}

fn put_packed(numbers: &[u64], max: u64, out: &mut Vec<u8>) {
    pack(numbers.iter().copied(), width_of(max), out);
    out.extend_from_slice(&[0; SLACK]);
}

fn ranks_of(numbers: &[u32], count: u64) -> Vec<u64> {
    assert_eq!(numbers.len() as u64, count, "a number for each term");
    let mut ranks = vec![u64::MAX; numbers.len()];
    for (rank, number) in numbers.iter().enumerate() {
        let place = &mut ranks[*number as usize];
        assert_eq!(*place, u64::MAX, "number {number} is given once");
        *place = rank as u64;
    }
    ranks
}

//! Terms into the bytes of a dictionary segment.
//!
//! Bytes:   docs/formats/leaf.md, section *dictionary*

use manicule_core::bytes::{PAGE_LEN, page_sums, put_uvarint};

use super::GROUP_TERMS;
use super::footer::{PARTS, Part};
use super::group::same_len;
use super::sample::{Rests, Sample};
use super::symbols::Encoder;
use crate::head::{FileKind, put_head};
use crate::id::Tag;
use crate::pack::{SLACK, pack, width_of};

/// Writes a dictionary segment: tags in order, the terms of each in the order of their bytes; the
/// bytes of a file out.
///
/// Of a section begun with a sample, terms become bytes as they come, which
/// [`DictionaryWriter::take`] hands out: in memory are kept then one term of sixteen, and a number
/// or two for each of those.
#[derive(Debug)]
pub struct DictionaryWriter {
    /// The bytes of the file that weren't taken.
    bytes: Vec<u8>,
    taken_len: u64,
    /// Sums of the pages that were taken.
    sums: Vec<u32>,
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
    coding: Coding,
    /// Offset of the groups.
    groups_at: u64,
    /// Where each group ends that is written, from there on.
    group_ends: Vec<u64>,
    heads: Vec<u8>,
    head_ends: Vec<u64>,
    /// Of the terms of groups that aren't written, but heads: what each shares with the one before,
    /// and its rest.
    shared: Vec<u32>,
    rests: Rests,
    last: Vec<u8>,
}

/// How the rests of terms are written.
#[derive(Debug)]
enum Coding {
    /// As all of them show, once they are there.
    Later,
    /// In symbols, or as they are.
    Now(Option<Encoder>),
}

impl DictionaryWriter {
    /// A segment without terms.
    #[expect(clippy::new_without_default, reason = "a writer begins a file")]
    pub fn new() -> Self {
        let mut bytes = Vec::new();
        put_head(FileKind::Dictionary, [0; 4], &mut bytes);
        DictionaryWriter {
            bytes,
            taken_len: 0,
            sums: Vec::new(),
            table: Vec::new(),
            section_count: 0,
            last_tag: None,
            section: None,
        }
    }

    /// Begins the terms of a tag above those before, whose numbers begin with `first`.
    pub fn begin(&mut self, tag: Tag, first: u64) {
        self.begin_coded(tag, first, Coding::Later);
    }

    /// Begins the terms of a tag, of which there is a sample.
    pub fn begin_sampled(&mut self, tag: Tag, first: u64, sample: &Sample) {
        self.begin_coded(tag, first, Coding::Now(sample.encoder()));
    }

    fn begin_coded(&mut self, tag: Tag, first: u64, coding: Coding) {
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
            coding,
            groups_at: self.taken_len + self.bytes.len() as u64,
            group_ends: Vec::new(),
            heads: Vec::new(),
            head_ends: Vec::new(),
            shared: Vec::new(),
            rests: Rests::default(),
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
            if let Coding::Now(_) = section.coding {
                section.put_groups(self.taken_len, &mut self.bytes);
            }
            section.heads.extend_from_slice(text);
            section.head_ends.push(section.heads.len() as u64);
            section.last.clear();
            section.last.extend_from_slice(text);
        } else {
            let shared = same_len(&section.last, text);
            section.shared.push(u32::try_from(shared).expect("a term has fewer than 2^32 bytes"));
            section.rests.push(&text[shared..]);
            section.last.truncate(shared);
            section.last.extend_from_slice(&text[shared..]);
        }
        section.count += 1;
    }

    /// Bytes held of the section, which go when it ends.
    pub fn section_memory(&self) -> usize {
        self.section.as_ref().map_or(0, |section| {
            let ends = size_of_val(&*section.head_ends) + size_of_val(&*section.group_ends);
            section.heads.len() + ends + section.rests.len() as usize
        })
    }

    /// Number of bytes that may be taken.
    pub fn ready_len(&self) -> usize {
        self.bytes.len() / PAGE_LEN * PAGE_LEN
    }

    /// Takes the next bytes of the file, whole pages.
    pub fn take(&mut self) -> Vec<u8> {
        let rest = self.bytes.split_off(self.ready_len());
        let ready = std::mem::replace(&mut self.bytes, rest);
        self.sums.extend(page_sums(&ready));
        self.taken_len += ready.len() as u64;
        ready
    }

    /// Ends the terms of a tag. `numbers` says which number each has, less the first of the
    /// section: in the order of the terms, each below their count, once; `None` where they are in
    /// order.
    pub fn end(&mut self, numbers: Option<&[u32]>) {
        let mut section = self.section.take().expect("a section has begun");
        if section.count == 0 {
            return;
        }
        let (mut ends, taken_len) = ([0; PARTS], self.taken_len);
        let mut end =
            |part: Part, bytes: &[u8]| ends[part as usize] = taken_len + bytes.len() as u64;
        if let Coding::Later = section.coding {
            section.coding = Coding::Now(section.rests.encoder(section.rests.len()));
        }
        section.put_groups(taken_len, &mut self.bytes);
        end(Part::Groups, &self.bytes);
        let group_ends = &section.group_ends;
        put_packed(group_ends, group_ends[group_ends.len() - 1], &mut self.bytes);
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
        if let Coding::Now(Some(encoder)) = &section.coding {
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

    /// The bytes of the file that weren't taken.
    pub fn finish(mut self) -> Vec<u8> {
        assert!(self.section.is_none(), "the last section has ended");
        let table_at = self.taken_len + self.bytes.len() as u64;
        self.bytes.append(&mut self.table);
        self.sums.extend(page_sums(&self.bytes));
        let sums_at = self.bytes.len();
        for sum in &self.sums {
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
    /// Appends the groups that aren't written, to bytes of which `taken_len` went before.
    fn put_groups(&mut self, taken_len: u64, out: &mut Vec<u8>) {
        let Coding::Now(encoder) = &self.coding else { unreachable!("how is decided before") };
        let group_len = GROUP_TERMS - 1;
        let mut codes = Vec::new();
        for group in 0..self.head_ends.len() - self.group_ends.len() {
            codes.clear();
            let first = group * group_len;
            for term in first..self.rests.count().min(first + group_len) {
                let before = codes.len();
                match encoder {
                    Some(encoder) => encoder.encode(self.rests.get(term), &mut codes),
                    None => codes.extend_from_slice(self.rests.get(term)),
                }
                put_uvarint(self.shared[term].into(), out);
                put_uvarint((codes.len() - before) as u64, out);
            }
            out.extend_from_slice(&codes);
            self.group_ends.push(taken_len + out.len() as u64 - self.groups_at);
        }
        self.shared.clear();
        self.rests.clear();
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

//! The series, one after the other as they lie in the file: padding, checksum, labels, chunks; and
//! each label pair against its posting list.

use manicule_core::bytes::{DecodeError, Reader};
use manicule_core::findings::Report;

use super::frame::Frame;
use super::lists::Lists;
use super::shown::Shown;
use super::symbols::Symbols;
use crate::index::{SERIES_ALIGN, Version};
use crate::sections::{SERIES, TOC};
use crate::{ChunkMeta, ChunkRef, SeriesRef, crc};

/// A series that can be read.
#[derive(Clone, Copy, Debug)]
pub struct FoundSeries<'a> {
    /// Its reference, as posting lists and tombstones have it.
    pub reference: SeriesRef,
    /// Its offset in the file.
    pub at: u64,
    /// Its chunks.
    pub chunks: &'a [ChunkMeta],
}

/// A walk through the series.
pub(super) struct Walk<'a, 'b> {
    frame: &'b Frame<'a>,
    symbols: &'b Symbols<'a>,
    lists: &'b mut Lists<'a>,
    report: &'b mut Report,
    /// The labels of the series before, and of the one at hand.
    before: Vec<(u32, u32)>,
    labels: Vec<(u32, u32)>,
    chunks: Vec<ChunkMeta>,
    /// The chunk before, of any series.
    last_chunk: u64,
    counts: (u64, u64, u64),
}

impl<'a, 'b> Walk<'a, 'b> {
    pub(super) fn new(
        frame: &'b Frame<'a>,
        symbols: &'b Symbols<'a>,
        lists: &'b mut Lists<'a>,
        report: &'b mut Report,
    ) -> Self {
        let (before, labels, chunks) = Default::default();
        let (last_chunk, counts) = (0, (0, 0, 0));
        Walk { frame, symbols, lists, report, before, labels, chunks, last_chunk, counts }
    }

    /// Walks to the end, and returns the numbers of series, labels and chunks.
    pub(super) fn run(mut self, each: &mut dyn FnMut(FoundSeries<'_>)) -> (u64, u64, u64) {
        let start = self.symbols.end.unwrap_or(self.frame.toc.series);
        let limit = self.limit(start);
        let mut at = start;
        // The padding after the last series, where label indices follow, is not that of a series.
        while at < limit && self.aligned(at) < limit {
            let start = self.aligned(at);
            self.frame.padding(SERIES, at, self.align(), self.report);
            let Ok(reference) = u32::try_from(start / self.align()) else { break };
            let read = self.entry(start, limit);
            match self.report.ok(SERIES, read) {
                Some(end) => {
                    self.compare(reference, start);
                    let (reference, chunks) = (SeriesRef(reference), self.chunks.as_slice());
                    each(FoundSeries { reference, at: start, chunks });
                    at = end;
                }
                // Where it ends is not known; the list of all series has the next one's offset.
                None => {
                    self.lists.unreadable.push(reference);
                    let next = self.next_listed(reference);
                    let Some(next) = next.filter(|next| *next < limit) else { return self.counts };
                    at = next;
                }
            }
        }
        self.end(at);
        self.counts
    }

    /// Series begin at a multiple of this.
    fn align(&self) -> u64 {
        if self.frame.version == Version::V1 { 1 } else { SERIES_ALIGN }
    }

    fn aligned(&self, at: u64) -> u64 {
        at.next_multiple_of(self.align())
    }

    /// Latest end of the series: the start of the first of the other sections.
    fn limit(&self, start: u64) -> u64 {
        let toc = &self.frame.toc;
        let others = [toc.label_indices, toc.postings, toc.label_indices_table, toc.postings_table];
        let others = others.into_iter().filter(|at| *at >= start);
        others.min().unwrap_or(u64::MAX).min(self.frame.end())
    }

    /// Offset of the next series after this one, from the list of all series.
    fn next_listed(&self, reference: u32) -> Option<u64> {
        let list = &self.lists.lists[self.lists.all? as usize];
        let number = |bytes: &[u8; 4]| u32::from_be_bytes(*bytes);
        let place = list.refs.partition_point(|bytes| number(bytes) <= reference);
        list.refs.get(place).map(|bytes| u64::from(number(bytes)) * self.align())
    }

    /// The table of contents says where series end; label indices may begin at a multiple of 16.
    fn end(&mut self, at: u64) {
        let got = self.frame.toc.label_indices;
        let padded = at.next_multiple_of(SERIES_ALIGN);
        if self.frame.has_label_indices() && (at..=padded).contains(&got) {
            self.frame.zeros(SERIES, at..got, self.report);
        } else if got != at {
            let place = self.frame.end() + 16;
            self.report.find(TOC, place, "offset of label indices, the end of series", at, got);
        }
    }

    /// Reads an entry into `labels` and `chunks`, and gives where it ends.
    fn entry(&mut self, at: u64, limit: u64) -> Result<u64, DecodeError> {
        let bytes = &self.frame.bytes[at as usize..limit as usize];
        let mut reader = Reader::new(bytes, at);
        let len = reader.uvarint("length of a series")?;
        let start = reader.at();
        let payload = reader.take("series", usize::try_from(len).unwrap_or(usize::MAX))?;
        crc::check("checksum of a series", payload, &mut reader)?;
        let mut payload = Reader::new(payload, start);
        self.labels(&mut payload)?;
        self.chunks(&mut payload)?;
        if !payload.rest().is_empty() {
            let (what, got) = ("bytes behind the last chunk", payload.rest().len() as u64);
            return Err(DecodeError::Corrupt { what, at: payload.at(), want: 0, got });
        }
        Ok(reader.at())
    }

    fn labels(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.labels.clear();
        let count = reader.uvarint("label count")?;
        for _ in 0..count {
            let name = self.symbol(reader, "symbol of a label's name")?;
            let value = self.symbol(reader, "symbol of a label's value")?;
            self.labels.push((name, value));
        }
        Ok(())
    }

    fn symbol(&self, reader: &mut Reader<'_>, what: &'static str) -> Result<u32, DecodeError> {
        let at = reader.at();
        let number = reader.uvarint(what)?;
        // Without a symbol table there is nothing to compare with, and its absence has been
        // reported.
        if self.symbols.end.is_none() {
            return Ok(0);
        }
        let want = self.symbols.list.len() as u64;
        let place = self.symbols.place(self.frame.version, number);
        place.ok_or(DecodeError::Corrupt { what, at, want, got: number })
    }

    fn chunks(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.chunks.clear();
        let count = reader.uvarint("chunk count")?;
        let what = "times of a chunk";
        for number in 0..count {
            let at = reader.at();
            let past = || DecodeError::Corrupt { what, at, want: i64::MAX as u64, got: u64::MAX };
            let before = self.chunks.last().copied();
            let min_time = match before {
                None => reader.varint(what)?,
                Some(before) => {
                    let gap = reader.uvarint(what)?;
                    before.max_time.checked_add_unsigned(gap).ok_or_else(past)?
                }
            };
            let max_time = min_time.checked_add_unsigned(reader.uvarint(what)?).ok_or_else(past)?;
            let reference = match before {
                None => reader.uvarint("reference of a chunk")?,
                Some(before) => {
                    let step = reader.varint("reference of a chunk")?;
                    before.reference.0.wrapping_add_signed(step)
                }
            };
            if before.is_some_and(|before| min_time <= before.max_time) {
                let before = before.map_or(0, |before| before.max_time);
                let what = format_args!("first time of chunk {number}");
                self.report.find(SERIES, at, what, format_args!("above {before}"), min_time);
            }
            if reference < self.last_chunk {
                let what = format_args!("reference of chunk {number}");
                let want = format_args!("{} or more", self.last_chunk);
                self.report.find(SERIES, at, what, want, reference);
            }
            self.last_chunk = reference;
            self.chunks.push(ChunkMeta { min_time, max_time, reference: ChunkRef(reference) });
        }
        Ok(())
    }

    /// Compares the labels at hand with the series before and with the posting lists.
    fn compare(&mut self, reference: u32, at: u64) {
        self.counts.0 += 1;
        self.counts.1 += self.labels.len() as u64;
        self.counts.2 += self.chunks.len() as u64;
        if let Some(all) = self.lists.all {
            self.lists.pass(all, reference, self.report);
        }
        if !self.symbols.rise {
            return;
        }
        if self.labels.is_empty() {
            self.report.find(SERIES, at, "labels", "one or more", 0);
        }
        for place in 1..self.labels.len() {
            let (before, name) = (self.labels[place - 1].0, self.labels[place].0);
            if before >= name {
                let want = format_args!("above {}", Shown(self.symbols.get(before)));
                let got = Shown(self.symbols.get(name));
                self.report.find(SERIES, at, format_args!("name of label {place}"), want, got);
            }
        }
        if self.counts.0 > 1 && self.labels <= self.before {
            let what = "labels of a series";
            self.report.find(SERIES, at, what, "behind those of the series before", "not");
        }
        for place in 0..self.labels.len() {
            let (name, value) = self.labels[place];
            let (shown_name, shown_value) = (self.symbols.get(name), self.symbols.get(value));
            if shown_name.is_empty() {
                self.report.find(SERIES, at, "name of a label", "some text", "none");
            }
            if shown_value.is_empty() {
                let what = format_args!("value of label {}", Shown(shown_name));
                self.report.warn(SERIES, at, what, "some text", "none");
            }
            match self.lists.of(name, value) {
                Some(list) => self.lists.pass(list, reference, self.report),
                None if self.lists.is_complete => {
                    let what = "posting list of a label of this series";
                    let want = format_args!("one for {}={}", Shown(shown_name), Shown(shown_value));
                    self.report.find(SERIES, at, what, want, "none");
                }
                None => {}
            }
        }
        std::mem::swap(&mut self.before, &mut self.labels);
    }
}

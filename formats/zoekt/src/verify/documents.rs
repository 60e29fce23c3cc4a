//! Verification of each document: its checksum, lines, runes and symbols.

use std::cell::Cell;
use std::sync::OnceLock;

use manicule_core::bytes::Reader;

use super::{Check, Findings};
use crate::checksum::checksum;
use crate::deltas;
use crate::items::Items;
use crate::layout::Section;
use crate::runes::{ascii_len, decode_rune, rune_count};

/// Number of documents in one part of the work.
const PART_LEN: usize = 64;

/// Facts about the documents, when all were read.
pub(super) struct Documents {
    pub(super) rune_counts: Vec<u32>,
    pub(super) is_plain: bool,
}

/// Findings in some documents that follow each other.
#[derive(Default)]
struct Part {
    rune_counts: Vec<u32>,
    symbol_counts: Vec<u32>,
    /// Start and end of each symbol, in runes of its document.
    symbol_runes: Vec<u32>,
    is_plain: bool,
}

impl Check<'_> {
    /// Kinds and parents of symbols. Both are numbered by first sight: a symbol's kind, then its
    /// parent's.
    pub(super) fn symbol_tables(&mut self) {
        let (section, at) = (Section::SymbolMetaData, self.at(Section::SymbolMetaData));
        let kinds = self.extent(Section::SymbolKindMap).item_count() as u32;
        let parents = self.extent(Section::SymbolMap).item_count() as u32;
        let (kinds_seen, parents_seen) = (Cell::new(0), Cell::new(0));
        for (symbol, row) in self.section(section).as_chunks::<16>().0.iter().enumerate() {
            let at = at + symbol as u64 * 16;
            let [zero, kind, parent, parent_kind] = [0, 4, 8, 12]
                .map(|at| u32::from_be_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]));
            if zero != 0 {
                self.find(section, at, format_args!("first word of symbol {symbol}"), 0, zero);
            }
            for (offset, name, id, seen, count) in [
                (4, "kind", kind, &kinds_seen, kinds),
                (8, "parent", parent, &parents_seen, parents),
                (12, "parent's kind", parent_kind, &kinds_seen, kinds),
            ] {
                if id >= count || id > seen.get() {
                    let what = format_args!("{name} of symbol {symbol}");
                    let want = format_args!("below {}", count.min(seen.get().saturating_add(1)));
                    self.find(section, at + offset, what, want, id);
                }
                seen.set(seen.get().max(id.saturating_add(1)));
            }
        }
        for (section, seen, count) in [
            (Section::SymbolKindMap, kinds_seen.get(), kinds),
            (Section::SymbolMap, parents_seen.get(), parents),
        ] {
            if seen < count {
                self.find(section, self.at(section), "items that symbols refer to", count, seen);
            }
        }
    }

    /// Reads every document.
    pub(super) fn documents(&mut self, is_tiled: impl Fn(Section) -> bool) -> Documents {
        let count = self.document_count;
        let texts = self.items(Section::FileContents);
        let tiled = |section: Section| is_tiled(section).then(|| self.items(section));
        let reading = Reading {
            texts,
            sums: self.section(Section::ContentChecksums),
            sums_at: self.at(Section::ContentChecksums),
            newlines: tiled(Section::Newlines),
            symbols: tiled(Section::FileSections),
            bytes: self.bytes,
        };
        let part_count = count.div_ceil(PART_LEN);
        let parts: Vec<OnceLock<Part>> = (0..part_count).map(|_| OnceLock::new()).collect();
        let meter = self.options.meter;
        self.spread(part_count, &|index, findings| {
            let (start, end) = (index * PART_LEN, ((index + 1) * PART_LEN).min(count));
            let part = reading.part(start..end, findings);
            meter.add(u64::from(reading.texts.start(end)) - u64::from(reading.texts.start(start)));
            let _ = parts[index].set(part);
        });
        let parts: Vec<Part> = parts.into_iter().filter_map(OnceLock::into_inner).collect();
        self.verified.text_len = u64::from(self.extent(Section::FileContents).len);
        self.symbol_ends(&parts);
        self.symbol_runes(&parts);
        let is_plain = parts.iter().all(|part| part.is_plain);
        let rune_counts = parts.into_iter().flat_map(|part| part.rune_counts).collect();
        Documents { rune_counts, is_plain }
    }

    /// *fileEndSymbol* and the length of *symbolMetaData*: the running number of symbols.
    fn symbol_ends(&mut self, parts: &[Part]) {
        let (section, at) = (Section::FileEndSymbol, self.at(Section::FileEndSymbol));
        let counts = parts.iter().flat_map(|part| &part.symbol_counts);
        let ends = counts.scan(0u32, |end, count| {
            *end = end.wrapping_add(*count);
            Some(*end)
        });
        let mut last = 0;
        let stored = self.section(section).as_chunks::<4>().0;
        for (row, (want, got)) in [0].into_iter().chain(ends).zip(stored).enumerate() {
            let got = u32::from_be_bytes(*got);
            last = want;
            if got != want {
                let what = format_args!("symbols before document {row}");
                self.find(section, at + row as u64 * 4, what, want, got);
            }
        }
        let (section, got) = (Section::SymbolMetaData, self.extent(Section::SymbolMetaData).len);
        if u64::from(got) != u64::from(last) * 16 {
            let want = u64::from(last) * 16;
            self.find(section, self.at(section), "length in bytes", want, got);
        }
        let no_symbols = !self.repositories.is_empty()
            && self.repositories.iter().all(|repository| !repository.has_symbols);
        if no_symbols && last > 0 {
            let (section, at) = (Section::RepoMetaData, self.at(Section::RepoMetaData));
            self.find(section, at, "HasSymbols", true, false);
        }
    }

    /// *runeDocSections*: the same symbols, in runes of all documents.
    fn symbol_runes(&mut self, parts: &[Part]) {
        let (section, at) = (Section::RuneDocSections, self.at(Section::RuneDocSections));
        let Some(stored) = self.numbers(section) else { return };
        let mut stored = stored.into_iter();
        let mut base = 0u32;
        let mut count = 0;
        for part in parts {
            let mut own = part.symbol_runes.iter();
            for (runes, symbols) in part.rune_counts.iter().zip(&part.symbol_counts) {
                for edge in own.by_ref().take(*symbols as usize * 2) {
                    let want = base.wrapping_add(*edge);
                    let Some(got) = stored.next() else {
                        let what = "symbols' edges in runes";
                        return self.find(
                            section,
                            at,
                            what,
                            format_args!("more than {count}"),
                            count,
                        );
                    };
                    if got != want {
                        let side = if count % 2 == 0 { "start" } else { "end" };
                        let what = format_args!("{side} of symbol {} in runes", count / 2);
                        self.find(section, at, what, want, got);
                    }
                    count += 1;
                }
                base = base.wrapping_add(*runes);
            }
        }
        let more = stored.count();
        if more > 0 {
            self.find(section, at, "symbols' edges in runes", count, count + more);
        }
    }

    /// The runes of each name, and whether all are ASCII.
    pub(super) fn name_counts(&mut self) -> (Vec<u32>, bool) {
        let items = self.items(Section::FileNames);
        let names = (0..items.len()).map(|index| items.get(index).unwrap_or_default());
        let is_plain = names.clone().all(<[u8]>::is_ascii);
        (names.map(|name| rune_count(name) as u32).collect(), is_plain)
    }
}

/// Sections that documents are read from.
struct Reading<'a> {
    bytes: &'a [u8],
    texts: Items<'a>,
    sums: &'a [u8],
    sums_at: u64,
    newlines: Option<Items<'a>>,
    symbols: Option<Items<'a>>,
}

impl<'a> Reading<'a> {
    fn part(&self, documents: std::ops::Range<usize>, findings: &mut Findings) -> Part {
        let mut part = Part { is_plain: true, ..Part::default() };
        for document in documents {
            let text = self.texts.get(document).unwrap_or_default();
            part.rune_counts.push(rune_count(text) as u32);
            part.is_plain &= text.is_ascii();
            self.sum(document, text, findings);
            self.newlines(document, text, findings);
            let count = self.symbols(document, text, &mut part.symbol_runes, findings);
            part.symbol_counts.push(count);
        }
        part
    }

    fn sum(&self, document: usize, text: &[u8], findings: &mut Findings) {
        let Some(sum) = self.sums.as_chunks::<8>().0.get(document) else { return };
        let got = u64::from_be_bytes(*sum);
        let want = u64::from_be_bytes(checksum(text));
        if got != want {
            let at = self.sums_at + document as u64 * 8;
            let what = format_args!("checksum of document {document}");
            let (want, got) = (format_args!("{want:016x}"), format_args!("{got:016x}"));
            findings.add(Section::ContentChecksums.tag(), at, what, want, got);
        }
    }

    /// The numbers of a document's item in a section of sized deltas, and where the item begins.
    fn numbers(
        &self,
        items: Option<&Items<'a>>,
        section: Section,
        document: usize,
        findings: &mut Findings,
    ) -> Option<(Vec<u32>, u64)> {
        let items = items.filter(|items| document < items.len())?;
        let range = items.range(document).ok()?;
        let bytes = &self.bytes[range.start as usize..range.end as usize];
        let at = u64::from(range.start);
        match deltas::decode(section.tag(), Reader::new(bytes, at)) {
            Ok(numbers) => Some((numbers, at)),
            Err(error) => {
                findings.add_error(section.tag(), &error);
                None
            }
        }
    }

    fn newlines(&self, document: usize, text: &[u8], findings: &mut Findings) {
        let section = Section::Newlines;
        let read = self.numbers(self.newlines.as_ref(), section, document, findings);
        let Some((stored, at)) = read else { return };
        let real = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
        let mut count = 0;
        for place in real {
            match stored.get(count) {
                Some(got) if *got as usize == place => {}
                Some(got) => {
                    let what = format_args!("end of line {} of document {document}", count + 1);
                    return findings.add(section.tag(), at, what, place, got);
                }
                None => {
                    let what = format_args!("lines of document {document}");
                    let want = format_args!("more than {count}");
                    return findings.add(section.tag(), at, what, want, count);
                }
            }
            count += 1;
        }
        if stored.len() != count {
            let what = format_args!("lines of document {document}");
            findings.add(section.tag(), at, what, count, stored.len());
        }
    }

    /// Checks a document's symbols, adds their places in runes, and gives their count.
    fn symbols(
        &self,
        document: usize,
        text: &[u8],
        runes: &mut Vec<u32>,
        findings: &mut Findings,
    ) -> u32 {
        let section = Section::FileSections;
        let read = self.numbers(self.symbols.as_ref(), section, document, findings);
        let Some((edges, at)) = read else { return 0 };
        if edges.len() % 2 == 1 {
            let what = format_args!("symbols' edges in document {document}");
            findings.add(section.tag(), at, what, "an even number", edges.len());
        }
        let (mut byte, mut rune, mut last) = (0, 0, 0);
        let edges = &edges[..edges.len() & !1];
        for (index, edge) in edges.iter().enumerate() {
            let edge = *edge as usize;
            if edge < last || edge > text.len() {
                let side = if index % 2 == 0 { "start" } else { "end" };
                let what = format_args!("{side} of symbol {} of document {document}", index / 2);
                let want = format_args!("{last} to {}", text.len());
                findings.add(section.tag(), at, what, want, edge);
            }
            let edge = edge.clamp(last, text.len());
            last = edge;
            while byte < edge {
                let ascii = ascii_len(&text[byte..edge]);
                byte += ascii;
                rune += ascii;
                if byte < edge {
                    byte += decode_rune(&text[byte..]).1;
                    rune += 1;
                }
            }
            if byte > edge {
                let what = format_args!("edge of symbol {} of document {document}", index / 2);
                findings.add(section.tag(), at, what, "where a rune begins", edge);
            }
            runes.push(rune as u32);
        }
        edges.len() as u32 / 2
    }
}

//! The postings offset table and the lists that it leads to: each readable, all of them back to
//! back, and each compared with the series, one by one as they come.

use std::collections::HashMap;

use manicule_core::bytes::{DecodeError, Reader};
use manicule_core::findings::Report;

use super::frame::Frame;
use super::shown::Shown;
use super::symbols::Symbols;
use crate::index::{Version, string};
use crate::sections::{POSTINGS, POSTINGS_TABLE, TOC};

/// The first list begins at a multiple of this, and so do all.
const LIST_ALIGN: u64 = 4;

/// A posting list, and how far the series have been compared with it.
pub(super) struct List<'a> {
    pub name: &'a [u8],
    pub value: &'a [u8],
    /// Offset of its first reference, and the number of references passed.
    pub at: u64,
    pub refs: &'a [[u8; 4]],
    passed: usize,
    is_readable: bool,
}

/// The lists in the order of the table.
#[derive(Default)]
pub(super) struct Lists<'a> {
    pub lists: Vec<List<'a>>,
    /// By the places of name and value among the symbols.
    by_symbols: HashMap<(u32, u32), u32>,
    /// Whether `by_symbols` has every pair of the table.
    pub is_complete: bool,
    /// The list of the pair ("", "").
    pub all: Option<u32>,
    /// Series that can't be read, increasing.
    pub unreadable: Vec<u32>,
}

/// An entry of the table.
pub(super) struct Entry<'a> {
    pub(super) at: u64,
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) list_at: u64,
}

pub(super) fn check<'a>(
    frame: &Frame<'a>,
    symbols: &Symbols<'a>,
    report: &mut Report,
) -> Lists<'a> {
    let mut lists = Lists::default();
    let (entries, is_whole) = table(frame, report);
    lists.is_complete = is_whole && symbols.rise;
    let mut extents = Vec::with_capacity(entries.len());
    for (place, entry) in (0u32..).zip(&entries) {
        if entry.name.is_empty() && entry.value.is_empty() {
            lists.all = Some(place);
        } else if symbols.rise {
            lists.name(place, entry, symbols, report);
        }
        let list = list(frame, entry.list_at, report);
        if let Some((_, _, end)) = list {
            extents.push((entry.list_at, end));
        }
        let (refs, at, is_readable) = match list {
            Some((refs, at, _)) => (refs, at, true),
            None => (&[][..], entry.list_at, false),
        };
        let (name, value) = (entry.name, entry.value);
        lists.lists.push(List { name, value, at, refs, passed: 0, is_readable });
    }
    if lists.all.is_none() && is_whole {
        let at = frame.toc.postings_table;
        report.find(POSTINGS_TABLE, at, "entry of all series", "the pair (\"\", \"\")", "none");
    }
    if extents.len() == entries.len() && is_whole {
        tiles(frame, extents, report);
    }
    lists
}

/// Reads the table, and returns whether it could be read to the end.
fn table<'a>(frame: &Frame<'a>, report: &mut Report) -> (Vec<Entry<'a>>, bool) {
    let at = frame.toc.postings_table;
    let section = frame.section(at, "postings offset table");
    let Some((mut reader, end)) = report.ok(POSTINGS_TABLE, section) else {
        return (Vec::new(), false);
    };
    if end != frame.end() {
        let what = "end of the postings offset table, the table of contents";
        report.find(POSTINGS_TABLE, end, what, frame.end(), end);
    }
    let count = reader.u32_be("entries of the postings offset table");
    let Some(count) = report.ok(POSTINGS_TABLE, count) else { return (Vec::new(), false) };
    let mut entries: Vec<Entry<'a>> = Vec::new();
    for number in 0..count {
        let Some(entry) = report.ok(POSTINGS_TABLE, entry(&mut reader)) else {
            return (entries, false);
        };
        let key = (entry.name, entry.value);
        if let Some(last) = entries.last()
            && (last.name, last.value) >= key
            && frame.version != Version::V1
        {
            let want = format_args!("above {}={}", Shown(last.name), Shown(last.value));
            let got = format_args!("{}={}", Shown(key.0), Shown(key.1));
            report.find(POSTINGS_TABLE, entry.at, format_args!("label pair {number}"), want, got);
        }
        entries.push(entry);
    }
    let rest = reader.rest().len();
    if rest > 0 {
        report.find(POSTINGS_TABLE, reader.at(), "bytes behind the last entry", 0, rest);
    }
    (entries, rest == 0)
}

/// | uvarint 2 | str name | str value | uvarint offset of the list |
pub(super) fn entry<'a>(reader: &mut Reader<'a>) -> Result<Entry<'a>, DecodeError> {
    let at = reader.at();
    let (what, strings) = ("strings of an entry", reader.uvarint("strings of an entry")?);
    if strings != 2 {
        return Err(DecodeError::Corrupt { what, at, want: 2, got: strings });
    }
    let (name, value) = (string(reader, "label name")?, string(reader, "label value")?);
    Ok(Entry { at, name, value, list_at: reader.uvarint("offset of a posting list")? })
}

/// Reads a list: its references, where they begin, and where it ends.
fn list<'a>(frame: &Frame<'a>, at: u64, report: &mut Report) -> Option<(&'a [[u8; 4]], u64, u64)> {
    let (mut reader, end) = report.ok(POSTINGS, frame.section(at, "posting list"))?;
    let count_at = reader.at();
    let count = report.ok(POSTINGS, reader.u32_be("posting count"))?;
    let (refs, rest) = reader.rest().as_chunks::<4>();
    if refs.len() as u64 != u64::from(count) || !rest.is_empty() {
        let want = format_args!("{} bytes of references", u64::from(count) * 4);
        report.find(POSTINGS, count_at, "posting list", want, reader.rest().len());
        return None;
    }
    let number = |place: usize| u32::from_be_bytes(refs[place]);
    for place in 1..refs.len() {
        if number(place) <= number(place - 1) {
            let at = reader.at() + 4 * place as u64;
            let want = format_args!("above {}", number(place - 1));
            report.find(POSTINGS, at, "series of a posting list", want, number(place));
            return None;
        }
    }
    Some((refs, reader.at(), end))
}

/// Lists follow each other without a gap, from version 2 on in the order of the table, and fill
/// their section.
fn tiles(frame: &Frame<'_>, mut extents: Vec<(u64, u64)>, report: &mut Report) {
    let toc = &frame.toc;
    if frame.version == Version::V1 {
        extents.sort_unstable();
    }
    let mut next = frame.padding(POSTINGS, toc.postings, LIST_ALIGN, report);
    let mut what = "offset of postings, padded: the first list";
    for (start, end) in extents {
        if start != next {
            report.find(POSTINGS, start, what, start, next);
        }
        (next, what) = (end, "end of the list before, where this one begins");
    }
    if next != toc.label_indices_table {
        let at = frame.end() + 24;
        let what = "offset of the section behind the last posting list";
        report.find(TOC, at, what, next, toc.label_indices_table);
    }
}

impl<'a> Lists<'a> {
    /// Notes the pair of an entry by its symbols.
    fn name(&mut self, place: u32, entry: &Entry<'a>, symbols: &Symbols<'a>, report: &mut Report) {
        let (name, value) = (symbols.find(entry.name), symbols.find(entry.value));
        for (symbol, string, what) in
            [(name, entry.name, "label name"), (value, entry.value, "label value")]
        {
            if symbol.is_none() {
                report.find(POSTINGS_TABLE, entry.at, what, "a symbol", Shown(string));
            }
        }
        if let (Some(name), Some(value)) = (name, value)
            && self.by_symbols.insert((name, value), place).is_some()
        {
            let got = format_args!("{}={} twice", Shown(entry.name), Shown(entry.value));
            report.find(POSTINGS_TABLE, entry.at, "label pair", "once", got);
        }
    }

    /// The lists that can be read.
    pub(super) fn readable(&self) -> impl Iterator<Item = &List<'a>> {
        self.lists.iter().filter(|list| list.is_readable)
    }

    /// The list of a pair, by the places of its symbols.
    pub(super) fn of(&self, name: u32, value: u32) -> Option<u32> {
        self.by_symbols.get(&(name, value)).copied()
    }

    /// Notes that a series has the pair of a list: it must be the next that the list names.
    pub(super) fn pass(&mut self, list: u32, series: u32, report: &mut Report) {
        let list = &mut self.lists[list as usize];
        if !list.is_readable {
            return;
        }
        list.pass_below(Some(series), &self.unreadable, report);
        if list.next() == Some(series) {
            list.passed += 1;
            return;
        }
        let what = format_args!("list of {}={}", Shown(list.name), Shown(list.value));
        report.find(POSTINGS, list.next_at(), what, format_args!("series {series}"), "none");
    }

    /// Series that the lists still name and no series is. Where symbols are wrong nobody knows
    /// which pair a series has: that is said once, and only the list of all series is compared.
    pub(super) fn finish(&mut self, symbols: &Symbols<'_>, report: &mut Report) {
        if !symbols.rise {
            if let Some(all) = self.all {
                self.lists[all as usize].pass_below(None, &self.unreadable, report);
            }
            let (at, what) = (self.lists.first().map_or(0, |list| list.at), "posting lists");
            let want = "a sound symbol table, to compare them with the series";
            report.warn(POSTINGS, at, what, want, "a damaged one: they are not compared");
            return;
        }
        for list in &mut self.lists {
            list.pass_below(None, &self.unreadable, report);
        }
    }
}

impl List<'_> {
    /// The next reference that has not been compared.
    fn next(&self) -> Option<u32> {
        self.refs.get(self.passed).map(|bytes| u32::from_be_bytes(*bytes))
    }

    fn next_at(&self) -> u64 {
        self.at + 4 * self.passed as u64
    }

    /// Passes references below `series`, or all. Of series that can't be read nobody knows the
    /// labels.
    fn pass_below(&mut self, series: Option<u32>, unreadable: &[u32], report: &mut Report) {
        while let Some(next) = self.next()
            && series.is_none_or(|series| next < series)
        {
            if unreadable.binary_search(&next).is_err() {
                let what = format_args!("list of {}={}", Shown(self.name), Shown(self.value));
                let want = "only series that have the pair";
                report.find(POSTINGS, self.next_at(), what, want, format_args!("series {next}"));
            }
            self.passed += 1;
        }
    }
}

//! The label indices that older writers put beside the posting lists: no reader uses them, and yet
//! they must be right.
//!
//! Bytes:   per name | 4 len | 4 names = 1 | 4 count | count × 4 symbol | 4 CRC |, then a table
//!          | 4 len | 4 count | count × (uvarint 1, str name, uvarint offset) | 4 CRC |, docs/formats/prometheus.md

use std::collections::HashMap;

use manicule_core::bytes::{DecodeError, Reader};
use manicule_core::findings::Report;

use super::frame::Frame;
use super::lists::Lists;
use super::shown::Shown;
use super::symbols::Symbols;
use crate::index::string;
use crate::sections::{LABEL_INDEX_TABLE, LABEL_INDICES};

/// Label indices begin at a multiple of this, and so do all.
const ALIGN: u64 = 4;

pub(super) fn check(
    frame: &Frame<'_>,
    symbols: &Symbols<'_>,
    lists: &Lists<'_>,
    report: &mut Report,
) {
    if !frame.has_label_indices() {
        return;
    }
    let at = frame.toc.label_indices_table;
    let section = frame.section(at, "label index table");
    let Some((mut reader, end)) = report.ok(LABEL_INDEX_TABLE, section) else { return };
    if end != frame.toc.postings_table {
        let what = "end of the label index table, the postings offset table";
        report.find(LABEL_INDEX_TABLE, end, what, frame.toc.postings_table, end);
    }
    let Some(rows) = report.ok(LABEL_INDEX_TABLE, rows(&mut reader)) else { return };
    let mut extents = Vec::new();
    let mut values: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for list in &lists.lists {
        values.entry(list.name).or_default().push(list.value);
    }
    for (name, at) in &rows {
        // Without the whole table nobody knows which values there should be.
        let want = values.get_mut(name).filter(|_| lists.is_complete);
        if let Some(end) = label_index(frame, name, *at, symbols, want, report) {
            extents.push((*at, end));
        }
    }
    let mut names: Vec<&[u8]> = rows.iter().map(|row| row.0).collect();
    names.sort_unstable();
    let mut want: Vec<&[u8]> = values.into_keys().filter(|name| !name.is_empty()).collect();
    want.sort_unstable();
    if lists.is_complete && names != want {
        let (want, got) = (want.len(), names.len());
        report.find(LABEL_INDEX_TABLE, at, "names, those of the label pairs", want, got);
    }
    if extents.len() == rows.len() {
        tiles(frame, extents, report);
    }
}

/// The rows of the table: a name, and where its index is.
fn rows<'a>(reader: &mut Reader<'a>) -> Result<Vec<(&'a [u8], u64)>, DecodeError> {
    let count = reader.u32_be("rows of the label index table")?;
    let mut rows = Vec::new();
    for _ in 0..count {
        let (what, at) = ("strings of a row", reader.at());
        let strings = reader.uvarint(what)?;
        if strings != 1 {
            return Err(DecodeError::Corrupt { what, at, want: 1, got: strings });
        }
        rows.push((string(reader, "label name")?, reader.uvarint("offset of a label index")?));
    }
    match reader.rest().len() as u64 {
        0 => Ok(rows),
        got => {
            let (what, at) = ("bytes behind the last row", reader.at());
            Err(DecodeError::Corrupt { what, at, want: 0, got })
        }
    }
}

/// Reads the index of a name, compares its values with those of the label pairs, and gives where it
/// ends.
fn label_index(
    frame: &Frame<'_>,
    name: &[u8],
    at: u64,
    symbols: &Symbols<'_>,
    want: Option<&mut Vec<&[u8]>>,
    report: &mut Report,
) -> Option<u64> {
    let (mut reader, end) = report.ok(LABEL_INDICES, frame.section(at, "label index"))?;
    let names = report.ok(LABEL_INDICES, reader.u32_be("names of a label index"))?;
    let count = report.ok(LABEL_INDICES, reader.u32_be("values of a label index"))?;
    let (numbers, rest) = reader.rest().as_chunks::<4>();
    if names != 1 || numbers.len() as u64 != u64::from(count) || !rest.is_empty() {
        let want = format_args!("one name, {} bytes of values", u64::from(count) * 4);
        let got = format_args!("{names}, {}", reader.rest().len());
        report.find(LABEL_INDICES, at, "label index", want, got);
        return None;
    }
    // Without symbols there is nothing to compare with, and that was reported.
    if symbols.end.is_none() {
        return Some(end);
    }
    let place = |bytes: &[u8; 4]| symbols.place(frame.version, u32::from_be_bytes(*bytes).into());
    let got: Option<Vec<&[u8]>> =
        numbers.iter().map(|bytes| Some(symbols.get(place(bytes)?))).collect();
    let Some(mut got) = got else {
        report.find(LABEL_INDICES, at, "values of a label index", "symbols", "other numbers");
        return Some(end);
    };
    got.sort_unstable();
    let Some(want) = want else { return Some(end) };
    want.sort_unstable();
    if got != *want {
        let what = format_args!("values of {}, those of its label pairs", Shown(name));
        match got.iter().zip(&*want).find(|(got, want)| got != want) {
            Some((got, want)) => report.find(LABEL_INDICES, at, what, Shown(want), Shown(got)),
            None => report.find(LABEL_INDICES, at, what, want.len(), got.len()),
        }
    }
    Some(end)
}

/// Label indices follow each other without a gap, and fill their section.
fn tiles(frame: &Frame<'_>, mut extents: Vec<(u64, u64)>, report: &mut Report) {
    extents.sort_unstable();
    let mut next = frame.padding(LABEL_INDICES, frame.toc.label_indices, ALIGN, report);
    for (start, end) in extents {
        if start != next {
            report.find(LABEL_INDICES, start, "place behind the label index before", next, start);
        }
        next = end;
    }
    let padded = frame.padding(LABEL_INDICES, next, ALIGN, report);
    if !(next..=padded).contains(&frame.toc.postings) {
        let (want, got) = (next, frame.toc.postings);
        report.find(LABEL_INDICES, next, "end of the label indices, the postings", want, got);
    }
}

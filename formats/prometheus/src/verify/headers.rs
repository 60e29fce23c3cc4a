//! What other systems keep of an index beside it: Thanos's index-header and Mimir's sparse header,
//! by themselves and against the index.

use manicule_core::bytes::{DecodeError, Reader};
use manicule_core::findings::Report;

use super::lists::entry;
use super::shown::Shown;
use crate::crc;
use crate::index::{INDEX_MAGIC, Index, TOC_LEN, Toc, string};
use crate::index_header::HeaderPlaces;
use crate::sections::{HEADER, POSTINGS_TABLE, SPARSE_HEADER, SYMBOLS, TOC, TRAILER};
use crate::sparse_header::{SPARSE_LEN_MAX, SparseHeader, SparsePlaces, unpacked};

/// Verifies an index-header: its trailer, the sums of symbols, table and table of contents, and
/// where the whole index is at hand that they are its own.
pub fn verify_index_header(bytes: &[u8], index: Option<&[u8]>, report: &mut Report) {
    let Some(places) = report.ok(TRAILER, HeaderPlaces::read(bytes)) else { return };
    let end = section_end(bytes, places.symbols, places.table, "symbol table");
    expect(SYMBOLS, places.symbols, "end of the symbols, the table", places.table, end, report);
    let toc_at = places.end.saturating_sub(TOC_LEN as u64);
    let end = section_end(bytes, places.table, toc_at, "postings offset table");
    let what = "end of the table, the table of contents";
    expect(POSTINGS_TABLE, places.table, what, toc_at, end, report);
    let toc = report.ok(TOC, Toc::decode(&bytes[..places.end as usize]));
    if let Some(toc) = toc.filter(|toc| toc.postings_table != places.postings_table) {
        let what = "postings offset table of the index";
        report.find(HEADER, 6, what, toc.postings_table, places.postings_table);
    }
    let wanted = index.and_then(|index| index.get(INDEX_MAGIC.len()));
    let got = places.index_version;
    if wanted.map_or(!(1..=3).contains(&got), |want| *want != got) {
        let want = wanted.map_or_else(|| "1, 2 or 3".to_owned(), |want| want.to_string());
        report.find(HEADER, 5, "version of the index", want, got);
    }
    if report.is_ok() && index.is_none() {
        let read = symbols(bytes, &places, report);
        report.ok(SYMBOLS, read);
        let read = pairs(bytes, &places, report);
        report.ok(POSTINGS_TABLE, read);
    }
    let Some((index, toc)) = index.zip(toc).filter(|_| report.is_ok()) else { return };
    let range = |start: u64, end: u64| index.get(start as usize..end as usize);
    let rows = [
        (SYMBOLS, range(toc.symbols, toc.series), places.symbols..places.table),
        (POSTINGS_TABLE, range(toc.postings_table, index.len() as u64), places.table..places.end),
    ];
    for (section, want, got) in rows {
        let own = &bytes[got.start as usize..got.end as usize];
        if want != Some(own) {
            let what = "bytes of the section";
            report.find(section, got.start, what, "those of the index", "others");
        }
    }
}

/// The contents of a section whose sum holds: `| 4 len | len bytes | 4 CRC |`.
fn contents<'a>(bytes: &'a [u8], at: u64, end: u64) -> Reader<'a> {
    let (start, end) = (at as usize + size_of::<u32>(), end as usize - size_of::<u32>());
    Reader::new(&bytes[start..end], start as u64)
}

/// Verifies the symbols where no index is at hand that they could be compared with: they increase,
/// and nothing follows the last.
fn symbols(bytes: &[u8], places: &HeaderPlaces, report: &mut Report) -> Result<(), DecodeError> {
    let mut reader = contents(bytes, places.symbols, places.table);
    let mut before: Option<&[u8]> = None;
    for number in 0..reader.u32_be("symbol count")? {
        let at = reader.at();
        let symbol = string(&mut reader, "symbol")?;
        if let Some(before) = before.filter(|before| *before >= symbol) {
            let want = format_args!("above {}", Shown(before));
            report.find(SYMBOLS, at, format_args!("symbol {number}"), want, Shown(symbol));
        }
        before = Some(symbol);
    }
    nothing_follows(&reader, SYMBOLS, "bytes behind the last symbol", report);
    Ok(())
}

/// Verifies the pairs likewise, and that lists lie before the table of the index.
fn pairs(bytes: &[u8], places: &HeaderPlaces, report: &mut Report) -> Result<(), DecodeError> {
    let toc_at = places.end - TOC_LEN as u64;
    let mut reader = contents(bytes, places.table, toc_at);
    let mut before: Option<(&[u8], &[u8])> = None;
    for number in 0..reader.u32_be("entries of the postings offset table")? {
        let pair = entry(&mut reader)?;
        let own = (pair.name, pair.value);
        // In version 1 they are in no order.
        if let Some(before) = before.filter(|before| *before >= own && places.index_version > 1) {
            let want = format_args!("above {}={}", Shown(before.0), Shown(before.1));
            let got = format_args!("{}={}", Shown(own.0), Shown(own.1));
            report.find(POSTINGS_TABLE, pair.at, format_args!("label pair {number}"), want, got);
        }
        if pair.list_at >= places.postings_table {
            let want = format_args!("below {}", places.postings_table);
            let what = format_args!("offset of the list of label pair {number}");
            report.find(POSTINGS_TABLE, pair.at, what, want, pair.list_at);
        }
        before = Some(own);
    }
    nothing_follows(&reader, POSTINGS_TABLE, "bytes behind the last entry", report);
    Ok(())
}

fn nothing_follows(reader: &Reader<'_>, section: &'static str, what: &str, report: &mut Report) {
    let rest = reader.rest().len();
    if rest > 0 {
        report.find(section, reader.at(), what, 0, rest);
    }
}

/// End of a section `| 4 len | len bytes | 4 CRC |` that begins at an offset and ends at `limit` at the latest.
fn section_end(bytes: &[u8], at: u64, limit: u64, what: &'static str) -> Result<u64, DecodeError> {
    let own = bytes.get(at as usize..limit as usize).unwrap_or_default();
    let mut reader = Reader::new(own, at);
    let len = reader.u32_be(what)?;
    let covered = reader.take(what, len as usize)?;
    crc::check(what, covered, &mut reader)?;
    Ok(reader.at())
}

fn expect(
    section: &'static str,
    at: u64,
    what: &'static str,
    want: u64,
    got: Result<u64, DecodeError>,
    report: &mut Report,
) {
    if let Some(got) = report.ok(section, got).filter(|got| *got != want) {
        report.find(section, at, what, want, got);
    }
}

/// Verifies a sparse header: its compression, its fields, and where the whole index is at hand
/// every place in it.
pub fn verify_sparse_header(bytes: &[u8], index: Option<&[u8]>, report: &mut Report) {
    // What is kept of an index is shorter than that.
    let len_max = index.map_or(SPARSE_LEN_MAX, |index| index.len() as u64);
    let message = report.ok(SPARSE_HEADER, unpacked(bytes, len_max));
    let read = message.and_then(|message| report.ok(SPARSE_HEADER, SparsePlaces::read(&message)));
    let (Some(got), Some(index)) = (read, index) else { return };
    // What is wrong with the index is found there.
    let Ok(want) = wanted(index) else { return };
    if got.sampling != want.sampling {
        let what = "sampling; its places are not compared";
        return report.warn(SPARSE_HEADER, 0, what, want.sampling, got.sampling);
    }
    compare(&want, &got, report);
}

/// The places of an index that is whole.
fn wanted(index: &[u8]) -> Result<SparsePlaces, DecodeError> {
    let toc = *Index::open(index)?.toc();
    let mut header = SparseHeader::default();
    let table = |at: u64| Reader::new(&index[at as usize..], at);
    let mut symbols = table(toc.symbols);
    symbols.u32_be("symbol table")?;
    for _ in 0..symbols.u32_be("symbol count")? {
        header.symbol(symbols.at() - toc.symbols);
        string(&mut symbols, "symbol")?;
    }
    let mut pairs = table(toc.postings_table);
    pairs.u32_be("postings offset table")?;
    for _ in 0..pairs.u32_be("entries of the postings offset table")? {
        let place = pairs.at() - toc.postings_table;
        pairs.uvarint("strings of an entry")?;
        let (name, value) = (string(&mut pairs, "label name")?, string(&mut pairs, "label value")?);
        header.value(name, value, place, pairs.uvarint("offset of a posting list")?);
    }
    SparsePlaces::read(&header.message(toc.label_indices_table))
}

fn compare(want: &SparsePlaces, got: &SparsePlaces, report: &mut Report) {
    let mut find = |what: &str, want: &dyn std::fmt::Display, got: &dyn std::fmt::Display| {
        report.find(SPARSE_HEADER, 0, what, want, got);
    };
    if want.symbol_count != got.symbol_count {
        find("symbols of the index", &want.symbol_count, &got.symbol_count);
    }
    if want.symbols.len() != got.symbols.len() {
        find("places of symbols", &want.symbols.len(), &got.symbols.len());
    } else if let Some((want, got)) = first_other(&want.symbols, &got.symbols) {
        find("place of a symbol", want, got);
    }
    if want.names.len() != got.names.len() {
        find("names of labels", &want.names.len(), &got.names.len());
    }
    for (name, want) in &want.names {
        let shown = String::from_utf8_lossy(name);
        match got.names.get(name) {
            None => find("name of a label", &format_args!("{shown:?}"), &"none"),
            Some(got) if got.lists_end != want.lists_end => {
                let what = format!("end of the lists of {shown:?}");
                find(&what, &want.lists_end, &got.lists_end);
            }
            Some(got) if got.values != want.values => {
                let what = format!("values of {shown:?} and their places");
                find(&what, &"those of the index", &"others");
            }
            Some(_) => {}
        }
    }
}

fn first_other<'p>(want: &'p [u64], got: &'p [u64]) -> Option<(&'p u64, &'p u64)> {
    want.iter().zip(got).find(|(want, got)| want != got)
}

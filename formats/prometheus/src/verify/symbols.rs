//! The symbol table: strictly increasing strings, and nothing after the last.

use manicule_core::findings::Report;

use super::frame::Frame;
use super::shown::Shown;
use crate::index::{Version, string};
use crate::sections::{SYMBOLS, TOC};

/// The symbols as far as they can be read.
pub(super) struct Symbols<'a> {
    pub list: Vec<&'a [u8]>,
    /// Whether they were read to the end and rise, so that numbers compare as strings do.
    pub rise: bool,
    /// Offset of each, for version 1.
    places: Vec<u64>,
    /// End of the section, if that is known.
    pub end: Option<u64>,
}

pub(super) fn check<'a>(frame: &Frame<'a>, report: &mut Report) -> Symbols<'a> {
    let mut symbols = Symbols { list: Vec::new(), rise: false, places: Vec::new(), end: None };
    let section = frame.section(frame.toc.symbols, "symbol table");
    let Some((mut reader, end)) = report.ok(SYMBOLS, section) else { return symbols };
    symbols.end = Some(end);
    if frame.toc.series != end {
        let at = frame.end() + 8;
        report.find(TOC, at, "offset of series, the end of symbols", end, frame.toc.series);
    }
    let before = report.findings.count;
    let count = report.ok(SYMBOLS, reader.u32_be("symbol count")).unwrap_or(0);
    for number in 0..count {
        let at = reader.at();
        let Some(symbol) = report.ok(SYMBOLS, string(&mut reader, "symbol")) else { break };
        if let Some(last) = symbols.list.last()
            && *last >= symbol
        {
            let want = format_args!("above {}", Shown(last));
            report.find(SYMBOLS, at, format_args!("symbol {number}"), want, Shown(symbol));
        }
        symbols.list.push(symbol);
        symbols.places.push(at);
    }
    let rest = reader.rest().len();
    if rest > 0 && symbols.list.len() == count as usize {
        report.find(SYMBOLS, reader.at(), "bytes behind the last symbol", 0, rest);
    }
    symbols.rise = report.findings.count == before;
    symbols
}

impl<'a> Symbols<'a> {
    /// Index in the list of the symbol that a file names: by its number, or in version 1 by its
    /// offset.
    pub(super) fn place(&self, version: Version, number: u64) -> Option<u32> {
        match version {
            Version::V1 => self.places.binary_search(&number).ok().map(|place| place as u32),
            Version::V2 | Version::V3 => (number < self.list.len() as u64).then_some(number as u32),
        }
    }

    /// The place of a string, where symbols rise.
    pub(super) fn find(&self, string: &[u8]) -> Option<u32> {
        self.list.binary_search(&string).ok().map(|place| place as u32)
    }

    /// The symbol at a place.
    pub(super) fn get(&self, place: u32) -> &'a [u8] {
        self.list[place as usize]
    }
}

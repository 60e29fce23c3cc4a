//! Answers as they are printed: each thread renders what it finds, and the pieces go out in the
//! order of the shards.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Mutex;

use manicule::code::search::{Answer, Hear};
use manicule::code::tree::Flow;
use manicule::watch::Watch;
use serde_json::json;

use crate::code::json::{begin, json_line, matched, text};
use crate::code::lines::each_line;
use crate::code::show::{Listing, Style};
use crate::documents::document_path;
use crate::print::{Print, typed};

/// The answers of one range, ready to be printed.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    documents: Vec<Printed>,
}

/// Where the parts of a document end in the bytes of a piece: what opens it, each line, what closes
/// it.
struct Printed {
    head_end: usize,
    line_ends: Vec<usize>,
    end: usize,
}

/// Renders the answers of one thread.
pub(super) struct Hearer<'h, 'p> {
    listing: Listing,
    style: Style,
    with_repository: bool,
    printer: &'h Mutex<Printer<'p>>,
    watch: &'h Watch<'h>,
    piece: Piece,
    path: Vec<u8>,
}

impl<'h, 'p> Hearer<'h, 'p> {
    pub(super) fn new(
        listing: Listing,
        style: Style,
        with_repository: bool,
        printer: &'h Mutex<Printer<'p>>,
        watch: &'h Watch<'h>,
    ) -> Hearer<'h, 'p> {
        let (piece, path) = (Piece::default(), Vec::new());
        Hearer { listing, style, with_repository, printer, watch, piece, path }
    }
}

impl Hear for Hearer<'_, '_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        let path = document_path(answer.document, self.with_repository, &mut self.path);
        let out = &mut self.piece.bytes;
        let content = answer.document.content;
        let mut line_ends = Vec::new();
        match self.listing {
            Listing::Json => json_line(out, &begin(answer, path)),
            Listing::Lines if self.style.heading && !answer.matches.is_empty() => {
                self.style.put_name(out, path, &[]);
            }
            _ => {}
        }
        let head_end = out.len();
        match self.listing {
            Listing::Names => self.style.put_name(out, path, &[]),
            Listing::Counts => {
                let mut count = 0u64;
                each_line(content, answer.matches, |_| count += 1);
                self.style.put_path(out, path);
                out.push(b':');
                out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
                out.push(b'\n');
            }
            Listing::Lines if answer.matches.is_empty() => {
                // The repository's name may stand before the document's.
                let shift = path.len() - answer.document.name.len();
                let matches = answer.name_matches.iter();
                let matches = matches.map(|found| found.start + shift..found.end + shift);
                self.style.put_name(out, path, &matches.collect::<Vec<_>>());
            }
            Listing::Lines => line_ends = self.style.put_lines(out, path, content, answer.matches),
            Listing::Json => each_line(content, answer.matches, |line| {
                json_line(out, &matched(answer, path, line));
                line_ends.push(out.len());
            }),
        }
        if line_ends.is_empty() {
            line_ends.push(out.len());
        }
        if self.listing == Listing::Json {
            json_line(out, &typed("end", json!({ "data": { "path": text(path) } })));
        }
        self.piece.documents.push(Printed { head_end, line_ends, end: out.len() });
        Flow::Continue
    }

    fn range_end(&mut self, number: usize) {
        let piece = std::mem::take(&mut self.piece);
        let mut printer = self.printer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !printer.put(number, piece) {
            self.watch.cancel();
        }
    }
}

/// Prints pieces in their order.
pub(super) struct Printer<'p> {
    pub(super) out: &'p mut Print,
    next: usize,
    waiting: BTreeMap<usize, Piece>,
    left: u64,
    /// There is more than the limit.
    pub(super) is_cut: bool,
    pub(super) documents: u64,
    /// What parts two documents.
    between: &'static [u8],
    pub(super) lines: u64,
    failure: Option<io::Error>,
}

impl<'p> Printer<'p> {
    pub(super) fn new(limit: u64, between: &'static [u8], out: &'p mut Print) -> Self {
        Printer {
            out,
            next: 0,
            waiting: BTreeMap::new(),
            left: limit,
            is_cut: false,
            documents: 0,
            between,
            lines: 0,
            failure: None,
        }
    }

    /// Takes a piece, and prints what is next. Whether more is wanted.
    fn put(&mut self, number: usize, piece: Piece) -> bool {
        self.waiting.insert(number, piece);
        while let Some(piece) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.print(&piece);
        }
        !self.is_cut && self.failure.is_none()
    }

    /// Prints what still waits for pieces that never came.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        for (_, piece) in std::mem::take(&mut self.waiting) {
            self.print(&piece);
        }
        match self.failure.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn print(&mut self, piece: &Piece) {
        let mut start = 0;
        for document in &piece.documents {
            if self.left == 0 {
                self.is_cut = true;
            }
            if self.is_cut || self.failure.is_some() {
                return;
            }
            let count = (document.line_ends.len() as u64).min(self.left);
            self.is_cut = count < document.line_ends.len() as u64;
            self.left -= count;
            let between = if self.documents > 0 { self.between } else { b"" };
            self.documents += 1;
            self.lines += count;
            let lines_end = document.line_ends[count as usize - 1];
            let last = document.line_ends.last().copied().unwrap_or(document.head_end);
            let parts = [between, &piece.bytes[start..lines_end], &piece.bytes[last..document.end]];
            for part in parts {
                if let Err(error) = self.out.write_all(part) {
                    self.failure = Some(error);
                }
            }
            start = document.end;
        }
    }
}

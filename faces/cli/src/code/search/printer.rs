//! Answers as they are printed: each thread renders what it finds, and the pieces go out in the
//! order of the shards.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

use manicule::code::document_path;
use manicule::code::search::{Answer, FileMatch, Hear, Scorer, matched_lines};
use manicule::code::shards::ShardError;
use manicule::code::shards::find::Document;
use manicule::code::tree::Flow;
use manicule::watch::Watch;

use crate::code::json::JsonFile;
use crate::code::show::{Listing, Style};
use crate::print::Print;

/// The answers of one range, ready to be printed.
#[derive(Default)]
pub(super) struct Piece {
    bytes: Vec<u8>,
    documents: Vec<Printed>,
}

/// Where the parts of a document end in the bytes of a piece: what opens it, each line, what closes
/// it.
struct Printed {
    head_end: usize,
    line_ends: Vec<usize>,
    end: usize,
    /// Number of its matches, where they were scored.
    match_count: u64,
}

/// A document that matches.
pub(super) struct Seen<'s> {
    pub(super) document: &'s Document<'s>,
    /// Increasing, without overlaps.
    pub(super) matches: &'s [Range<usize>],
    pub(super) name_matches: &'s [Range<usize>],
    /// Its scores.
    pub(super) file: Option<&'s FileMatch>,
}

/// Renders documents.
pub(super) struct Renderer {
    listing: Listing,
    style: Style,
    with_repository: bool,
    piece: Piece,
    path: Vec<u8>,
}

impl Renderer {
    pub(super) fn new(listing: Listing, style: Style, with_repository: bool) -> Self {
        let (piece, path) = (Piece::default(), Vec::new());
        Renderer { listing, style, with_repository, piece, path }
    }

    /// What was rendered since the last time.
    pub(super) fn take(&mut self) -> Piece {
        std::mem::take(&mut self.piece)
    }

    pub(super) fn render(&mut self, seen: &Seen<'_>) -> Result<(), ShardError> {
        let path = document_path(seen.document, self.with_repository, &mut self.path);
        let out = &mut self.piece.bytes;
        if let (Listing::Json, Some(file)) = (self.listing, seen.file) {
            let json = JsonFile { document: seen.document, file, path };
            json.put_begin(out)?;
            let head_end = out.len();
            let mut line_ends = json.put_matches(out)?;
            if line_ends.is_empty() {
                line_ends.push(out.len());
            }
            json.put_end(out);
            let (end, match_count) = (out.len(), file.matches.count());
            self.piece.documents.push(Printed { head_end, line_ends, end, match_count });
            return Ok(());
        }
        let content = seen.document.content;
        let mut line_ends = Vec::new();
        let has_heading = self.listing == Listing::Lines && self.style.heading;
        if has_heading && !seen.matches.is_empty() {
            self.style.put_name(out, path, &[]);
        }
        let head_end = out.len();
        match self.listing {
            Listing::Counts => {
                let count = matched_lines(content, seen.matches.iter().cloned()).count();
                self.style.put_path(out, path);
                out.push(b':');
                out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
                out.push(b'\n');
            }
            Listing::Lines if seen.matches.is_empty() => {
                // The repository's name may stand before the document's.
                let shift = path.len() - seen.document.name.len();
                let matches = seen.name_matches.iter();
                let matches = matches.map(|found| found.start + shift..found.end + shift);
                self.style.put_name(out, path, &matches.collect::<Vec<_>>());
            }
            Listing::Lines => line_ends = self.style.put_lines(out, path, content, seen.matches),
            Listing::Names | Listing::Json => self.style.put_name(out, path, &[]),
        }
        if line_ends.is_empty() {
            line_ends.push(out.len());
        }
        let match_count = line_ends.len() as u64;
        self.piece.documents.push(Printed { head_end, line_ends, end: out.len(), match_count });
        Ok(())
    }
}

/// Renders the answers of one thread.
pub(super) struct Hearer<'h, 'p> {
    pub(super) renderer: Renderer,
    /// Where scores are shown.
    pub(super) scorer: Option<Scorer<'h>>,
    pub(super) printer: &'h Mutex<Printer<'p>>,
    pub(super) watch: &'h Watch<'h>,
}

impl Hear for Hearer<'_, '_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        let scored = self.scorer.as_ref().map(|scorer| scorer.file(answer)).transpose();
        let rendered = scored.and_then(|file| {
            self.renderer.render(&Seen {
                document: answer.document,
                matches: answer.matches,
                name_matches: answer.name_matches,
                file: file.as_ref(),
            })
        });
        match rendered {
            Ok(()) => Flow::Continue,
            Err(error) => {
                locked(self.printer).damage.get_or_insert(error);
                Flow::Quit
            }
        }
    }

    fn range_end(&mut self, number: usize) {
        if !locked(self.printer).put(number, self.renderer.take()) {
            self.watch.cancel();
        }
    }
}

fn locked<'l, 'p>(printer: &'l Mutex<Printer<'p>>) -> MutexGuard<'l, Printer<'p>> {
    printer.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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
    /// Matches of the documents that were printed, as zoekt counts them.
    pub(super) matches: u64,
    failure: Option<io::Error>,
    /// Damage that was found in a document that matches.
    pub(super) damage: Option<ShardError>,
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
            matches: 0,
            failure: None,
            damage: None,
        }
    }

    /// Takes a piece, and prints what is next. Whether more is wanted.
    pub(super) fn put(&mut self, number: usize, piece: Piece) -> bool {
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
            self.matches += document.match_count;
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

//! BM25: by how often each word occurs in a document, against its length. All words weigh the same,
//! however rare.

use std::collections::BTreeMap;
use std::ops::Range;

use manicule_format_zoekt::Category;

use super::super::query::{Query, Texts};
use super::shape::{ChunkMatch, LineMatch};
use super::subject::Subject;

const K: f64 = 1.2;
const B: f64 = 0.75;
/// What a match in a name or a symbol counts.
const IN_NAME: u32 = 5;
/// What frequencies of documents are divided by that few look for: tests, and what somebody else or
/// a program wrote.
const OF_LITTLE_USE: u32 = 5;
/// Length of a line that is neither short nor long.
const LINE_LEN: f64 = 100.0;

/// How often each word occurs. All patterns are one word.
#[derive(Default)]
pub(super) struct Frequencies(BTreeMap<String, u32>);

impl Frequencies {
    /// Counts a match in the content.
    pub(super) fn add(
        &mut self,
        subject: &Subject<'_>,
        query: &Query,
        atom: usize,
        range: &Range<usize>,
    ) {
        let in_symbol = subject.symbol_at(range).is_some();
        let count = if in_symbol { IN_NAME } else { 1 };
        let term = term(query, atom, &subject.document.content[range.clone()]);
        *self.0.entry(term).or_default() += count;
    }

    /// Counts a match in the name.
    pub(super) fn add_name(
        &mut self,
        subject: &Subject<'_>,
        query: &Query,
        atom: usize,
        range: &Range<usize>,
    ) {
        let term = term(query, atom, &subject.document.name[range.clone()]);
        *self.0.entry(term).or_default() += IN_NAME;
    }

    /// Score of a document with these.
    pub(super) fn of_file(&self, subject: &Subject<'_>) -> f64 {
        let document = subject.document;
        let shard = document.shard.shard();
        let of_little_use = shard.category(document.number).is_ok_and(|category| {
            use Category::{Binary, Generated, Test, Vendored};
            matches!(category, Test | Vendored | Generated | Binary)
        });
        let divisor = if of_little_use { OF_LITTLE_USE } else { 1 };
        let mean = document.shard.content_len() as f64 / shard.document_count().max(1) as f64;
        let mean = if mean == 0.0 { 1.0 } else { mean };
        self.score(divisor, document.content.len() as f64 / mean)
    }

    /// `len`: in units of a usual one.
    fn score(&self, divisor: u32, len: f64) -> f64 {
        let one = |count: &u32| {
            let count = f64::from(count / divisor);
            (K + 1.0) * count / (K * (1.0 - B + B * len) + count)
        };
        self.0.values().map(one).sum()
    }
}

/// The word that a match is of.
fn term(query: &Query, atom: usize, text: &[u8]) -> String {
    match query.texts(atom) {
        Texts::One(text) => text.clone(),
        Texts::Several => String::from_utf8_lossy(text).to_lowercase(),
        Texts::Pattern => String::new(),
    }
}

/// Scores the lines of a content.
pub(super) fn lines(subject: &Subject<'_>, query: &Query, lines: &mut [LineMatch]) {
    for line in lines {
        let mut own = Frequencies::default();
        for fragment in &line.fragments {
            own.add(subject, query, fragment.atom, &fragment.range);
        }
        line.score = own.score(1, line.range.len() as f64 / LINE_LEN);
    }
}

/// Scores the chunks of a content: as the best of their lines, with the matches that begin in it.
pub(super) fn chunks(subject: &Subject<'_>, query: &Query, chunks: &mut [ChunkMatch]) {
    let content = subject.document.content;
    for chunk in chunks {
        let by_line = chunk.ranges.chunk_by(|left, right| left.start.line == right.start.line);
        for ranges in by_line {
            let mut own = Frequencies::default();
            for range in ranges {
                let place = range.start.offset..range.end.offset;
                own.add(subject, query, range.atom, &place);
            }
            let at = ranges[0].start.offset;
            let start = memchr::memrchr(b'\n', &content[..at]).map_or(0, |newline| newline + 1);
            let rest = &content[at..];
            let end = memchr::memchr(b'\n', rest).map_or(content.len(), |newline| at + newline + 1);
            let score = own.score(1, (end - start) as f64 / LINE_LEN);
            if chunk.best_line == 0 || score > chunk.score {
                (chunk.score, chunk.best_line) = (score, ranges[0].start.line);
            }
        }
    }
}

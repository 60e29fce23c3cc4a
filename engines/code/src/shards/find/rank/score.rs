//! Scores by where a match is: in a word, in a name, in the declaration of a symbol.
//!
//! | match | score |
//! |---|---|
//! | begins and ends a word, does one of both | 500, 50 |
//! | is the base name, begins or ends it, is in it | + 7000, 5500, 4000 |
//! | is a symbol, begins or ends one, is in one | + 7000, 5500, 4000, and 100 × its kind's factor |
//!
//! A line has its best match's score, a chunk its best line's. Of n lines in the document's order,
//! line i has 1 - i/n more. A document's score is that of its best line and up to 400 for the
//! number of words that match; rank and order decide where that is equal.
//!
//! Bytes:   docs/guide/search-zoekt-shards.md, section *Scores*

use std::ops::Range;

use manicule_core::bytes::DecodeError;

use super::shape::{ChunkMatch, LineMatch};
use super::subject::Subject;

const WORD: f64 = 500.0;
const PART_OF_WORD: f64 = 50.0;
const WHOLE: f64 = 7000.0;
const EDGE: f64 = 5500.0;
const INSIDE: f64 = 4000.0;
const KIND: f64 = 100.0;
const ATOMS: f64 = 400.0;
/// What a unit of a line's score is worth in a document's.
const LINE: f64 = 10_000_000.0;
const RANK: f64 = 100.0;
const ORDER: f64 = 10.0;

/// Scores the lines of a content; the best score without what their order adds.
pub(super) fn lines(subject: &Subject<'_>, lines: &mut [LineMatch]) -> Result<f64, DecodeError> {
    let (mut best, count) = (0.0, lines.len());
    for (index, line) in lines.iter_mut().enumerate() {
        for fragment in &line.fragments {
            line.score = f64::max(line.score, of_content(subject, &fragment.range)?);
        }
        best = f64::max(best, line.score);
        line.score += by_order(index, count);
    }
    Ok(best)
}

/// Scores the chunks of a content, likewise.
pub(super) fn chunks(subject: &Subject<'_>, chunks: &mut [ChunkMatch]) -> Result<f64, DecodeError> {
    let (mut best, count) = (0.0, chunks.len());
    for (index, chunk) in chunks.iter_mut().enumerate() {
        for range in &chunk.ranges {
            let score = of_content(subject, &(range.start.offset..range.end.offset))?;
            if chunk.best_line == 0 || score > chunk.score {
                (chunk.score, chunk.best_line) = (score, range.start.line);
            }
        }
        best = f64::max(best, chunk.score);
        chunk.score += by_order(index, count);
    }
    Ok(best)
}

/// What the place of a line among all of a document adds.
pub(super) fn by_order(index: usize, count: usize) -> f64 {
    1.0 - index as f64 / count as f64
}

fn of_content(subject: &Subject<'_>, range: &Range<usize>) -> Result<f64, DecodeError> {
    let word = of_word(subject.document.content, range);
    let Some(symbol) = subject.symbol_at(range) else { return Ok(word) };
    let own = subject.symbol(symbol);
    let place = match (range.start == own.start, range.end == own.end) {
        (true, true) => WHOLE,
        (false, false) => INSIDE,
        _ => EDGE,
    };
    Ok(word + place + KIND * subject.factor(symbol)?)
}

/// Score of a match in a name.
pub(super) fn of_name(name: &[u8], range: &Range<usize>) -> f64 {
    let base = memchr::memrchr(b'/', name).map_or(0, |slash| slash + 1);
    let place = match (range.start == base, range.end == name.len()) {
        (true, true) => WHOLE,
        (true, false) | (false, true) => EDGE,
        _ if range.start > base => INSIDE,
        _ => 0.0,
    };
    of_word(name, range) + place
}

fn of_word(text: &[u8], range: &Range<usize>) -> f64 {
    let differs = |at: usize| at == 0 || at >= text.len() || class(text[at - 1]) != class(text[at]);
    match (differs(range.start), differs(range.end)) {
        (true, true) => WORD,
        (false, false) => 0.0,
        _ => PART_OF_WORD,
    }
}

#[derive(PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Space,
    Mark,
    Other,
}

fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        b' ' | b'\n' => Class::Space,
        b'.' | b',' | b';' | b'"' | b'\'' => Class::Mark,
        _ => Class::Other,
    }
}

/// Score of a document: its best line's, and what the number of words adds; its repository's rank
/// and its place in the shard where those are equal.
pub(super) fn of_file(subject: &Subject<'_>, best: f64, atom_count: usize) -> f64 {
    let document = subject.document;
    let atoms = atom_count.max(1) as f64;
    let score = ((1.0 - 1.0 / atoms) * ATOMS + best).trunc() * LINE;
    let rank = document.repository().map_or(0, |repository| repository.derived_rank());
    let count = document.shard.shard().document_count() as f64;
    let order = 1.0 - document.number as f64 / (count + 1.0);
    score + RANK * f64::from(rank) + ORDER * order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_classes_change() {
        for (text, range, want) in [
            ("a lamp on", 2..6, WORD),
            ("a lamps on", 2..6, PART_OF_WORD),
            ("clamps", 1..5, 0.0),
            ("aLamp", 1..5, WORD),
            ("Lamp", 1..4, WORD),
            ("lamp", 0..4, WORD),
            ("x_lamp_1", 2..6, WORD),
        ] {
            assert_eq!(of_word(text.as_bytes(), &range), want, "{text}");
        }
    }

    #[test]
    fn names_count_by_their_base() {
        for (name, range, want) in [
            ("a/lamp", 2..6, 7500.0),
            ("a/lamp.go", 2..6, 6000.0),
            ("a/b.lamp", 4..8, 6000.0),
            ("a/b.lamp.go", 4..8, 4500.0),
            ("lamp/a", 0..4, 500.0),
        ] {
            assert_eq!(of_name(name.as_bytes(), &range), want, "{name}");
        }
    }
}

//! A run: terms, each once and in order, and rows of their numbers. In memory, or on tapes.
//!
//! | tape | bytes |
//! |---|---|
//! | terms | of one with a text: u8 tag, u32 len, text, of a blank node u64 position; of an inlined literal: u8 0, u64 id |
//! | rows | 3 or 4 × u32, the ranks of their terms in the run |

use std::convert::Infallible;

use manicule_format_leaf::Tag;
use manicule_format_leaf::dictionary::Sample;

use super::order::{Keyed, sort_texts};
use super::table::{Place, Texts};
use super::tape::{Overflow, Tape, TapeWriter};
use super::triples::is_open;
use crate::dictionary::{PerTag, TEXT_TAGS};
use crate::error::GraphError;

/// Rows of the default graph and of the named ones: subject, predicate, object, graph.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) triples: Vec<[u32; 3]>,
    pub(super) quads: Vec<[u32; 4]>,
}

impl Rows {
    /// Bytes of memory that the rows take.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.triples) + size_of_val(&*self.quads)
    }
}

/// A run as it was collected: terms and rows in the order in which they came.
#[derive(Debug)]
pub(super) struct Collected {
    /// By their numbers.
    pub(super) places: Vec<Place>,
    pub(super) texts: Texts,
    pub(super) rows: Rows,
}

/// A run whose terms are in order.
#[derive(Debug)]
pub(super) struct MemoryRun {
    /// Terms in order, and their numbers.
    pub(super) terms: Vec<(Place, u32)>,
    pub(super) texts: Texts,
    pub(super) rows: Rows,
}

/// A run on tapes.
#[derive(Debug)]
pub(super) struct TapedRun {
    /// Whether there are triple terms that name blank nodes.
    pub(super) has_open: bool,
    /// Of its terms.
    pub(super) samples: PerTag<Sample>,
    pub(super) terms: Tape,
    pub(super) triples: Tape,
    pub(super) quads: Tape,
}

impl Collected {
    /// Whether there is no statement.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.triples.is_empty() && self.rows.quads.is_empty()
    }

    /// Puts the terms in order: those with texts by tag and text, then inlined ones by their ids.
    pub(super) fn sorted(self) -> MemoryRun {
        let Collected { places, texts, rows } = self;
        let mut terms = Vec::with_capacity(places.len());
        for tag in std::iter::once(Tag::BLANK).chain(TEXT_TAGS) {
            let own = places.iter().filter(|place| place.tag() == tag);
            let mut own: Vec<Keyed> = own.map(|place| Keyed::new(*place)).collect();
            sort_texts(&mut own, &texts);
            terms.extend(own.iter().map(|item| (item.place, texts.number(item.place))));
        }
        let text_count = terms.len();
        let inlined = places.iter().zip(0..).filter(|(place, _)| place.tag() >= Tag::FIRST_INLINE);
        terms.extend(inlined.map(|(place, number)| (*place, number)));
        terms[text_count..].sort_unstable_by_key(|(place, _)| place.0);
        MemoryRun { terms, texts, rows }
    }
}

impl MemoryRun {
    /// Whether there are triple terms that name blank nodes: they come after the others.
    pub(super) fn has_open(&self) -> bool {
        let end = self.terms.partition_point(|(place, _)| place.tag() <= Tag::TRIPLE);
        let last = end.checked_sub(1).map(|at| self.terms[at].0);
        last.is_some_and(|last| last.tag() == Tag::TRIPLE && is_open(self.texts.get(last)))
    }

    /// Writes the run to tapes.
    pub(super) fn write(
        self,
        overflow: &Overflow,
        buffer_len: usize,
    ) -> Result<TapedRun, GraphError> {
        let has_open = self.has_open();
        let samples = TEXT_TAGS.map(|tag| self.sample(tag));
        let mut out = TapeWriter::new(overflow, buffer_len)?;
        let mut ranks = vec![0u32; self.terms.len()];
        for ((place, number), rank) in self.terms.iter().zip(0..) {
            ranks[*number as usize] = rank;
            put_term(*place, &self.texts, out.buffer());
            out.settle()?;
        }
        let terms = out.finish()?;
        let triples = write_rows(&self.rows.triples, &ranks, overflow, buffer_len)?;
        let quads = write_rows(&self.rows.quads, &ranks, overflow, buffer_len)?;
        Ok(TapedRun { has_open, samples, terms, triples, quads })
    }

    /// A sample of the terms of a tag with texts.
    fn sample(&self, tag: Tag) -> Sample {
        let start = self.terms.partition_point(|(place, _)| place.tag() < tag);
        let end = self.terms.partition_point(|(place, _)| place.tag() <= tag);
        let terms = &self.terms[start..end];
        let read = |at: u64, text: &mut Vec<u8>| {
            text.clear();
            text.extend_from_slice(self.texts.get(terms[at as usize].0));
            Ok::<(), Infallible>(())
        };
        let mut sample = Sample::default();
        let Ok(()) = sample.take(terms.len() as u64, read);
        sample
    }
}

fn put_term(place: Place, texts: &Texts, out: &mut Vec<u8>) {
    let tag = place.tag();
    if tag >= Tag::FIRST_INLINE {
        out.push(0);
        out.extend_from_slice(&place.0.to_le_bytes());
        return;
    }
    let text = texts.get(place);
    out.push(tag.0);
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text);
    if tag == Tag::BLANK {
        out.extend_from_slice(&texts.position(place).to_le_bytes());
    }
}

fn write_rows<const N: usize>(
    rows: &[[u32; N]],
    ranks: &[u32],
    overflow: &Overflow,
    buffer_len: usize,
) -> Result<Tape, GraphError> {
    if rows.is_empty() {
        return Ok(Tape::default());
    }
    let mut out = TapeWriter::new(overflow, buffer_len)?;
    for row in rows {
        put_row(&row.map(|number| ranks[number as usize]), out.buffer());
        out.settle()?;
    }
    out.finish()
}

/// Appends a row of a tape.
#[inline]
pub(super) fn put_row<const N: usize>(row: &[u32; N], out: &mut Vec<u8>) {
    row.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
}

//! The search: all texts of the dictionary, then those of commits that are not merged, then values.

use std::ops::ControlFlow;

use manicule_core::bytes::DecodeError;
use manicule_core::sorted::Strings;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_leaf::dictionary::Terms;
use manicule_format_leaf::{Id, Tag};

use super::uses::{Counter, Uses};
use super::values::Values;
use crate::dictionary::{Segment, TEXT_TAGS};
use crate::error::GraphError;
use crate::export::put_term;
use crate::snapshot::{Snapshot, State};
use crate::term::inline::literal_of;
use crate::term::{TermRef, decode_term};

manicule_core::counts! {
    /// Cost of a search.
    pub struct FindCounts {
        /// Stores that were searched.
        stores,
        /// Terms with a text that were compared.
        terms_compared,
        /// Bytes of those texts.
        terms_len,
        /// Distinct values without a text, such as numbers, that were compared.
        values_compared,
        /// Rows that were passed to find the values.
        value_rows,
        /// Terms that match, used or not.
        terms_matched,
        /// Look-ups of how they are used.
        uses_looked_up,
    }
}

/// What is searched for.
pub struct FindCall<'c> {
    /// Whether a text matches.
    pub is_match: &'c dyn Fn(&[u8]) -> bool,
    /// Whether a term is also matched as N-Triples writes it, with its brackets, quotes, language
    /// tag and datatype.
    pub with_written: bool,
    /// Whether what doesn't match is wanted.
    pub is_inverted: bool,
}

/// A term that matches and that some quad names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'f> {
    /// The term.
    pub term: TermRef<'f>,
    /// How it is used.
    pub uses: Uses,
}

/// Calls `found` for every IRI, literal and triple term that matches and that a quad names, until
/// it breaks: by kinds, and of one segment in the order of their texts.
///
/// Cost: each term of the dictionary is decoded once; each match takes a look-up for each place
/// where it can be. Objects that are values are read once. Memory: one term.
pub fn find(
    snapshot: &Snapshot,
    call: &FindCall<'_>,
    counts: &mut FindCounts,
    watch: &Watch<'_>,
    found: &mut dyn FnMut(&Found<'_>) -> ControlFlow<()>,
) -> Result<(), GraphError> {
    let state = snapshot.state();
    counts.stores += 1;
    let counter = Counter::new(state)?;
    let mut search = Search { call, state, counter, counts, found, written: Vec::new() };
    let searched = search.run(watch);
    counts.uses_looked_up += search.counter.lookups;
    searched.map(drop)
}

struct Search<'s> {
    call: &'s FindCall<'s>,
    state: &'s State,
    counter: Counter<'s>,
    counts: &'s mut FindCounts,
    found: &'s mut dyn FnMut(&Found<'_>) -> ControlFlow<()>,
    /// A term as N-Triples writes it.
    written: Vec<u8>,
}

type Flow = Result<ControlFlow<()>, GraphError>;

impl Search<'_> {
    fn run(&mut self, watch: &Watch<'_>) -> Flow {
        let count = self.state.base.segments().iter().map(|segment| segment.count()).sum();
        let meter = watch.phase(Phase::Reading, Unit::Terms, count);
        let mut steps = meter.steps();
        for (place, tag) in TEXT_TAGS.into_iter().enumerate() {
            for segment in self.state.base.segments() {
                let mut step = || steps.add(1).map_err(GraphError::from);
                if self.segment(segment, tag, &mut step)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            for layer in &self.state.layers {
                let (texts, first) = (layer.terms().texts(place), layer.terms().first()[place]);
                for number in 0..texts.count() {
                    let id = Id::new(tag, first + u64::from(number));
                    if self.text(id, texts.get(number))?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        self.values(watch)
    }

    /// The terms of a tag in a segment.
    fn segment(
        &mut self,
        segment: &Segment,
        tag: Tag,
        step: &mut dyn FnMut() -> Result<(), GraphError>,
    ) -> Flow {
        let damaged = |source| GraphError::Damaged { file: segment.path().to_owned(), source };
        let Some(section) = segment.dictionary().section(tag).map_err(damaged)? else {
            return Ok(ControlFlow::Continue(()));
        };
        let mut terms = Terms::new(section, 0..section.count());
        while let Some(next) = terms.next() {
            let (rank, text) = next.map_err(damaged)?;
            let number = section.number_at(rank).map_err(damaged)?;
            if self.text(Id::new(tag, number), text)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            step()?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A term by its bytes.
    fn text(&mut self, id: Id, bytes: &[u8]) -> Flow {
        self.counts.terms_compared += 1;
        self.counts.terms_len += bytes.len() as u64;
        let term =
            || decode_term(id.tag(), bytes).map_err(|source| GraphError::Term { id, source });
        let is_match = match id.tag() {
            // The bytes are the text.
            Tag::IRI | Tag::STRING => (self.call.is_match)(bytes),
            _ => matches(term()?, self.call.is_match),
        };
        let is_match = is_match || self.call.with_written && self.is_written(term()?);
        if is_match == self.call.is_inverted {
            return Ok(ControlFlow::Continue(()));
        }
        self.take(id, term()?)
    }

    /// Whether a term matches as N-Triples writes it.
    fn is_written(&mut self, term: TermRef<'_>) -> bool {
        self.written.clear();
        put_term(term, &mut self.written);
        (self.call.is_match)(&self.written)
    }

    /// The values.
    fn values(&mut self, watch: &Watch<'_>) -> Flow {
        let mut values = Values::new(self.state)?;
        let meter = watch.silent();
        let mut steps = meter.steps();
        let mut flow = ControlFlow::Continue(());
        while let Some(id) = values.next()?.filter(|_| flow.is_continue()) {
            steps.add(1)?;
            self.counts.values_compared += 1;
            let none = DecodeError::Corrupt { what: "value", at: 0, want: 1, got: 0 };
            let value = literal_of(id).ok_or(GraphError::Term { id, source: none })?;
            let (text, datatype) = (value.0.as_str(), value.1);
            let term = TermRef::Typed(text, datatype);
            let is_match = (self.call.is_match)(text.as_bytes())
                || self.call.with_written && self.is_written(term);
            if is_match != self.call.is_inverted {
                flow = self.take(id, term)?;
            }
        }
        self.counts.value_rows += values.rows;
        Ok(flow)
    }

    /// A term that matches, unless nothing uses it.
    fn take(&mut self, id: Id, term: TermRef<'_>) -> Flow {
        self.counts.terms_matched += 1;
        let uses = self.counter.count(id)?;
        if uses.is_none() {
            Ok(ControlFlow::Continue(()))
        } else {
            Ok((self.found)(&Found { term, uses }))
        }
    }
}

/// Whether the text of a literal matches, or an IRI; of a triple term one of its parts.
fn matches(term: TermRef<'_>, is_match: &dyn Fn(&[u8]) -> bool) -> bool {
    match term {
        TermRef::Blank(_) => is_match(b""),
        TermRef::Iri(text)
        | TermRef::Simple(text)
        | TermRef::Tagged(text, _)
        | TermRef::Directional(text, ..)
        | TermRef::Typed(text, _) => is_match(text.as_bytes()),
        TermRef::Triple(triple) => {
            let is_part = |term: &TermRef<'_>| !matches!(term, TermRef::Blank(_));
            triple.terms().into_iter().filter(is_part).any(|term| matches(term, is_match))
        }
    }
}

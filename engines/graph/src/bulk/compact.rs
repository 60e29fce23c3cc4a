//! A store written from scratch: ids in the order of texts again, terms that nothing names dropped,
//! all leaves full, all commits in them.
//!
//! Two passes over the rows by object. The first marks terms; then all terms are merged by their
//! texts, and those that are marked get their ranks; the second pass gives the rows to a bulk
//! load's sorters as rows of ranks. Blank nodes keep their numbers.
//!
//! Memory: that of the options; and 4 bytes for each term that was ever numbered, 8 for each
//! inlined literal.

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_leaf::{Id, Order, Tag};

use super::BulkOptions;
use super::build::{Joined, put_generation, too_many};
use super::dictionary::Segments;
use super::rows::{DEFAULT_STEPS, NAMED_STEPS};
use super::sort::{Sorter, Space};
use super::tape::Overflow;
use super::terms::Ranked;
use crate::base::LEAF_ROWS;
use crate::dictionary::{MergedTerms, PerTag, Piece, Segment, TEXT_TAGS, place_of};
use crate::error::GraphError;
use crate::snapshot::State;
use crate::store::{Bulk, Store};
use crate::term::RDF_TYPE;
use crate::term::inline::is_inlined;

/// What a compaction has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compacted {
    /// Number of quads.
    pub quads: u64,
    /// Number of terms that no quad named any more.
    pub terms_dropped: u64,
    /// Bytes of the files that the store had, without the log.
    pub len_before: u64,
    /// Bytes of those that it has.
    pub len: u64,
}

/// Writes a store from scratch, if that changes anything. Who reads it goes on with what it had;
/// who writes waits. Ids of before name nothing afterwards, but those of blank nodes and of values.
pub fn compact(
    store: &Store,
    options: BulkOptions,
    watch: &Watch<'_>,
) -> Result<Option<Compacted>, GraphError> {
    let written = store.rewrite(|bulk| {
        let before = bulk.before().clone();
        before.base.check_files(bulk.folder(), watch)?;
        if is_compact(&before) {
            return Ok(None);
        }
        rewrite(bulk, &before, options, watch).map(|counts| Some((counts, len_of(&before))))
    });
    Ok(written?.map(|((quads, terms_dropped), len_before)| {
        let len = len_of(store.snapshot().state());
        Compacted { quads, terms_dropped, len_before, len }
    }))
}

/// Whether a state is what a bulk load or a compaction leaves.
fn is_compact(state: &State) -> bool {
    let manifest = state.base.manifest();
    let is_sorted = |tag: &Tag| manifest.sorted_below.of(*tag) == manifest.next_numbers.of(*tag);
    let are_full = |order: &Order| match manifest.leaves_of(*order) {
        [] => true,
        [full @ .., last] => {
            let rows = u64::from(LEAF_ROWS);
            full.iter().all(|leaf| leaf.row_count == rows) && last.row_count <= rows
        }
    };
    state.layers.is_empty() && TEXT_TAGS.iter().all(is_sorted) && Order::ALL.iter().all(are_full)
}

/// Bytes of the files of a generation.
fn len_of(state: &State) -> u64 {
    let manifest = state.base.manifest();
    let leaves = manifest.leaves.iter().map(|leaf| leaf.file.len);
    leaves
        .chain(manifest.dictionaries.iter().chain(&manifest.statistics).map(|file| file.len))
        .sum()
}

/// Returns the numbers of quads and of dropped terms.
fn rewrite(
    mut bulk: Bulk,
    before: &State,
    options: BulkOptions,
    watch: &Watch<'_>,
) -> Result<(u64, u64), GraphError> {
    let overflow = Overflow::new(bulk.files().clone(), bulk.folder().join("compact.aside"));
    let space = Space::of(&overflow, options);
    let row_count = before.count(Order::Osp, &[])? + before.count(Order::Ospg, &[])?;
    let merging = watch.phase(Phase::Merging, Unit::Rows, 2 * row_count);
    let mut renumbered = Renumbered::new(before);
    mark(before, &mut renumbered, &merging)?;
    let empty = empty_graphs(before)?;
    empty.iter().try_for_each(|name| renumbered.mark(*name))?;
    renumbered.settle_inlined();
    let dropped = number(&mut bulk, before, &mut renumbered, options)?;
    let ranked = renumbered.ranked().ok_or_else(|| too_many(&bulk))?;
    let mut triples = Sorter::new(space, DEFAULT_STEPS[0], ranked.max(), Vec::new());
    let mut quads = Sorter::new(space, NAMED_STEPS[0], ranked.max(), Vec::new());
    each_row(before, Order::Osp, &merging, |[object, subject, predicate, _]| {
        let row = [subject, predicate, object].map(|id| renumbered.rank(&ranked, id));
        triples.push(&[row])
    })?;
    each_row(before, Order::Ospg, &merging, |[object, subject, predicate, graph]| {
        let row = [subject, predicate, object, graph].map(|id| renumbered.rank(&ranked, id));
        quads.push(&[row])
    })?;
    merging.end();
    let mut empty: Vec<Id> =
        empty.into_iter().map(|name| ranked.id(renumbered.rank(&ranked, name))).collect();
    empty.sort_unstable();
    drop(renumbered);
    let joined = Joined { ranked, segment: None, triples, quads };
    Ok((put_generation(bulk, joined, empty, space, options, watch)?, dropped))
}

/// Calls `take` with all rows of an order.
fn each_row(
    state: &State,
    order: Order,
    meter: &Meter<'_>,
    mut take: impl FnMut([Id; 4]) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let mut steps = meter.steps();
    for row in state.scan(order, &[])? {
        steps.add(1)?;
        take(row?)?;
    }
    Ok(())
}

/// Marks all terms that quads name.
fn mark(state: &State, renumbered: &mut Renumbered, meter: &Meter<'_>) -> Result<(), GraphError> {
    for order in [Order::Osp, Order::Ospg] {
        let mut last = [Id::DEFAULT_GRAPH; 4];
        each_row(state, order, meter, |row| {
            for (id, last) in row.iter().zip(&last) {
                if id != last {
                    renumbered.mark(*id)?;
                }
            }
            last = row;
            Ok(())
        })?;
    }
    Ok(())
}

/// The names of graphs without a quad.
fn empty_graphs(state: &State) -> Result<Vec<Id>, GraphError> {
    let mut empty = Vec::new();
    for name in state.graphs()? {
        if state.count(Order::Gspo, &[name])? == 0 {
            empty.push(name);
        }
    }
    Ok(empty)
}

/// Writes the dictionary of the marked terms, and gives them their ranks. Returns how many weren't
/// marked.
fn number(
    bulk: &mut Bulk,
    before: &State,
    renumbered: &mut Renumbered,
    options: BulkOptions,
) -> Result<u64, GraphError> {
    let segments: Vec<&Segment> = before.base.segments().iter().map(|each| &**each).collect();
    let pieces: Vec<&Piece> = before.layers.iter().map(|layer| layer.terms()).collect();
    let merged = |tag| MergedTerms::new(tag, &segments, &pieces);
    let mut samples = PerTag::default();
    for (sample, tag) in samples.iter_mut().zip(TEXT_TAGS) {
        *sample = merged(tag)?.sample()?;
    }
    let mut out = Segments::streamed(samples, options.memory_len() / 8);
    let mut dropped = 0;
    for (place, tag) in TEXT_TAGS.into_iter().enumerate() {
        let mut terms = merged(tag)?;
        let mut next = 0u32;
        while let Some((number, text)) = terms.next()? {
            // Numbers of segments and layers follow each other up to the next one.
            let Some(rank) = renumbered.texts[place].get_mut(number as usize) else { continue };
            if *rank == UNUSED {
                dropped += 1;
                continue;
            }
            let Some(after) = next.checked_add(1) else { return Err(too_many(bulk)) };
            (*rank, next) = (next, after);
            out.put(tag, text, bulk)?;
            if tag == Tag::IRI && text == RDF_TYPE {
                renumbered.type_predicate = Some(Id::new(tag, (*rank).into()));
            }
        }
        renumbered.counts[place] = next;
    }
    out.end(bulk)?;
    Ok(dropped)
}

/// In place of the new number of a term that no quad names.
const UNUSED: u32 = u32::MAX;

/// New numbers of the terms of a state.
struct Renumbered {
    blank_count: u64,
    /// Of terms with texts, by their old numbers: [`UNUSED`], or the new number once it is known.
    texts: PerTag<Vec<u32>>,
    /// How many of each tag are used.
    counts: PerTag<u32>,
    /// Ids of inlined literals: as they come, then each once, in order.
    inlined: Vec<u64>,
    /// Number of inlined literals from which on those that came more than once are dropped.
    inlined_max: usize,
    type_predicate: Option<Id>,
}

impl Renumbered {
    fn new(state: &State) -> Self {
        Renumbered {
            blank_count: state.next_blank,
            texts: state.next_terms.map(|count| vec![UNUSED; count as usize]),
            counts: PerTag::default(),
            inlined: Vec::new(),
            inlined_max: 1 << 16,
            type_predicate: None,
        }
    }

    /// Marks a term as one that is used.
    fn mark(&mut self, id: Id) -> Result<(), GraphError> {
        let (tag, number) = (id.tag(), id.payload());
        let is_known = match place_of(tag) {
            Some(place) => {
                let used = self.texts[place].get_mut(number as usize);
                used.map(|used| *used = 0).is_some()
            }
            None if tag == Tag::BLANK => number < self.blank_count,
            None if id == Id::DEFAULT_GRAPH => true,
            None => {
                self.add_inlined(id);
                is_inlined(tag)
            }
        };
        if is_known {
            return Ok(());
        }
        let source = DecodeError::Corrupt { what: "term", at: 0, want: 1, got: 0 };
        Err(GraphError::Term { id, source })
    }

    fn add_inlined(&mut self, id: Id) {
        self.inlined.push(id.0);
        if self.inlined.len() >= self.inlined_max {
            self.settle_inlined();
            self.inlined_max = self.inlined_max.max(2 * self.inlined.len());
        }
    }

    /// Puts inlined literals in order, each once.
    fn settle_inlined(&mut self) {
        self.inlined.sort_unstable();
        self.inlined.dedup();
    }

    /// Ids by ranks; none if there are more terms than ranks. Inlined literals are moved there.
    fn ranked(&mut self) -> Option<Ranked> {
        let blanks = u32::try_from(self.blank_count).ok()?;
        let [iris, strings, tagged, typed, triples] = self.counts;
        let counts = [blanks, iris, strings, tagged, typed, triples];
        Ranked::of(counts, std::mem::take(&mut self.inlined), self.type_predicate)
    }

    /// The rank of a term that was marked.
    fn rank(&self, ranked: &Ranked, id: Id) -> u32 {
        match place_of(id.tag()) {
            Some(place) => ranked.rank(id.tag(), self.texts[place][id.payload() as usize]),
            None if id.tag() == Tag::BLANK => ranked.rank(Tag::BLANK, id.payload() as u32),
            None => ranked.rank_of_inlined(id),
        }
    }
}

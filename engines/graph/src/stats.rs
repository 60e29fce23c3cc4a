//! Statistics of a store for people: quads, graphs, terms by kinds, predicates, classes.
//!
//! Those of the generation are carried on through the commits after it, as a merge does it; of a
//! store without any, all quads are read.

use std::collections::BTreeMap;

use manicule_format_leaf::statistics::ScopeStatistics;
use manicule_format_leaf::{Id, Tag};

use crate::dictionary::place_of;
use crate::error::GraphError;
use crate::export::put_term;
use crate::snapshot::Snapshot;
use crate::sparql::is_without_value;
use crate::store::current_statistics;
use crate::term::inline::literal_of;
use crate::view::{View, WantedTerm};

/// Statistics of a store. Terms are written as in N-Triples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreStats {
    /// The last commit that they show.
    pub commit: u64,
    /// Terms that were ever numbered, by their kinds.
    pub terms: TermCounts,
    /// The default graph.
    pub default: ScopeStats,
    /// The named graphs together. A triple that is in several of them counts as many times.
    pub named: ScopeStats,
    /// Named graphs that hold quads, and their quads.
    pub graphs: Vec<(String, u64)>,
    /// Number of named graphs without a quad.
    pub empty_graph_count: u64,
}

/// Numbers of terms. Those that no quad names any more count until the store is compacted; numbers,
/// dates and booleans have no number where their value is their id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TermCounts {
    /// IRIs.
    pub iris: u64,
    /// Blank nodes.
    pub blanks: u64,
    /// Simple literals.
    pub simple: u64,
    /// Literals with a language tag.
    pub tagged: u64,
    /// Other literals whose id isn't their value.
    pub typed: u64,
    /// Those of them that have no value, though their datatype is one of numbers, booleans, dates
    /// or times: nothing is computed of them, and nothing compared.
    pub typed_without_value: u64,
    /// Triple terms.
    pub triples: u64,
}

/// Statistics of one or some graphs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeStats {
    /// Number of quads.
    pub quads: u64,
    /// Number of distinct subjects.
    pub subjects: u64,
    /// Number of distinct objects.
    pub objects: u64,
    /// Predicates, the most used first.
    pub predicates: Vec<PredicateStats>,
    /// Classes and the subjects that have them, the most used first.
    pub classes: Vec<(String, u64)>,
    /// Quads by what their object is: a kind, or the datatype of a value.
    pub objects_by_kind: Vec<(String, u64)>,
}

/// Statistics of a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateStats {
    /// The predicate.
    pub predicate: String,
    /// Number of its quads.
    pub quads: u64,
    /// Number of their distinct subjects.
    pub subjects: u64,
    /// Number of their distinct objects.
    pub objects: u64,
}

/// The statistics of a snapshot.
pub fn stats(snapshot: &Snapshot) -> Result<StoreStats, GraphError> {
    let state = snapshot.state();
    let counted = current_statistics(state)?;
    let term = |tag: Tag| place_of(tag).map_or(0, |place| state.next_terms[place]);
    let terms = TermCounts {
        iris: term(Tag::IRI),
        blanks: state.next_blank,
        simple: term(Tag::STRING),
        tagged: term(Tag::TAGGED),
        typed: term(Tag::TYPED),
        typed_without_value: without_value(snapshot, term(Tag::TYPED))?,
        triples: term(Tag::TRIPLE),
    };
    let graph_count = state.graphs()?.len() as u64;
    Ok(StoreStats {
        commit: state.commit,
        terms,
        default: scope(snapshot, &counted.default)?,
        named: scope(snapshot, &counted.named)?,
        empty_graph_count: graph_count.saturating_sub(counted.graphs.len() as u64),
        graphs: ranked(snapshot, &counted.graphs)?,
    })
}

/// How many of the typed literals that are numbered up to a number have no value.
fn without_value(snapshot: &Snapshot, end: u64) -> Result<u64, GraphError> {
    /// Number of terms that are read at once.
    const READ_AT_ONCE: usize = 1 << 10;
    let mut count = 0;
    for start in (0..end).step_by(READ_AT_ONCE) {
        let numbers = start..end.min(start + READ_AT_ONCE as u64);
        let wanted = |number| WantedTerm { id: Id::new(Tag::TYPED, number), number: 0 };
        let ids: Vec<WantedTerm> = numbers.map(wanted).collect();
        snapshot.read_terms(&ids, &mut |_, term| count += u64::from(is_without_value(term)))?;
    }
    Ok(count)
}

/// Predicates of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicates {
    /// Those of the default graph, the most used first.
    pub default: Vec<PredicateStats>,
    /// Those of the named graphs together.
    pub named: Vec<PredicateStats>,
}

/// The predicates of a snapshot, by its statistics: no other terms are read than they.
pub fn predicates(snapshot: &Snapshot) -> Result<Predicates, GraphError> {
    let counted = current_statistics(snapshot.state())?;
    let (default, named) = (&counted.default, &counted.named);
    Ok(Predicates {
        default: predicates_of(snapshot, default)?,
        named: predicates_of(snapshot, named)?,
    })
}

fn predicates_of(
    snapshot: &Snapshot,
    counted: &ScopeStatistics,
) -> Result<Vec<PredicateStats>, GraphError> {
    let predicate = |row: &manicule_format_leaf::statistics::PredicateStatistics| {
        let predicate = written(snapshot, row.predicate)?;
        let (quads, subjects, objects) = (row.row_count, row.subject_count, row.object_count);
        Ok(PredicateStats { predicate, quads, subjects, objects })
    };
    let predicates: Result<Vec<_>, GraphError> = counted.predicates.iter().map(predicate).collect();
    let mut predicates = predicates?;
    predicates.sort_by(|left, right| {
        right.quads.cmp(&left.quads).then_with(|| left.predicate.cmp(&right.predicate))
    });
    Ok(predicates)
}

fn scope(snapshot: &Snapshot, counted: &ScopeStatistics) -> Result<ScopeStats, GraphError> {
    let predicates = predicates_of(snapshot, counted)?;
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for tag in counted.predicates.iter().flat_map(|row| &row.tags) {
        *kinds.entry(kind_of(Id::new(tag.tag, tag.payload_min))).or_default() += tag.row_count;
    }
    let mut objects_by_kind: Vec<(String, u64)> = kinds.into_iter().collect();
    objects_by_kind.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Ok(ScopeStats {
        quads: counted.row_count,
        subjects: counted.subject_count,
        objects: counted.object_count,
        predicates,
        classes: ranked(snapshot, &counted.classes)?,
        objects_by_kind,
    })
}

/// What an object is.
fn kind_of(object: Id) -> String {
    match object.tag() {
        Tag::BLANK => "blank node".to_owned(),
        Tag::IRI => "IRI".to_owned(),
        Tag::STRING => "simple literal".to_owned(),
        Tag::TAGGED => "literal with a language tag".to_owned(),
        Tag::TYPED => "typed literal, as text".to_owned(),
        Tag::TRIPLE => "triple term".to_owned(),
        _ => match literal_of(object) {
            Some((_, datatype)) => format!("<{datatype}>"),
            None => "value".to_owned(),
        },
    }
}

/// Terms and their counts, the greatest first.
fn ranked(snapshot: &Snapshot, counts: &[(Id, u64)]) -> Result<Vec<(String, u64)>, GraphError> {
    let term = |(id, count): &(Id, u64)| Ok((written(snapshot, *id)?, *count));
    let mut ranked = counts.iter().map(term).collect::<Result<Vec<_>, GraphError>>()?;
    ranked.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    Ok(ranked)
}

fn written(snapshot: &Snapshot, id: Id) -> Result<String, GraphError> {
    let mut line = Vec::new();
    snapshot.read_term(id, |term| put_term(term, &mut line))?;
    Ok(String::from_utf8_lossy(&line).into_owned())
}

//! Counts of what a store holds.

use std::path::Path;

use manicule_graph::stats::{PredicateStats, ScopeStats, StoreStats, TermCounts};

use crate::json::{Entry, Json, list, report};

/// Counts with the store that they are of, and truncated lists.
#[derive(Clone, Copy, Debug)]
pub struct CountedStore<'c> {
    /// The store.
    pub store: &'c Path,
    /// Name of the snapshot that was counted.
    pub at: Option<&'c str>,
    /// The counts.
    pub stats: &'c StoreStats,
    /// Maximum number of rows of each list.
    pub rows_max: usize,
}

report!(of: CountedStore<'_> {
    store: of.store.to_string_lossy(), at, commit: of.stats.commit,
    terms: Json(&of.stats.terms), default: Json(Scope(&of.stats.default, of.rows_max)),
    named: Json(Scope(&of.stats.named, of.rows_max)),
    graphs: pairs("graph", &of.stats.graphs, of.rows_max), graph_count: of.stats.graphs.len(),
    empty_graph_count: of.stats.empty_graph_count,
});

report!(of: TermCounts {
    iris, blank_nodes = blanks, simple_literals = simple, tagged_literals = tagged,
    typed_literals = typed, typed_literals_without_value = typed_without_value,
    triple_terms = triples,
});

/// Default graph or named graphs, and the maximum number of rows.
struct Scope<'s>(&'s ScopeStats, usize);

report!(of: Scope<'_> {
    quads: of.0.quads, subjects: of.0.subjects, objects: of.0.objects,
    predicate_count: of.0.predicates.len(),
    predicates: list(of.0.predicates.iter().take(of.1)), class_count: of.0.classes.len(),
    classes: pairs("class", &of.0.classes, of.1),
    objects_by_kind: pairs("kind", &of.0.objects_by_kind, usize::MAX),
});

report!(of: PredicateStats { predicate, quads, subjects, objects });

/// A number of quads by a term that is called `name`.
struct Pair<'p> {
    name: &'static str,
    term: &'p str,
    quads: u64,
}

report!(of: Pair<'_> { quads; Entry(of.name, Some(of.term)) });

fn pairs<'p>(
    name: &'static str,
    pairs: &'p [(String, u64)],
    rows_max: usize,
) -> Vec<Json<Pair<'p>>> {
    let pairs = pairs.iter().take(rows_max);
    list(pairs.map(|(term, quads)| Pair { name, term, quads: *quads }))
}

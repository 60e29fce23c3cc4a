//! Quads of a pattern, with their terms.

use std::ops::ControlFlow;

use manicule_core::watch::Watch;
use manicule_graph::term::TermRef;
use manicule_graph::{GraphChoice, Id, Pattern, Quad, Snapshot, View, WantedTerm};

use super::error::Error;
use super::listed::ListedTerm;
use super::store::Store;

/// Number of quads whose terms are read together, and of the first ones.
pub(super) const BATCH_QUADS: usize = 1024;
pub(super) const FIRST_QUADS: usize = 16;

/// Which quads are listed: those with the given terms.
#[derive(Clone, Debug, Default)]
pub struct QuadsCall {
    /// The graphs.
    pub graphs: QuadGraphs,
    /// Subject, predicate and object, where it is given.
    pub terms: [Option<ListedTerm>; 3],
    /// Whether the terms of subject, predicate, object and graph are read.
    pub wanted: [bool; 4],
}

/// Graphs whose quads are listed.
#[derive(Clone, Debug, Default)]
pub enum QuadGraphs {
    /// All of them, the default graph first.
    #[default]
    All,
    /// The default graph.
    Default,
    /// All that have names.
    AnyNamed,
    /// The graph of a name.
    Named(ListedTerm),
}

/// Takes subject, predicate, object and graph of a quad; `None` of a term that isn't wanted, and of
/// the default graph.
pub(crate) type EachQuad<'e> = dyn FnMut([Option<&ListedTerm>; 4]) -> ControlFlow<()> + 'e;

impl Store {
    /// Calls `each` for every quad of a pattern until it breaks, in the order of the index that
    /// answers it. Returns the number of quads that were read.
    ///
    /// Terms are read for some quads together, each once.
    pub fn quads(
        &self,
        call: &QuadsCall,
        watch: &Watch<'_>,
        each: &mut EachQuad<'_>,
    ) -> Result<u64, Error> {
        let snapshot = self.snapshot();
        let mut ids = [None; 3];
        for (id, term) in ids.iter_mut().zip(&call.terms) {
            if let Some(term) = term {
                let Some(found) = find(&snapshot, term)? else { return Ok(0) };
                *id = Some(found);
            }
        }
        let graphs = match &call.graphs {
            QuadGraphs::All => vec![GraphChoice::Default, GraphChoice::AnyNamed],
            QuadGraphs::Default => vec![GraphChoice::Default],
            QuadGraphs::AnyNamed => vec![GraphChoice::AnyNamed],
            QuadGraphs::Named(name) => {
                find(&snapshot, name)?.map(GraphChoice::Named).into_iter().collect()
            }
        };
        let [subject, predicate, object] = ids;
        let (mut batch, mut batch_len, mut count) = (Vec::new(), FIRST_QUADS, 0);
        for graph in graphs {
            let mut quads = snapshot.scan(&Pattern { subject, predicate, object, graph });
            loop {
                watch.check()?;
                batch.clear();
                for quad in quads.by_ref().take(batch_len) {
                    batch.push(quad?);
                }
                count += batch.len() as u64;
                if hand(&snapshot, &batch, call.wanted, each)?.is_break() {
                    return Ok(count);
                }
                if batch.len() < batch_len {
                    break;
                }
                batch_len = BATCH_QUADS.min(2 * batch_len);
            }
        }
        Ok(count)
    }
}

fn find(snapshot: &Snapshot, term: &ListedTerm) -> Result<Option<Id>, Error> {
    Ok(term.with_term(|term| snapshot.find_term(term)).transpose()?.flatten())
}

/// Ids of subject, predicate, object and graph; `None` of the default graph.
fn ids_of(quad: &Quad) -> [Option<Id>; 4] {
    let graph = Some(quad.graph).filter(|graph| *graph != Id::DEFAULT_GRAPH);
    [Some(quad.subject), Some(quad.predicate), Some(quad.object), graph]
}

/// Reads the terms of some quads, and hands the quads over.
fn hand(
    snapshot: &Snapshot,
    quads: &[Quad],
    wanted: [bool; 4],
    each: &mut EachQuad<'_>,
) -> Result<ControlFlow<()>, Error> {
    let wanted_ids = |quad: &Quad| {
        let ids = ids_of(quad).into_iter().zip(wanted);
        ids.filter_map(|(id, is)| id.filter(|_| is)).collect::<Vec<_>>()
    };
    let ids = quads.iter().flat_map(wanted_ids).collect();
    let terms = TermsOf::read(snapshot, ids, ListedTerm::of)?;
    for quad in quads {
        let mut ids = ids_of(quad);
        ids.iter_mut().zip(wanted).filter(|(_, is)| !is).for_each(|(id, _)| *id = None);
        if each(ids.map(|id| id.map(|id| terms.get(id)))).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Terms of some ids, each read once.
pub(super) struct TermsOf<T> {
    ids: Vec<Id>,
    terms: Vec<Option<T>>,
}

impl<T> TermsOf<T> {
    /// Reads the terms, in the order in which that is fastest.
    pub(super) fn read(
        snapshot: &Snapshot,
        mut ids: Vec<Id>,
        made: impl Fn(TermRef<'_>) -> T,
    ) -> Result<TermsOf<T>, Error> {
        ids.sort_unstable();
        ids.dedup();
        let all: Vec<WantedTerm> =
            ids.iter().zip(0..).map(|(id, number)| WantedTerm { id: *id, number }).collect();
        let mut terms: Vec<Option<T>> = ids.iter().map(|_| None).collect();
        snapshot
            .read_terms(&all, &mut |own, term| terms[own.number as usize] = Some(made(term)))?;
        Ok(TermsOf { ids, terms })
    }

    /// The term of one of the ids.
    pub(super) fn get(&self, id: Id) -> &T {
        let at = self.ids.binary_search(&id).expect("an id that was asked for");
        self.terms[at].as_ref().expect("each is read")
    }
}

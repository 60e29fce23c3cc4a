//! The judge: a query evaluated row by row, by the evaluator of the Oxigraph family. It shares
//! nothing with `columns` but the parser, the rewrites that both need, and the library's functions.
//! Tests compare the answers of both; no program asks it, and it is compiled with the feature
//! `judge` alone.
//!
//! Here are the faults of the evaluator, a file each, and the order of joins, for which it knows no
//! counts.
//!
//! | file | what |
//! |---|---|
//! | dataset.rs | a view, lent to the evaluator |
//! | template.rs | CONSTRUCT |
//! | joins.rs, entry.rs, counts.rs, counts_of_view.rs | the order of joins, by counts |
//! | functions.rs, sum.rs | functions in place of the evaluator's |
//! | aggregates.rs, bnodes.rs, ends.rs, sort.rs | faults |

mod aggregates;
mod bnodes;
mod counts;
mod counts_of_view;
mod dataset;
mod ends;
mod entry;
mod functions;
mod joins;
mod sort;
mod sum;
mod template;

use std::mem;
use std::rc::Rc;

use manicule_core::watch::Watch;
use spareval::QueryResults;
use spargebra::algebra::GraphPattern;

use super::answer::{Answer, Rows, Triples, evaluation};
use super::error::SparqlError;
use super::graphs::QueryGraphs;
use super::levels::{Leveled, Levels};
use super::query::{QueryOptions, Shaped, parse, pattern_of};
use super::rewrite::Fresh;
use super::rewrite::lexical::Lexical;
use super::rewrite::numbers::Numbers;
use super::rewrite::replace::Replace;
use super::rewrite::walk::rewrite;
use super::view_counts::ViewCounts;
use crate::view::View;
use dataset::Stored;
use functions::{Uses, evaluator, look_at_stored};
use template::{Filled, taken_template};

/// Number of levels up to which a query is optimised.
const MANY: u32 = 50;

/// Who puts joins in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinOrder {
    /// We do, by counts of the store.
    ByCounts,
    /// The evaluator does, which knows no counts.
    Evaluators,
}

/// Asks a query of a view, to be evaluated row by row.
///
/// # Errors
/// As those of the query.
pub fn query_by_rows<'v, V: View>(
    view: &'v V,
    text: &str,
    options: &QueryOptions<'_>,
    order: JoinOrder,
    watch: &'v Watch<'v>,
) -> Result<Answer<'v>, SparqlError> {
    let levels = Levels::of(text)?;
    levels.run(|| {
        let query = parse(text, options.base)?;
        Shaped::new(view, query, options, levels, watch)?.by_rows(view, levels, order)
    })?
}

impl<'v> Shaped<'v> {
    fn by_rows<V: View>(
        mut self,
        view: &'v V,
        levels: Levels,
        order: JoinOrder,
    ) -> Result<Answer<'v>, SparqlError> {
        let uses = self.order(view, order)?;
        if look_at_stored(&uses) {
            self.session.want_stored();
        }
        let session = self.session.clone();
        // The evaluator itself leaves out the named graphs that the query doesn't name.
        let graphs = QueryGraphs::new(view, self.default_graph.clone(), None)?;
        let dataset = Stored::new(view, session.clone(), graphs);
        let template = taken_template(Rc::make_mut(&mut self.query));
        let mut evaluator = evaluator(&uses, session.last_read());
        if levels.0 > MANY {
            // Its optimiser looks at all that is below for each level.
            evaluator = evaluator.without_optimizations();
        }
        let mut prepared = evaluator.prepare(&self.query);
        let specification = prepared.dataset_mut();
        specification.set_default_graph(vec![oxrdf::GraphName::DefaultGraph]);
        if let Some(names) = self.named.and_then(|graphs| graphs.named) {
            specification.set_available_named_graphs(names);
        }
        let results = prepared.execute(dataset);
        if let Some(error) = session.take_error() {
            return Err(error);
        }
        Ok(match (results.map_err(evaluation)?, template) {
            (QueryResults::Solutions(solutions), Some(template)) => {
                let filled = Filled::new(solutions, template, session.memory_max());
                Answer::Triples(Triples::of_rows(filled, levels, session))
            }
            (QueryResults::Solutions(inner), None) => {
                Answer::Rows(Rows { inner: Leveled::new(inner, levels), session })
            }
            (QueryResults::Boolean(answer), _) => Answer::Boolean(answer, session.work()),
            (QueryResults::Graph(triples), _) => {
                Answer::Triples(Triples::of_rows(triples, levels, session))
            }
        })
    }

    /// Puts the joins in order, and has expressions computed as the recommendation asks. Returns
    /// the functions of ours that they call.
    fn order<V: View>(&mut self, view: &'v V, order: JoinOrder) -> Result<Uses, SparqlError> {
        let pattern = mem::take(pattern_of(Rc::make_mut(&mut self.query)));
        let (spelled, uses) = spell(pattern);
        let counts = ViewCounts::new(view, &self.session, &self.default_graph);
        let ordered = match order {
            JoinOrder::Evaluators => spelled,
            JoinOrder::ByCounts => joins::order_joins(spelled, &counts),
        };
        *pattern_of(Rc::make_mut(&mut self.query)) = rewrite(ordered, &mut entry::Entry);
        counts.check()?;
        Ok(uses)
    }
}

/// A pattern whose expressions the evaluator computes as the recommendation asks; and the functions
/// of ours that it calls.
fn spell(pattern: GraphPattern) -> (GraphPattern, Uses) {
    let mut uses = Uses::new();
    let pattern = ends::compare_values(pattern, &mut uses);
    let pattern = rewrite(pattern, &mut Numbers { uses: &mut uses });
    let pattern = rewrite(pattern, &mut Replace { uses: &mut uses });
    let pattern = rewrite(pattern, &mut aggregates::Aggregates { uses: &mut uses });
    let pattern = rewrite(pattern, &mut Lexical { uses: &mut uses });
    let fresh = &mut Fresh::default();
    let pattern = rewrite(pattern, &mut bnodes::Bnodes { uses: &mut uses, fresh });
    let pattern = rewrite(pattern, &mut sort::Sort { uses: &mut uses });
    (pattern, uses)
}

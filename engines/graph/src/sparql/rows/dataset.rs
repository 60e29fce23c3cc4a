//! A view as the evaluator wants to see it: patterns of cells in, quads of cells out.

use std::rc::Rc;

use oxrdf::Term;
use spareval::{ExpressionTerm, InternalQuad, QueryableDataset};

use super::super::dataset::Dataset;
use super::super::graphs::QueryGraphs;
use super::super::session::{Ended, Session};
use super::super::terms::Cell;
use crate::Id;
use crate::quad::{GraphChoice, Pattern};
use crate::view::View;

/// A view, lent to the evaluator.
pub(super) struct Stored<'v, V: View> {
    view: &'v V,
    session: Rc<Session<'v>>,
    graphs: QueryGraphs<'v, V>,
    /// Reads and computes terms.
    terms: Dataset<'v, V>,
}

impl<'v, V: View> Stored<'v, V> {
    pub(super) fn new(
        view: &'v V,
        session: Rc<Session<'v>>,
        graphs: QueryGraphs<'v, V>,
    ) -> Stored<'v, V> {
        let terms = Dataset::of_rows(view, session.clone(), Vec::new());
        Stored { view, session, graphs, terms }
    }
}

/// The id of a bound place: `Err` if nothing in the store can be equal to it.
fn bound(cell: Option<&Cell>) -> Result<Option<Id>, ()> {
    match cell {
        None => Ok(None),
        Some(Cell::Id(id)) => Ok(Some(*id)),
        Some(Cell::Foreign(_)) => Err(()),
    }
}

impl<'v, V: View + 'v> QueryableDataset<'v> for Stored<'v, V> {
    type InternalTerm = Cell;
    type Error = Ended;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&Cell>,
        predicate: Option<&Cell>,
        object: Option<&Cell>,
        graph: Option<Option<&Cell>>,
    ) -> impl Iterator<Item = Result<InternalQuad<Cell>, Ended>> + use<'v, V> {
        let (session, is_default) = (self.session.clone(), graph == Some(None));
        let ids = match (bound(subject), bound(predicate), bound(object)) {
            (Ok(subject), Ok(predicate), Ok(object)) => Some([subject, predicate, object]),
            _ => None,
        };
        let graph = match graph {
            Some(None) => Some(GraphChoice::Default),
            Some(Some(Cell::Id(name))) => Some(GraphChoice::Named(*name)),
            Some(Some(Cell::Foreign(_))) => None,
            None => Some(GraphChoice::AnyNamed),
        };
        let asked = ids.zip(graph).filter(|_| !session.is_ended());
        let quads = asked.map(|([subject, predicate, object], graph)| {
            session.count(|work| work.scans += 1);
            self.graphs.quads(&Pattern { subject, predicate, object, graph })
        });
        // After an error nothing more comes: the evaluator collects errors, and would go through
        // the rest.
        let mut is_over = false;
        quads.into_iter().flatten().map_while(move |quad| {
            if is_over {
                return None;
            }
            let quad = quad.map_err(|error| session.end(error));
            let quad = quad.and_then(|quad| session.pass_quad().map(|()| quad));
            is_over = quad.is_err();
            Some(quad.map(|quad| InternalQuad {
                subject: Cell::Id(quad.subject),
                predicate: Cell::Id(quad.predicate),
                object: Cell::Id(quad.object),
                graph_name: (!is_default).then_some(Cell::Id(quad.graph)),
            }))
        })
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<Cell, Ended>> + use<'v, V> {
        let session = self.session.clone();
        self.view.graphs().map(move |name| match name {
            Ok(name) => session.pass_quad().map(|()| Cell::Id(name)),
            Err(error) => Err(session.end(error)),
        })
    }

    fn contains_internal_graph_name(&self, name: &Cell) -> Result<bool, Ended> {
        match name {
            Cell::Id(name) => self.view.has_graph(*name).map_err(|error| self.session.end(error)),
            Cell::Foreign(_) => Ok(false),
        }
    }

    fn internalize_term(&self, term: Term) -> Result<Cell, Ended> {
        self.terms.internalize_term(term)
    }

    fn externalize_term(&self, cell: Cell) -> Result<Term, Ended> {
        self.terms.externalize_term(cell)
    }

    fn externalize_expression_term(&self, cell: Cell) -> Result<ExpressionTerm, Ended> {
        self.terms.externalize_expression_term(cell)
    }

    fn internalize_expression_term(&self, term: ExpressionTerm) -> Result<Cell, Ended> {
        self.terms.internalize_expression_term(term)
    }
}

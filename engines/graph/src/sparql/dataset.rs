//! A view as the evaluator wants to see it: patterns of cells in, quads of cells out.
//!
//! One type for all that is asked of it: the evaluator is generic, and each type would be a copy of
//! its machine code.

use std::rc::Rc;

use oxrdf::{NamedNode, Term};
use spareval::{ExpressionTerm, InternalQuad, QueryableDataset};

use super::graphs::QueryGraphs;
use super::session::{Ended, Session};
use super::stored;
use super::terms::{Cell, size, to_term, with_term_ref};
use crate::quad::{GraphChoice, Pattern};
use crate::view::View;
use crate::{GraphError, Id};

/// A view, lent to the evaluator.
pub(crate) struct Dataset<'v, V: View> {
    view: &'v V,
    session: Rc<Session<'v>>,
    quads: Quads<'v, V>,
}

/// Quads that the evaluator is given.
enum Quads<'v, V: View> {
    /// Those of the graphs that fit the pattern.
    Stored(QueryGraphs<'v, V>),
    /// These, whatever the pattern: the triples of the default graph, or those of several graphs.
    Given(Vec<Rc<[[Cell; 3]]>>),
}

impl<'v, V: View> Dataset<'v, V> {
    pub(crate) fn new(
        view: &'v V,
        session: Rc<Session<'v>>,
        graphs: QueryGraphs<'v, V>,
    ) -> Dataset<'v, V> {
        Dataset { view, session, quads: Quads::Stored(graphs) }
    }

    /// Some rows as triples, whatever is asked; the view reads and computes their terms. Of several
    /// parts each is a graph of the name that [`graph_of_part`] gives.
    pub(crate) fn of_rows(
        view: &'v V,
        session: Rc<Session<'v>>,
        parts: Vec<Rc<[[Cell; 3]]>>,
    ) -> Dataset<'v, V> {
        Dataset { view, session, quads: Quads::Given(parts) }
    }

    fn ended(&self, error: GraphError) -> Ended {
        self.session.end(error)
    }

    fn read(&self, id: Id) -> Result<Term, Ended> {
        self.session.pass_term()?;
        self.view.read_term(id, to_term).map_err(|error| self.ended(error))
    }

    fn find(&self, term: Term) -> Result<Cell, Ended> {
        self.session.count(|work| work.terms_found += 1);
        let found = with_term_ref(&term, |term| self.view.find_term(term)).transpose();
        Ok(match found.map_err(|error| self.ended(error))?.flatten() {
            Some(id) => Cell::Id(id),
            None => {
                self.session.pass_computed(size(&term))?;
                Cell::Foreign(Rc::new(term))
            }
        })
    }
}

/// The name of the graph of a part of given rows.
pub(crate) fn graph_of_part(part: usize) -> NamedNode {
    NamedNode::new_unchecked(format!("{PART}{part}"))
}

/// The part that the name of a graph stands for.
fn part_of(graph: Option<&Cell>) -> Option<usize> {
    match graph? {
        Cell::Foreign(name) => match &**name {
            Term::NamedNode(name) => name.as_str().strip_prefix(PART)?.parse().ok(),
            _ => None,
        },
        Cell::Id(_) => None,
    }
}

/// Begin of the names of such graphs, which no query can write.
const PART: &str = " part ";

/// The id of a bound place: `Err` if nothing in the store can be equal to it.
fn bound(cell: Option<&Cell>) -> Result<Option<Id>, ()> {
    match cell {
        None => Ok(None),
        Some(Cell::Id(id)) => Ok(Some(*id)),
        Some(Cell::Foreign(_)) => Err(()),
    }
}

impl<'v, V: View + 'v> QueryableDataset<'v> for Dataset<'v, V> {
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
        let part = graph.flatten().cloned();
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
        let (stored, given) = match &self.quads {
            Quads::Stored(graphs) => (Some(graphs), None),
            Quads::Given(parts) => (None, parts.get(part_of(part.as_ref()).unwrap_or(0)).cloned()),
        };
        let row = subject.filter(|_| part.is_some()).cloned();
        let asked = ids.zip(graph).zip(stored).filter(|_| !session.is_ended());
        let quads = asked.map(|((ids, graph), graphs)| {
            session.count(|work| work.scans += 1);
            let [subject, predicate, object] = ids;
            graphs.quads(&Pattern { subject, predicate, object, graph })
        });
        let quads = quads.into_iter().flatten();
        // After an error nothing more comes: the evaluator collects errors, and would go through
        // the rest.
        let mut is_over = false;
        let stored = quads.map_while(move |quad| {
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
        });
        let given =
            given.into_iter().flat_map(|rows| (0..rows.len()).map(move |at| rows[at].clone()));
        let given = given.filter(move |[own, ..]| row.as_ref().is_none_or(|row| row == own));
        stored.chain(given.map(move |[subject, predicate, object]| {
            Ok(InternalQuad { subject, predicate, object, graph_name: part.clone() })
        }))
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<Cell, Ended>> + use<'v, V> {
        let session = self.session.clone();
        self.view.graphs().map(move |name| match name {
            Ok(name) => session.pass_quad().map(|()| Cell::Id(name)),
            Err(error) => Err(session.end(error)),
        })
    }

    fn contains_internal_graph_name(&self, name: &Cell) -> Result<bool, Ended> {
        if let Quads::Given(parts) = &self.quads {
            return Ok(part_of(Some(name)).is_some_and(|part| part < parts.len()));
        }
        match name {
            Cell::Id(name) => self.view.has_graph(*name).map_err(|error| self.ended(error)),
            Cell::Foreign(_) => Ok(false),
        }
    }

    fn internalize_term(&self, term: Term) -> Result<Cell, Ended> {
        self.find(term)
    }

    fn externalize_term(&self, cell: Cell) -> Result<Term, Ended> {
        match cell {
            Cell::Id(id) => self.read(id),
            Cell::Foreign(term) => Ok(Rc::unwrap_or_clone(term)),
        }
    }

    fn externalize_expression_term(&self, cell: Cell) -> Result<ExpressionTerm, Ended> {
        let term = self.externalize_term(cell)?;
        if self.session.wants_stored() {
            self.session.leave_stored(stored::changes(&term).then(|| term.clone()));
        }
        Ok(term.into())
    }

    fn internalize_expression_term(&self, term: ExpressionTerm) -> Result<Cell, Ended> {
        self.find(stored::computed(term))
    }
}

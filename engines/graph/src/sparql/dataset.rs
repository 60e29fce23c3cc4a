//! Rows of cells as the library wants to see them, whose functions compute expressions of them.

use std::ops::Range;
use std::rc::Rc;

use oxrdf::{NamedNode, Term};
use spareval::{ExpressionTerm, InternalQuad, QueryableDataset};

use super::error::SparqlError;
use super::levels::TRIPLE_LEVELS;
use super::session::{Ended, Session};
use super::stored;
use super::terms::{Cell, levels, size, to_term, with_term_ref};
use crate::term::TRIPLE_LEVELS_MAX;
use crate::view::View;
use crate::{GraphError, Id};

/// Rows whose terms a view reads and computes.
pub(crate) struct Dataset<'v, V: View> {
    view: &'v V,
    session: Rc<Session<'v>>,
    /// The triples of the default graph, or those of several graphs.
    parts: Vec<Rc<[[Cell; 3]]>>,
}

impl<'v, V: View> Dataset<'v, V> {
    /// Some rows as triples, whatever is asked. Of several parts each is a graph of the name that
    /// [`graph_of_part`] gives.
    pub(crate) fn of_rows(
        view: &'v V,
        session: Rc<Session<'v>>,
        parts: Vec<Rc<[[Cell; 3]]>>,
    ) -> Dataset<'v, V> {
        Dataset { view, session, parts }
    }

    fn ended(&self, error: GraphError) -> Ended {
        self.session.end(error)
    }

    fn read(&self, id: Id) -> Result<Term, Ended> {
        self.session.pass_term()?;
        self.view.read_term(id, to_term).map_err(|error| self.ended(error))
    }

    fn find(&self, term: Term) -> Result<Cell, Ended> {
        let got = levels(&term);
        if got > TRIPLE_LEVELS_MAX {
            let (max, got) = (TRIPLE_LEVELS_MAX as u32, got as u32);
            return Err(self.session.end(SparqlError::Deep { what: TRIPLE_LEVELS, max, got }));
        }
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

/// The place of the row of a number, where numbers are ids that follow each other; none elsewhere.
fn place_of(rows: &[[Cell; 3]], row: &Cell) -> Option<Range<usize>> {
    let ([Cell::Id(first), ..], Cell::Id(row)) = (rows.first()?, row) else { return None };
    let at = usize::try_from(row.0.checked_sub(first.0)?).ok()?;
    rows.get(at).filter(|[own, ..]| *own == Cell::Id(*row)).map(|_| at..at + 1)
}

/// Begin of the names of such graphs, which no query can write.
const PART: &str = " part ";

impl<'v, V: View + 'v> QueryableDataset<'v> for Dataset<'v, V> {
    type InternalTerm = Cell;
    type Error = Ended;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&Cell>,
        _predicate: Option<&Cell>,
        _object: Option<&Cell>,
        graph: Option<Option<&Cell>>,
    ) -> impl Iterator<Item = Result<InternalQuad<Cell>, Ended>> + use<'v, V> {
        let part = graph.flatten().cloned();
        let rows = self.parts.get(part_of(part.as_ref()).unwrap_or(0)).cloned();
        // What is joined with a part is looked up by the number of its row.
        let row = subject.filter(|_| part.is_some()).cloned();
        let rows = rows.into_iter().flat_map(move |rows| {
            let all = row.as_ref().and_then(|row| place_of(&rows, row)).unwrap_or(0..rows.len());
            let is_it = row.clone();
            let own = all.map(move |at| rows[at].clone());
            own.filter(move |[own, ..]| is_it.as_ref().is_none_or(|row| row == own))
        });
        rows.map(move |[subject, predicate, object]| {
            Ok(InternalQuad { subject, predicate, object, graph_name: part.clone() })
        })
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<Cell, Ended>> + use<'v, V> {
        (0..self.parts.len()).map(|part| Ok(Cell::Foreign(Rc::new(graph_of_part(part).into()))))
    }

    fn contains_internal_graph_name(&self, name: &Cell) -> Result<bool, Ended> {
        Ok(part_of(Some(name)).is_some_and(|part| part < self.parts.len()))
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

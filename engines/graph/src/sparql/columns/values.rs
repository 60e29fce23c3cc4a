//! Expressions as the evaluator computes them: once for each combination of the values of their variables.
//!
//! The combinations are handed to it as the quads of a view of their own, so that it reads and computes terms as it does elsewhere.
//!
//! Callers: columns/evaluate, columns/filter, columns/aggregate, columns/sort

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

use oxrdf::Variable;
use spareval::{ExpressionTerm, InternalQuad, QueryResults, QueryableDataset};
use spargebra::Query;
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::super::dataset::Dataset;
use super::super::error::SparqlError;
use super::super::rewrite::{
    Fresh, Uses, evaluator, has_exists, hidden, look_at_stored, of_expression, spell,
};
use super::super::session::Ended;
use super::super::terms::Cell;
use super::filter::Truth;
use super::groups::Groups;
use super::state::Columns;
use super::stop::{Outcome, Stop};
use super::table::{Table, UNBOUND, gathered};
use crate::view::View;

/// Maximum number of variables of an expression: as many as a triple has places.
const VARIABLES_MAX: usize = 3;

impl<'v, V: View> Columns<'_, 'v, V> {
    /// The value of an expression for each row, [`UNBOUND`] where it has none.
    pub(super) fn values<'t>(
        &self,
        expression: &Expression,
        table: &'t Table,
    ) -> Outcome<Cow<'t, [u64]>> {
        match expression {
            Expression::Variable(variable) => {
                return Ok(match table.column(variable.as_str()) {
                    Some(column) => Cow::Borrowed(column),
                    None => vec![UNBOUND; table.row_count].into(),
                });
            }
            Expression::NamedNode(node) => {
                return Ok(vec![self.ids.id(&node.clone().into())?; table.row_count].into());
            }
            Expression::Literal(literal) => {
                return Ok(vec![self.ids.id(&literal.clone().into())?; table.row_count].into());
            }
            _ => {}
        }
        if has_exists(expression) {
            return Err(Stop::NotHere("EXISTS inside an expression"));
        }
        let mut names = BTreeSet::new();
        of_expression(expression, &mut names);
        names.retain(|name| table.place(name).is_some());
        if names.len() > VARIABLES_MAX {
            return Err(Stop::NotHere("expression of more than three variables"));
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let columns: Vec<&[u64]> = names.iter().filter_map(|name| table.column(name)).collect();
        let groups = Groups::of(&columns, table.row_count);
        let rows: Vec<Vec<u64>> =
            columns.iter().map(|column| gathered(column, &groups.first_rows)).collect();
        let values = self.values_of(expression, &names, &rows, groups.count())?;
        let of_rows = groups.of_rows.iter().map(|group| values[*group as usize]);
        Ok(of_rows.collect::<Vec<_>>().into())
    }

    /// The values for distinct combinations. Those that leave the same variables unbound are computed together.
    fn values_of(
        &self,
        expression: &Expression,
        names: &[&str],
        columns: &[Vec<u64>],
        count: usize,
    ) -> Outcome<Vec<u64>> {
        let mut values = vec![UNBOUND; count];
        let mask = |row: usize| {
            let bit = |(at, column): (usize, &Vec<u64>)| usize::from(column[row] != UNBOUND) << at;
            columns.iter().enumerate().map(bit).sum::<usize>()
        };
        for bound in 0..1_usize << names.len() {
            let rows: Vec<u32> =
                (0..count).filter(|row| mask(*row) == bound).map(|row| row as u32).collect();
            if rows.is_empty() {
                continue;
            }
            let is_bound = |at: &usize| bound & 1 << at != 0;
            let own: Vec<usize> = (0..names.len()).filter(is_bound).collect();
            let own_names: Vec<&str> = own.iter().map(|at| names[*at]).collect();
            let own_columns = own.iter().map(|at| gathered(&columns[*at], &rows)).collect();
            let got = self.computed(expression, &own_names, own_columns, rows.len())?;
            rows.iter().zip(got).for_each(|(row, value)| values[*row as usize] = value);
        }
        Ok(values)
    }

    fn computed(
        &self,
        expression: &Expression,
        names: &[&str],
        columns: Vec<Vec<u64>>,
        count: usize,
    ) -> Outcome<Vec<u64>> {
        let name = |at: usize| match names.get(at) {
            Some(name) => Variable::new_unchecked(*name),
            None => hidden(&format!("nothing {at}")),
        };
        let triple = TriplePattern {
            subject: TermPattern::Variable(name(0)),
            predicate: NamedNodePattern::Variable(name(1)),
            object: TermPattern::Variable(name(2)),
        };
        let value = hidden("value");
        let pattern = GraphPattern::Extend {
            inner: Box::new(GraphPattern::Bgp { patterns: vec![triple] }),
            variable: value.clone(),
            expression: expression.clone(),
        };
        let pattern = GraphPattern::Project { inner: Box::new(pattern), variables: vec![value] };
        let (pattern, uses) = spell(pattern, &mut Fresh::default());
        let results = self.run(pattern, &uses, columns, count)?;
        debug_assert_eq!(results.len(), count, "a value for each combination");
        Ok(results)
    }

    fn run(
        &self,
        pattern: GraphPattern,
        uses: &Uses,
        columns: Vec<Vec<u64>>,
        count: usize,
    ) -> Outcome<Vec<u64>> {
        if look_at_stored(uses) {
            self.session.want_stored();
        }
        // Optimised, it would take for granted that no subject or predicate is a literal.
        let evaluator = evaluator(uses, self.session.last_read()).without_optimizations();
        let Query::Select { base_iri, .. } = self.query else {
            return Err(Stop::NotHere("not a SELECT"));
        };
        let query = Query::Select { dataset: None, pattern, base_iri: base_iri.clone() };
        let inner = Dataset::of_terms(self.view, self.session.clone());
        let nothing = Cell::Id(crate::Id::DEFAULT_GRAPH);
        let cell = |at: usize, row: usize| match columns.get(at) {
            Some(column) => self.ids.cell(column[row]),
            None => nothing.clone(),
        };
        let rows = (0..count).map(|row| [cell(0, row), cell(1, row), cell(2, row)]);
        let rows = Combinations { inner, rows: rows.collect() };
        let failed = |error: String| Stop::Failed(SparqlError::Evaluation(error));
        let results = evaluator.prepare(&query).execute(rows);
        let QueryResults::Solutions(solutions) =
            results.map_err(|error| failed(error.to_string()))?
        else {
            return Err(Stop::NotHere("an answer that is none of SELECT"));
        };
        let mut values = Vec::with_capacity(count);
        for solution in solutions {
            if let Some(error) = self.session.take_error() {
                return Err(Stop::Failed(error));
            }
            let solution = solution.map_err(|error| failed(error.to_string()))?;
            values.push(match solution.get(0) {
                Some(term) => self.ids.id(term)?,
                None => UNBOUND,
            });
        }
        match self.session.take_error() {
            Some(error) => Err(Stop::Failed(error)),
            None => Ok(values),
        }
    }

    /// Whether an expression is true for each row.
    pub(super) fn truths_of_values(
        &self,
        expression: &Expression,
        table: &Table,
    ) -> Outcome<Vec<Truth>> {
        let not = |inner| Expression::Not(Box::new(inner));
        // The effective boolean value, as a boolean.
        let values = self.values(&not(not(expression.clone())), table)?;
        let boolean = |value: bool| self.ids.id(&oxrdf::Literal::from(value).into());
        let (yes, no) = (boolean(true)?, boolean(false)?);
        let truth = |value: u64| match value {
            value if value == yes => Truth::True,
            value if value == no => Truth::False,
            _ => Truth::Error,
        };
        Ok(values.iter().copied().map(truth).collect())
    }
}

/// Combinations of values as triples.
struct Combinations<'v, V: View> {
    inner: Dataset<'v, V>,
    rows: Rc<[[Cell; 3]]>,
}

impl<'v, V: View + 'v> QueryableDataset<'v> for Combinations<'v, V> {
    type InternalTerm = Cell;
    type Error = Ended;

    fn internal_quads_for_pattern(
        &self,
        _: Option<&Cell>,
        _: Option<&Cell>,
        _: Option<&Cell>,
        _: Option<Option<&Cell>>,
    ) -> impl Iterator<Item = Result<InternalQuad<Cell>, Ended>> + use<'v, V> {
        let rows = self.rows.clone();
        (0..rows.len()).map(move |row| {
            let [subject, predicate, object] = rows[row].clone();
            Ok(InternalQuad { subject, predicate, object, graph_name: None })
        })
    }

    fn internalize_term(&self, term: oxrdf::Term) -> Result<Cell, Ended> {
        self.inner.internalize_term(term)
    }

    fn externalize_term(&self, cell: Cell) -> Result<oxrdf::Term, Ended> {
        self.inner.externalize_term(cell)
    }

    fn externalize_expression_term(&self, cell: Cell) -> Result<ExpressionTerm, Ended> {
        self.inner.externalize_expression_term(cell)
    }

    fn internalize_expression_term(&self, term: ExpressionTerm) -> Result<Cell, Ended> {
        self.inner.internalize_expression_term(term)
    }
}

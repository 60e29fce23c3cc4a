//! Expressions, computed once for each combination of the values of their variables: of one
//! variable vectorised where that is known, all others by the evaluator.
//!
//! The combinations are handed to the evaluator as the quads of a view of their own, so that it
//! reads and computes terms as it does elsewhere.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use oxrdf::{Literal, Variable};
use spareval::QueryResults;
use spargebra::Query;
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::super::super::dataset::{Dataset, graph_of_part};
use super::super::super::error::SparqlError;
use super::super::super::rewrite::{
    evaluator, hidden, is_repeatable, look_at_stored, of_expression, spell,
};
use super::super::super::terms::Cell;
use super::super::filter::marks::{Asked, Truth};
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::groups::Groups;
use super::super::table::ids::{LookUp, is_literal};
use super::super::table::meter::Meter;
use super::super::table::rows::{Table, UNBOUND, gathered};
use super::native::Native;
use super::nodes::has_nodes;
use crate::Id;
use crate::term::inline::is_inlined;
use crate::view::View;

/// Maximum number of variables of an expression.
const NAMES_MAX: usize = u128::BITS as usize;
/// Number of values that a triple has places for.
const VARIABLES_MAX: usize = 3;

impl<'v, V: View> Columns<'_, 'v, V> {
    /// The value of an expression for each row, [`UNBOUND`] where it has none.
    pub(in crate::sparql) fn values<'t>(
        &self,
        expression: &Expression,
        table: &'t Table,
    ) -> Outcome<Cow<'t, [u64]>> {
        match expression {
            Expression::Variable(variable) => {
                return Ok(match table.column(variable.as_str()) {
                    Some(column) => Cow::Borrowed(column),
                    None => {
                        let id = self.parameter(variable.as_str()).unwrap_or(UNBOUND);
                        vec![id; table.row_count].into()
                    }
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
        let mut values = self.values_together(&[expression], table, LookUp::Yes)?;
        Ok(values.swap_remove(0).into())
    }

    /// The values of several expressions of the same variables: vectorised where all functions are
    /// known there, else by the evaluator.
    pub(super) fn values_together(
        &self,
        expressions: &[&Expression],
        table: &Table,
        look_up: LookUp,
    ) -> Outcome<Vec<Vec<u64>>> {
        let names = || {
            let mut names = BTreeSet::new();
            expressions.iter().for_each(|expression| of_expression(expression, &mut names));
            names
        };
        let own =
            if self.has_parameters() { self.with_parameter_columns(table, &names()) } else { None };
        let table = own.as_ref().unwrap_or(table);
        if expressions.iter().any(|expression| has_nodes(expression)) {
            let (expressions, table) = self.with_nodes(expressions, table)?;
            let expressions: Vec<&Expression> = expressions.iter().collect();
            return self.values_together(&expressions, &table, look_up);
        }
        let mut distinct = None;
        let mut values = vec![Vec::new(); expressions.len()];
        let mut others = Vec::new();
        for (at, expression) in expressions.iter().enumerate() {
            match native_of(expression, table) {
                Some((name, native)) => {
                    let terms = Distinct::of(distinct.take(), name, table, &self.meter)?;
                    values[at] = self.by_columns(expression, &native, &terms, look_up)?;
                    distinct = Some(terms);
                }
                None => others.push((at, *expression)),
            }
        }
        if !others.is_empty() {
            let expressions: Vec<&Expression> = others.iter().map(|(_, own)| *own).collect();
            let computed = self.by_evaluator(&expressions, table, look_up)?;
            others.iter().zip(computed).for_each(|((at, _), column)| values[*at] = column);
        }
        Ok(values)
    }

    /// The values of an expression of one variable.
    fn by_columns(
        &self,
        expression: &Expression,
        native: &Native,
        terms: &Distinct,
        look_up: LookUp,
    ) -> Outcome<Vec<u64>> {
        let look_up = if native.gives_term() { LookUp::Yes } else { look_up };
        let mut of = self.native_values(native, &terms.ids, look_up)?;
        if !of.open.is_empty() && look_up == LookUp::No {
            // Ids of the same terms, whoever computes them.
            of = self.native_values(native, &terms.ids, LookUp::Yes)?;
        }
        if !of.open.is_empty() {
            let rest = terms.table(&of.open);
            let computed = self.by_evaluator(&[expression], &rest, LookUp::Yes)?;
            of.open.iter().zip(&computed[0]).for_each(|(at, id)| of.values[*at as usize] = *id);
        }
        Ok(terms.groups.of_rows.iter().map(|group| of.values[*group as usize]).collect())
    }

    /// The values of several expressions of the same variables, as the evaluator computes them.
    fn by_evaluator(
        &self,
        expressions: &[&Expression],
        table: &Table,
        look_up: LookUp,
    ) -> Outcome<Vec<Vec<u64>>> {
        let combinations = Combined::of(expressions, table, &self.meter)?;
        let count = combinations.groups.count();
        let mut values = vec![vec![UNBOUND; count]; expressions.len()];
        for (names, columns, rows) in combinations.by_bound() {
            let of: Vec<Variable> =
                (0..expressions.len()).map(|at| hidden(&format!("value {at}"))).collect();
            let extend = |inner, (variable, expression): (&Variable, &&Expression)| {
                let expression = (*expression).clone();
                GraphPattern::Extend {
                    inner: Box::new(inner),
                    variable: variable.clone(),
                    expression,
                }
            };
            let inner = of.iter().zip(expressions).fold(combinations_of(&names), extend);
            let pattern = GraphPattern::Project { inner: Box::new(inner), variables: of };
            let got = self.run_rows(pattern, columns, rows.len(), look_up)?;
            debug_assert_eq!(got.len(), rows.len() * expressions.len(), "a value for each");
            for (row, own) in rows.iter().zip(got.chunks_exact(expressions.len())) {
                values.iter_mut().zip(own).for_each(|(column, id)| column[*row as usize] = *id);
            }
        }
        let of_rows = &combinations.groups.of_rows;
        let wide = |values: Vec<u64>| of_rows.iter().map(|group| values[*group as usize]).collect();
        Ok(values.into_iter().map(wide).collect())
    }

    /// The ids of the first numbers.
    fn numbers(&self, count: usize) -> Outcome<Vec<u64>> {
        let number = |at: usize| self.ids.id(&Literal::from(at as i64).into());
        let zero = number(0)?;
        if is_dense(zero) {
            // Those of inlined ones follow each other.
            Ok((0..count as u64).map(|at| zero + at).collect())
        } else {
            (0..count).map(number).collect()
        }
    }

    /// Which rows an expression is true of.
    fn passing(&self, expression: &Expression, table: &Table) -> Outcome<Vec<Truth>> {
        let combinations = Combined::of(&[expression], table, &self.meter)?;
        let mut truths = vec![Truth::False; combinations.groups.count()];
        for (names, mut columns, rows) in combinations.by_bound() {
            columns.resize(VARIABLES_MAX - 1, Vec::new());
            let numbers = self.numbers(rows.len())?;
            let (zero, is_dense) = (numbers[0], is_dense(numbers[0]));
            let others = if is_dense { &[][..] } else { &numbers };
            let places: HashMap<u64, usize> =
                others.iter().enumerate().map(|(at, id)| (*id, at)).collect();
            columns.push(numbers);
            let inner = Box::new(combination(&names));
            let expr = expression.clone();
            let inner = Box::new(GraphPattern::Filter { expr, inner });
            let pattern = GraphPattern::Project { inner, variables: vec![name_of(&names, 2)] };
            for id in self.run_rows(pattern, columns, rows.len(), LookUp::Yes)? {
                let place = if is_dense {
                    Some(id.wrapping_sub(zero) as usize)
                } else {
                    places.get(&id).copied()
                };
                let row = place.and_then(|place| rows.get(place));
                let row = row.ok_or(Stop::Unsupported("a row that is not there"))?;
                truths[*row as usize] = Truth::True;
            }
        }
        Ok(combinations.groups.of_rows.iter().map(|group| truths[*group as usize]).collect())
    }

    /// Evaluates a pattern over combinations: the ids of all solutions, back to back.
    fn run_rows(
        &self,
        pattern: GraphPattern,
        columns: Vec<Vec<u64>>,
        count: usize,
        look_up: LookUp,
    ) -> Outcome<Vec<u64>> {
        let (pattern, uses) = spell(pattern);
        if look_at_stored(&uses) {
            self.session.want_stored();
        }
        // Optimised, it would take for granted that no subject or predicate is a literal.
        let evaluator = evaluator(&uses, self.session.last_read()).without_optimizations();
        let base_iri = self.query.base_iri().cloned();
        let query = Query::Select { dataset: None, pattern, base_iri };
        let nothing = Cell::Id(crate::Id::DEFAULT_GRAPH);
        let cell = |at: usize, row: usize| match columns.get(at) {
            Some(column) if !column.is_empty() => self.ids.cell(column[row]),
            _ => nothing.clone(),
        };
        let parts = if columns.len() <= VARIABLES_MAX {
            let rows = (0..count).map(|row| [cell(0, row), cell(1, row), cell(2, row)]);
            vec![rows.collect()]
        } else {
            let numbers = self.numbers(count)?;
            let number = |row: usize| self.ids.cell(numbers[row]);
            let part = |at: usize| {
                (0..count).map(|row| [number(row), cell(at, row), cell(at + 1, row)]).collect()
            };
            (0..columns.len()).step_by(VARIABLES_MAX - 1).map(part).collect()
        };
        let rows = Dataset::of_rows(self.view, self.session.clone(), parts);
        let failed = |error: String| Stop::Failed(SparqlError::Evaluation(error));
        let results = evaluator.prepare(&query).execute(rows);
        let QueryResults::Solutions(solutions) =
            results.map_err(|error| failed(error.to_string()))?
        else {
            return Err(Stop::Unsupported("an answer that is none of SELECT"));
        };
        let mut values = Vec::with_capacity(count);
        for solution in solutions {
            if let Some(error) = self.session.take_error() {
                return Err(Stop::Failed(error));
            }
            let solution = solution.map_err(|error| failed(error.to_string()))?;
            for term in solution.values() {
                values.push(match (term, look_up) {
                    (None, _) => UNBOUND,
                    (Some(term), LookUp::Yes) => self.ids.id(term)?,
                    (Some(term), LookUp::No) => self.ids.of_computed(term),
                });
            }
        }
        match self.session.take_error() {
            Some(error) => Err(Stop::Failed(error)),
            None => Ok(values),
        }
    }

    /// Whether an expression is true for each row.
    pub(in crate::sparql) fn truths_of_values(
        &self,
        expression: &Expression,
        table: &Table,
        asked: Asked,
    ) -> Outcome<Vec<Truth>> {
        let Some((name, native)) = native_of(expression, table) else {
            return self.truths_by_evaluator(expression, table, asked);
        };
        let terms = Distinct::of(None, name, table, &self.meter)?;
        let mut of = self.native_truths(&native, &terms.ids)?;
        if !of.open.is_empty() {
            let rest = self.truths_by_evaluator(expression, &terms.table(&of.open), asked)?;
            of.open.iter().zip(rest).for_each(|(at, truth)| of.values[*at as usize] = truth);
        }
        Ok(terms.groups.of_rows.iter().map(|group| of.values[*group as usize]).collect())
    }

    fn truths_by_evaluator(
        &self,
        expression: &Expression,
        table: &Table,
        asked: Asked,
    ) -> Outcome<Vec<Truth>> {
        if asked == Asked::Passes && variables_of(&[expression], table).len() < VARIABLES_MAX {
            return self.passing(expression, table);
        }
        let not = |inner| Expression::Not(Box::new(inner));
        // The effective boolean value, as a boolean.
        let values = &self.by_evaluator(&[&not(not(expression.clone()))], table, LookUp::Yes)?[0];
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

/// The expression as it is vectorised, and its variable; none if it has another number of
/// variables, or an unknown function.
fn native_of(expression: &Expression, table: &Table) -> Option<(String, Native)> {
    let mut names = variables_of(&[expression], table).into_iter();
    let (Some(name), None) = (names.next(), names.next()) else { return None };
    let native = Native::new(expression, &name)?;
    Some((name, native))
}

/// The distinct terms of a variable.
struct Distinct {
    name: String,
    ids: Vec<u64>,
    groups: Groups,
}

impl Distinct {
    /// Those of a variable, which may be there already.
    fn of(
        before: Option<Distinct>,
        name: String,
        table: &Table,
        meter: &Meter<'_, '_>,
    ) -> Outcome<Distinct> {
        if let Some(before) = before.filter(|before| before.name == name) {
            return Ok(before);
        }
        let column = table.column(&name).unwrap_or_default();
        let groups = Groups::of(&[column], column.len(), meter)?;
        Ok(Distinct { name, ids: gathered(column, &groups.first_rows), groups })
    }

    /// Some of them, as rows.
    fn table(&self, numbers: &[u32]) -> Table {
        let mut table = Table { row_count: numbers.len(), ..Table::default() };
        table.push(self.name.clone(), gathered(&self.ids, numbers));
        table
    }
}

/// The distinct combinations of what the variables of expressions are bound to.
struct Combined {
    names: Vec<String>,
    columns: Vec<Vec<u64>>,
    groups: Groups,
}

/// Combinations that bind the same variables: the variables, their columns, and the numbers of the
/// combinations.
type Bound = (Vec<String>, Vec<Vec<u64>>, Vec<u32>);

impl Combined {
    fn of(expressions: &[&Expression], table: &Table, meter: &Meter<'_, '_>) -> Outcome<Combined> {
        let names = variables_of(expressions, table);
        if names.len() > NAMES_MAX {
            let what = format!("expression of more than {NAMES_MAX} variables");
            return Err(Stop::Failed(SparqlError::Evaluation(what)));
        }
        let columns: Vec<&[u64]> = names.iter().filter_map(|name| table.column(name)).collect();
        let groups = if expressions.iter().all(|expression| is_repeatable(expression)) {
            Groups::of(&columns, table.row_count, meter)?
        } else {
            Groups::of_each_row(table.row_count)
        };
        let columns = columns.iter().map(|column| gathered(column, &groups.first_rows)).collect();
        Ok(Combined { names: names.into_iter().collect(), columns, groups })
    }

    /// Those that leave the same variables unbound are computed together.
    fn by_bound(&self) -> Vec<Bound> {
        let mask = |row: usize| {
            let bit = |(at, column): (usize, &Vec<u64>)| u128::from(column[row] != UNBOUND) << at;
            self.columns.iter().enumerate().map(bit).sum::<u128>()
        };
        let mut parts: BTreeMap<u128, Vec<u32>> = BTreeMap::new();
        for row in 0..self.groups.count() {
            parts.entry(mask(row)).or_default().push(row as u32);
        }
        parts
            .into_iter()
            .map(|(bound, rows)| {
                let own = (0..self.names.len()).filter(|at| bound & 1 << at != 0);
                let named =
                    |at: usize| (self.names[at].clone(), gathered(&self.columns[at], &rows));
                let (names, columns) = own.map(named).unzip();
                (names, columns, rows)
            })
            .collect()
    }
}

/// Whether the id of a number is inlined: those of the numbers after it follow it.
fn is_dense(number: u64) -> bool {
    is_literal(number) && is_inlined(Id(number).tag())
}

/// The variables of expressions that a table has.
fn variables_of(expressions: &[&Expression], table: &Table) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    expressions.iter().for_each(|expression| of_expression(expression, &mut names));
    names.retain(|name| table.place(name).is_some());
    names
}

/// The variable at a place of a combination.
fn name_of(names: &[String], at: usize) -> Variable {
    match names.get(at) {
        Some(name) => Variable::new_unchecked(name),
        None => hidden(&format!("nothing {at}")),
    }
}

/// The pattern of all combinations of three values at most.
fn combination(names: &[String]) -> GraphPattern {
    triple(name_of(names, 0), name_of(names, 1), name_of(names, 2))
}

fn triple(subject: Variable, predicate: Variable, object: Variable) -> GraphPattern {
    let triple = TriplePattern {
        subject: TermPattern::Variable(subject),
        predicate: NamedNodePattern::Variable(predicate),
        object: TermPattern::Variable(object),
    };
    GraphPattern::Bgp { patterns: vec![triple] }
}

/// The pattern of all combinations. Of more values than a triple has places, two stand in each of
/// several graphs, beside the number of their combination.
fn combinations_of(names: &[String]) -> GraphPattern {
    if names.len() <= VARIABLES_MAX {
        return combination(names);
    }
    let row = hidden("combination");
    let parts = names.chunks(VARIABLES_MAX - 1).enumerate().map(|(part, names)| {
        let inner = Box::new(triple(row.clone(), name_of(names, 0), name_of(names, 1)));
        GraphPattern::Graph { name: graph_of_part(part).into(), inner }
    });
    // Each is looked up by the number.
    let join = |left, right| GraphPattern::Lateral { left: Box::new(left), right: Box::new(right) };
    parts.reduce(join).unwrap_or_default()
}

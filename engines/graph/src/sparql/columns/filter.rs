//! Filters: what ids alone decide is decided of whole columns, the rest by the evaluator's expressions, once for each combination of
//! values.
//!
//! Callers: columns/evaluate, columns/order

use std::cmp::Ordering;

use spargebra::algebra::Expression;

use super::bound::Bound;
use super::ids::{is_literal, is_node};
use super::state::{Columns, GraphOf};
use super::stop::Outcome;
use super::table::{Table, UNBOUND};
use crate::term::inline::{compare_inlined, tags};
use crate::view::View;
use crate::{Id, Tag};

/// Truth of an expression for a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Truth {
    False,
    True,
    Error,
}

impl From<bool> for Truth {
    fn from(is_so: bool) -> Truth {
        if is_so { Truth::True } else { Truth::False }
    }
}

impl Truth {
    fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::False, _) | (_, Truth::False) => Truth::False,
            (Truth::True, Truth::True) => Truth::True,
            _ => Truth::Error,
        }
    }

    fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::True => Truth::False,
            Truth::Error => Truth::Error,
        }
    }
}

/// What is asked of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    Truth,
    /// Whether it is true: false and an error need not be told apart.
    Passes,
}

/// A comparison of two ids; none where ids don't decide it.
type ByIds<'c> = &'c dyn Fn(u64, u64) -> Option<Truth>;

/// One side of a comparison.
enum Side<'t> {
    Column(&'t [u64]),
    One(u64),
}

impl Side<'_> {
    fn get(&self, row: usize) -> u64 {
        match self {
            Side::Column(column) => column[row],
            Side::One(id) => *id,
        }
    }
}

impl<V: View> Columns<'_, '_, V> {
    /// Which rows a filter lets pass.
    pub(super) fn passes(
        &self,
        filter: &Expression,
        table: &Table,
        graph: &GraphOf,
    ) -> Outcome<Vec<bool>> {
        let truths = self.truths(filter, table, graph, Asked::Passes)?;
        Ok(truths.into_iter().map(|truth| truth == Truth::True).collect())
    }

    fn truths(
        &self,
        expression: &Expression,
        table: &Table,
        graph: &GraphOf,
        asked: Asked,
    ) -> Outcome<Vec<Truth>> {
        use Expression as E;
        let compare = |left: &Expression, right: &Expression, by_ids: ByIds<'_>| {
            self.compare((expression, asked), (left, right), table, by_ids)
        };
        let in_order = |left: &Expression, right: &Expression, is: fn(Ordering) -> bool| {
            if let Some(truths) = self.beside_constant((left, right), table, is)? {
                return Ok(truths);
            }
            compare(left, right, &|one, other| Some(is(order(one, other)?).into()))
        };
        match expression {
            E::And(left, right) => self.both((left, right), table, graph, asked, Truth::and),
            E::Or(left, right) => {
                let or = |one: Truth, other: Truth| one.not().and(other.not()).not();
                self.both((left, right), table, graph, asked, or)
            }
            E::Not(inner) => {
                let truths = self.truths(inner, table, graph, Asked::Truth)?;
                Ok(truths.into_iter().map(Truth::not).collect())
            }
            E::Exists(pattern) => self.exist(pattern, table, graph),
            E::Bound(variable) => Ok(match table.column(variable.as_str()) {
                Some(column) => column.iter().map(|id| Truth::from(*id != UNBOUND)).collect(),
                None => vec![Truth::False; table.row_count],
            }),
            E::SameTerm(left, right) => {
                compare(left, right, &|one, other| Some((one == other).into()))
            }
            E::Equal(left, right) => compare(left, right, &equal),
            E::Less(left, right) => in_order(left, right, Ordering::is_lt),
            E::LessOrEqual(left, right) => in_order(left, right, Ordering::is_le),
            E::Greater(left, right) => in_order(left, right, Ordering::is_gt),
            E::GreaterOrEqual(left, right) => in_order(left, right, Ordering::is_ge),
            other => self.truths_of_values(other, table, asked),
        }
    }

    fn both(
        &self,
        (left, right): (&Expression, &Expression),
        table: &Table,
        graph: &GraphOf,
        asked: Asked,
        with: impl Fn(Truth, Truth) -> Truth,
    ) -> Outcome<Vec<Truth>> {
        let left = self.truths(left, table, graph, asked)?;
        let right = self.truths(right, table, graph, asked)?;
        Ok(left.into_iter().zip(right).map(|(one, other)| with(one, other)).collect())
    }

    fn side<'t>(&self, expression: &Expression, table: &'t Table) -> Outcome<Option<Side<'t>>> {
        Ok(match expression {
            Expression::Variable(variable) => Some(match table.column(variable.as_str()) {
                Some(column) => Side::Column(column),
                None => Side::One(UNBOUND),
            }),
            Expression::NamedNode(node) => Some(Side::One(self.ids.id(&node.clone().into())?)),
            Expression::Literal(literal) => Some(Side::One(self.ids.id(&literal.clone().into())?)),
            _ => None,
        })
    }

    /// Compares a column with a constant, where all of them are exact numbers.
    fn beside_constant(
        &self,
        (left, right): (&Expression, &Expression),
        table: &Table,
        is: fn(Ordering) -> bool,
    ) -> Outcome<Option<Vec<Truth>>> {
        let (column, constant, is_turned) =
            match (self.side(left, table)?, self.side(right, table)?) {
                (Some(Side::Column(column)), Some(Side::One(constant))) => {
                    (column, constant, false)
                }
                (Some(Side::One(constant)), Some(Side::Column(column))) => (column, constant, true),
                _ => return Ok(None),
            };
        let Some(mut bound) = Bound::new(constant) else { return Ok(None) };
        let of = |ordering: Ordering| if is_turned { ordering.reverse() } else { ordering };
        let truth = |id: &u64| bound.order(*id).map(|ordering| Truth::from(is(of(ordering))));
        Ok(column.iter().map(truth).collect())
    }

    /// Compares by ids; the whole expression is evaluated for the rows that ids don't decide.
    fn compare(
        &self,
        (expression, asked): (&Expression, Asked),
        (left, right): (&Expression, &Expression),
        table: &Table,
        by_ids: ByIds<'_>,
    ) -> Outcome<Vec<Truth>> {
        let (Some(left), Some(right)) = (self.side(left, table)?, self.side(right, table)?) else {
            return self.truths_of_values(expression, table, asked);
        };
        let (mut truths, mut open) = (Vec::with_capacity(table.row_count), Vec::new());
        for row in 0..table.row_count {
            let (one, other) = (left.get(row), right.get(row));
            let truth = match one == UNBOUND || other == UNBOUND {
                true => Some(Truth::Error),
                false => by_ids(one, other),
            };
            truths.push(truth.unwrap_or_else(|| {
                open.push(row as u32);
                Truth::Error
            }));
        }
        if !open.is_empty() {
            let decided = self.truths_of_values(expression, &table.rows(&open), asked)?;
            open.iter().zip(decided).for_each(|(row, truth)| truths[*row as usize] = truth);
        }
        Ok(truths)
    }
}

/// Equality by `=`, where ids decide it.
fn equal(one: u64, other: u64) -> Option<Truth> {
    match (Id(one).tag(), Id(other).tag()) {
        _ if is_node(one) && (is_node(other) || is_literal(other)) => Some((one == other).into()),
        _ if is_node(other) && is_literal(one) => Some(Truth::False),
        (Tag::STRING, Tag::STRING) => Some((one == other).into()),
        _ => Some((order(one, other)? == Ordering::Equal).into()),
    }
}

/// The order of two values, where ids decide it: exact numbers, booleans, dates and times.
fn order(one: u64, other: u64) -> Option<Ordering> {
    let is_float = |id: u64| matches!(Id(id).tag(), tags::DOUBLE | tags::FLOAT);
    if is_float(one) || is_float(other) {
        return None;
    }
    compare_inlined(Id(one), Id(other))
}

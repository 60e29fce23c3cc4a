//! Filters: comparisons of whole columns, and other expressions by the evaluator, once for each
//! combination of values.

use std::cmp::Ordering;

use oxrdf::Term;
use spargebra::algebra::{Expression, Function};

use super::super::super::rewrite::has_exists;
use super::super::plan::operator::Filter;
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::ids::is_local;
use super::super::table::rows::{Table, UNBOUND};
use crate::view::View;
use crate::{Id, Tag};

/// Truth of an expression for a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::sparql) enum Truth {
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
pub(in crate::sparql) enum Asked {
    Truth,
    /// Whether it is true: false and an error need not be told apart.
    Passes,
}

/// How two values are compared.
#[derive(Clone, Copy)]
pub(in crate::sparql) enum How {
    SameTerm,
    Equal,
    /// By their order.
    Order(fn(Ordering) -> bool),
}

/// A kind of terms.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Iri,
    Blank,
    Literal,
    Triple,
}

/// The kind that a function asks for.
fn kind_of(function: &Function) -> Option<Kind> {
    match function {
        Function::IsIri => Some(Kind::Iri),
        Function::IsBlank => Some(Kind::Blank),
        Function::IsLiteral => Some(Kind::Literal),
        Function::IsTriple => Some(Kind::Triple),
        _ => None,
    }
}

/// Whether an expression is made of truths, which are known of each part.
fn is_boolean(expression: &Expression) -> bool {
    use Expression as E;
    matches!(expression, E::And(..) | E::Or(..) | E::Not(_) | E::Exists(_))
}

impl<V: View> Columns<'_, '_, V> {
    /// Which rows a filter lets pass.
    pub(in crate::sparql) fn passes(
        &self,
        filter: &Filter<'_>,
        table: &Table,
    ) -> Outcome<Vec<bool>> {
        let own = self.with_parameter_columns(table, &filter.names);
        let table = own.as_ref().unwrap_or(table);
        let truths = self.truths(filter.expression, table, filter, Asked::Passes)?;
        Ok(truths.into_iter().map(|truth| truth == Truth::True).collect())
    }

    fn truths(
        &self,
        expression: &Expression,
        table: &Table,
        filter: &Filter<'_>,
        asked: Asked,
    ) -> Outcome<Vec<Truth>> {
        use Expression as E;
        if !filter.exists.is_empty() && !is_boolean(expression) && has_exists(expression) {
            let (expression, table) = self.with_exists(expression, &filter.exists, table)?;
            return self.truths(&expression, &table, filter, asked);
        }
        let compare = |left: &Expression, right: &Expression, how: How| {
            self.compare(expression, asked, left, right, table, how)
        };
        match expression {
            E::And(left, right) => self.both(left, right, table, filter, asked, Truth::and),
            E::Or(left, right) => {
                let or = |one: Truth, other: Truth| one.not().and(other.not()).not();
                self.both(left, right, table, filter, asked, or)
            }
            E::Not(inner) => {
                let truths = self.truths(inner, table, filter, Asked::Truth)?;
                Ok(truths.into_iter().map(Truth::not).collect())
            }
            E::Exists(pattern) => match filter.exists(pattern) {
                Some(exists) => self.exist(exists, table),
                None => Err(Stop::Unsupported("EXISTS without a plan")),
            },
            E::Bound(variable) => Ok(match table.column(variable.as_str()) {
                Some(column) => column.iter().map(|id| Truth::from(*id != UNBOUND)).collect(),
                None => vec![Truth::False; table.row_count],
            }),
            E::SameTerm(left, right) => compare(left, right, How::SameTerm),
            E::Equal(left, right) => compare(left, right, How::Equal),
            E::Less(left, right) => compare(left, right, How::Order(Ordering::is_lt)),
            E::LessOrEqual(left, right) => compare(left, right, How::Order(Ordering::is_le)),
            E::Greater(left, right) => compare(left, right, How::Order(Ordering::is_gt)),
            E::GreaterOrEqual(left, right) => compare(left, right, How::Order(Ordering::is_ge)),
            E::FunctionCall(function, of) => match (kind_of(function), &of[..]) {
                (Some(kind), [E::Variable(variable)]) => {
                    self.of_kind(kind, table.column(variable.as_str()), table.row_count)
                }
                _ => self.truths_of_values(expression, table, asked),
            },
            other => self.truths_of_values(other, table, asked),
        }
    }

    /// Whether the terms of a column are of a kind.
    fn of_kind(&self, kind: Kind, column: Option<&[u64]>, count: usize) -> Outcome<Vec<Truth>> {
        let Some(column) = column else { return Ok(vec![Truth::Error; count]) };
        let truth = |id: &u64| {
            let own = match Id(*id).tag() {
                _ if *id == UNBOUND => return Ok(Truth::Error),
                _ if is_local(*id) => match self.ids.term(*id)? {
                    Term::NamedNode(_) => Kind::Iri,
                    Term::BlankNode(_) => Kind::Blank,
                    Term::Literal(_) => Kind::Literal,
                    Term::Triple(_) => Kind::Triple,
                },
                Tag::IRI => Kind::Iri,
                Tag::BLANK => Kind::Blank,
                Tag::TRIPLE => Kind::Triple,
                _ => Kind::Literal,
            };
            Ok((own == kind).into())
        };
        column.iter().map(truth).collect()
    }

    fn both(
        &self,
        left: &Expression,
        right: &Expression,
        table: &Table,
        filter: &Filter<'_>,
        asked: Asked,
        with: impl Fn(Truth, Truth) -> Truth,
    ) -> Outcome<Vec<Truth>> {
        let left = self.truths(left, table, filter, asked)?;
        let right = self.truths(right, table, filter, asked)?;
        Ok(left.into_iter().zip(right).map(|(one, other)| with(one, other)).collect())
    }
}

//! Comparisons of two expressions: by ids where they decide, strings by their order, the rest by
//! the evaluator.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use oxrdf::Term;
use spargebra::algebra::Expression;

use super::super::super::rewrite::{has_exists, of_expression};
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::groups::Groups;
use super::super::table::ids::{is_literal, is_node};
use super::super::table::rows::{Table, UNBOUND};
use super::constant::Bound;
use super::marks::{Asked, How, Truth};
use crate::term::inline::{compare_inlined, tags};
use crate::view::View;
use crate::{Id, Tag};

/// Number of strings between two looks at the time and the memory.
const STRINGS_PER_LOOK: usize = 1 << 10;

/// One side of a comparison.
enum Side<'t> {
    Column(&'t [u64]),
    /// The values of an expression, for each row.
    Computed(Vec<u64>),
    One(u64),
}

impl Side<'_> {
    fn get(&self, row: usize) -> u64 {
        match self {
            Side::Column(column) => column[row],
            Side::Computed(values) => values[row],
            Side::One(id) => *id,
        }
    }
}

impl<V: View> Columns<'_, '_, V> {
    /// Compares two sides of an expression for each row.
    pub(in crate::sparql) fn compare(
        &self,
        expression: &Expression,
        asked: Asked,
        left: &Expression,
        right: &Expression,
        table: &Table,
        how: How,
    ) -> Outcome<Vec<Truth>> {
        let (one, other) = match (self.side(left, table)?, self.side(right, table)?) {
            (Some(left), Some(right)) => (left, right),
            (one, other) if has_fewer_values(left, right, table) => {
                let computed = |side: Option<_>, of: &Expression| match side {
                    Some(side) => Ok(side),
                    None => Ok(Side::Computed(self.values(of, table)?.into_owned())),
                };
                (computed(one, left)?, computed(other, right)?)
            }
            _ => return self.truths_of_values(expression, table, asked),
        };
        if let How::Order(is) = how
            && let Some(truths) = beside_constant(&one, &other, is)
        {
            return Ok(truths);
        }
        let (mut truths, mut open) = (Vec::with_capacity(table.row_count), Vec::new());
        for row in 0..table.row_count {
            let (one, other) = (one.get(row), other.get(row));
            let truth = if one == UNBOUND || other == UNBOUND {
                Some(Truth::Error)
            } else {
                how.by_ids(one, other).or_else(|| {
                    let is_string = |id| Id(id).tag() == Tag::STRING && self.ids.is_sorted(id);
                    (is_string(one) && is_string(other)).then(|| how.truth(one.cmp(&other)))
                })
            };
            truths.push(truth.unwrap_or_else(|| {
                open.push(row as u32);
                Truth::Error
            }));
        }
        if !open.is_empty() {
            let decided = match self.by_strings(&one, &other, &open, how)? {
                Some(decided) => decided,
                None => self.truths_of_values(expression, &table.rows(&open), asked)?,
            };
            open.iter().zip(decided).for_each(|(row, truth)| truths[*row as usize] = truth);
        }
        Ok(truths)
    }

    /// A side that is there without being computed.
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

    /// Compares rows all of whose values are strings without a tag: each distinct one is read once,
    /// and has a rank.
    fn by_strings(
        &self,
        one: &Side<'_>,
        other: &Side<'_>,
        rows: &[u32],
        how: How,
    ) -> Outcome<Option<Vec<Truth>>> {
        let of_side = |side: &Side<'_>| rows.iter().map(|row| side.get(*row as usize)).collect();
        let (mut ids, others): (Vec<u64>, Vec<u64>) = (of_side(one), of_side(other));
        ids.extend(others);
        let groups = Groups::of(&[&ids], ids.len(), &self.meter)?;
        let (mut texts, mut len) = (Vec::with_capacity(groups.count()), 0);
        for (number, row) in groups.first_rows.iter().enumerate() {
            let Some(text) = self.simple_string(ids[*row as usize])? else { return Ok(None) };
            len += text.len();
            texts.push((text, number));
            if number % STRINGS_PER_LOOK == 0 {
                self.meter.check(len / size_of::<u64>())?;
            }
        }
        texts.sort_unstable();
        let mut ranks = vec![0_u32; texts.len()];
        for (rank, (_, number)) in texts.iter().enumerate() {
            ranks[*number] = rank as u32;
        }
        let rank = |at: usize| ranks[groups.of_rows[at] as usize];
        let truth = |at| how.truth(rank(at).cmp(&rank(rows.len() + at)));
        Ok(Some((0..rows.len()).map(truth).collect()))
    }

    fn simple_string(&self, id: u64) -> Outcome<Option<String>> {
        if is_node(id) || (is_literal(id) && Id(id).tag() != Tag::STRING) {
            return Ok(None);
        }
        Ok(match self.ids.term(id)? {
            Term::Literal(literal) if literal.datatype() == oxrdf::vocab::xsd::STRING => {
                Some(literal.destruct().0)
            }
            _ => None,
        })
    }
}

/// Whether the sides have fewer distinct values than both have together: each is of one variable,
/// not the same.
fn has_fewer_values(left: &Expression, right: &Expression, table: &Table) -> bool {
    let variables = |side: &Expression| {
        let mut names = BTreeSet::new();
        of_expression(side, &mut names);
        names.retain(|name| table.place(name).is_some());
        names
    };
    let (one, other) = (variables(left), variables(right));
    let is_plain = !has_exists(left) && !has_exists(right);
    is_plain && one.len() == 1 && other.len() == 1 && one != other
}

/// Compares a column with a constant, where all of them are exact numbers.
fn beside_constant(
    one: &Side<'_>,
    other: &Side<'_>,
    is: fn(Ordering) -> bool,
) -> Option<Vec<Truth>> {
    let (column, constant, is_turned) = match (one, other) {
        (Side::Column(column), Side::One(constant)) => (column, constant, false),
        (Side::One(constant), Side::Column(column)) => (column, constant, true),
        _ => return None,
    };
    let mut bound = Bound::new(*constant)?;
    let of = |ordering: Ordering| if is_turned { ordering.reverse() } else { ordering };
    let truth = |id: &u64| bound.order(*id).map(|ordering| Truth::from(is(of(ordering))));
    column.iter().map(truth).collect()
}

impl How {
    /// The truth for two ids; none where they don't decide it.
    fn by_ids(self, one: u64, other: u64) -> Option<Truth> {
        match self {
            How::SameTerm => Some((one == other).into()),
            How::Equal => equal(one, other),
            How::Order(is) => Some(is(order(one, other)?).into()),
        }
    }

    /// The truth for two values in some order.
    fn truth(self, ordering: Ordering) -> Truth {
        match self {
            How::SameTerm | How::Equal => ordering.is_eq().into(),
            How::Order(is) => is(ordering).into(),
        }
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

//! A plan pulled: some of its rows at a time, for those who want few (LIMIT, ASK), and for answers
//! that are too long to be held. What can't give rows before it has seen all gives them at once.

use std::collections::HashMap;

use super::join::pull::JoinCursor;
use super::plan::operator::{Operator, Plan};
use super::state::Columns;
use super::stop::Outcome;
use super::table::numbering::Numbering;
use super::table::rows::Table;
use super::table::sink::{Collected, Sink};
use crate::view::View;

/// How far a plan was pulled. Another plan of the same query goes on with it.
pub(in crate::sparql) struct Cursor<'v, V: View + 'v> {
    /// Where each operator stands, by its number.
    places: HashMap<usize, Place<'v, V>>,
}

/// Where an operator stands.
struct Place<'v, V: View + 'v> {
    /// The variables of its rows.
    names: Vec<String>,
    state: State<'v, V>,
}

/// What an operator has to know of the rows that have come.
enum State<'v, V: View + 'v> {
    /// Nothing: it is as far as what it reads.
    Passing,
    /// Of a join, once it has begun.
    Join(Option<Box<JoinCursor<'v, V>>>),
    /// Number of rows that are left out before those that may come.
    Slice {
        skip: usize,
        left: usize,
    },
    Distinct(Numbering),
    Ended,
}

impl<'v, V: View> Cursor<'v, V> {
    /// Before the first row.
    pub(in crate::sparql) fn new() -> Cursor<'v, V> {
        Cursor { places: HashMap::new() }
    }
}

impl<V: View> Place<'_, V> {
    fn before(plan: &Plan<'_>) -> Self {
        let names = plan.names();
        let state = match &plan.operator {
            Operator::Join(_) => State::Join(None),
            Operator::Slice { start, length, .. } => {
                State::Slice { skip: *start, left: length.unwrap_or(usize::MAX) }
            }
            Operator::Distinct(_) => State::Distinct(Numbering::new(names.len())),
            _ => State::Passing,
        };
        Place { names, state }
    }
}

impl<'v, V: View> Columns<'_, 'v, V> {
    /// All rows of an operator, pulled.
    pub(in crate::sparql) fn pulled(&self, plan: &Plan<'_>) -> Outcome<Table> {
        let (mut cursor, mut all) = (Cursor::new(), Collected::new(0, &self.meter));
        all.push(&Table::empty(plan.names()))?;
        while let Some(rows) = self.pull(plan, &mut cursor)? {
            if all.table.row_count == 0 { all.put(rows)? } else { all.push(&rows)? }
        }
        self.meter.charge(&all.table)?;
        Ok(all.table)
    }

    /// The next rows of an operator: none after the last, and there may be no row among those that
    /// come.
    pub(in crate::sparql) fn pull(
        &self,
        plan: &Plan<'_>,
        cursor: &mut Cursor<'v, V>,
    ) -> Outcome<Option<Table>> {
        let own = cursor.places.remove(&plan.number);
        let mut place = own.unwrap_or_else(|| Place::before(plan));
        let pulled = self.pull_from(plan, &mut place, cursor);
        let aligned = |rows: Table| {
            if rows.names == place.names { rows } else { rows.projected(&place.names) }
        };
        let pulled = pulled.map(|rows| rows.map(aligned));
        cursor.places.insert(plan.number, place);
        pulled
    }

    fn pull_from(
        &self,
        plan: &Plan<'_>,
        place: &mut Place<'v, V>,
        cursor: &mut Cursor<'v, V>,
    ) -> Outcome<Option<Table>> {
        let timer = self.start_timer();
        let rows = match (&plan.operator, &mut place.state) {
            (_, State::Ended) => None,
            (Operator::Join(join), State::Join(joined)) => {
                // It records itself.
                return self.pull_join(plan, join, &place.names, joined);
            }
            (Operator::Slice { inner, .. }, State::Slice { skip, left }) => loop {
                if *left == 0 {
                    break None;
                }
                let Some(rows) = self.pull(inner, cursor)? else { break None };
                let start = rows.row_count.min(*skip);
                let end = rows.row_count.min(start.saturating_add(*left));
                (*skip, *left) = (*skip - start, *left - (end - start));
                if (start, end) == (0, rows.row_count) {
                    break Some(rows);
                }
                if start < end {
                    break Some(rows.between(start, end));
                }
            },
            (Operator::Distinct(inner), State::Distinct(seen)) => {
                let rows = self.pull(inner, cursor)?;
                self.meter.check(seen.len() / size_of::<u64>())?;
                rows.map(|rows| new_rows(seen, rows))
            }
            (Operator::Filter { inner, filter }, _) => {
                let of = |rows| {
                    let marks = self.passes(filter, &rows)?;
                    Ok(rows.marked(&marks))
                };
                self.pull(inner, cursor)?.map(of).transpose()?
            }
            (Operator::Extend { inner, computed }, _) => {
                let of = |rows| self.extended(rows, computed);
                self.pull(inner, cursor)?.map(of).transpose()?
            }
            (Operator::Project { inner, names }, _) => {
                self.inside_projection(names, || self.pull(inner, cursor))?
            }
            (Operator::LeftJoin { sides, filter }, _) => {
                let of = |rows| self.left_joined(&rows, &sides[1], filter.as_ref());
                self.pull(&sides[0], cursor)?.map(of).transpose()?
            }
            (Operator::Minus(sides), _) => {
                let of = |rows| self.without(rows, &sides[1]);
                self.pull(&sides[0], cursor)?.map(of).transpose()?
            }
            (Operator::Union(sides), _) => match self.pull(&sides[0], cursor)? {
                None => self.pull(&sides[1], cursor)?,
                rows => rows,
            },
            (_, state) => {
                *state = State::Ended;
                return self.run(plan, None).map(Some);
            }
        };
        let counts = rows.as_ref().map_or((0, 0), |rows| (rows.row_count as u64, rows.len()));
        self.record_rows(plan.number, timer, counts.0, counts.1);
        Ok(rows)
    }
}

/// The rows that were not met before.
fn new_rows(seen: &mut Numbering, rows: Table) -> Table {
    let (mut next, mut numbers) = (seen.count() as u32, Vec::new());
    seen.number(&rows.columns_at(0..rows.columns.len()), rows.row_count, &mut numbers);
    let is_new = |number: &u32| {
        let is_new = *number == next;
        next += u32::from(is_new);
        is_new
    };
    let marks: Vec<bool> = numbers.iter().map(is_new).collect();
    rows.marked(&marks)
}

//! A plan pulled: some of its rows at a time, for those who want few (LIMIT, ASK), and for answers
//! that are too long to be held. What can't give a row before it has seen all gives them at once,
//! or puts them into a file where memory is short.

use std::collections::HashMap;

use super::join::pull::JoinCursor;
use super::plan::operator::{Group, Operator, Plan, SortKey};
use super::spill::NextRows;
use super::spill::distinct::Distinct;
use super::spill::group::Groups;
use super::spill::sort::Sorted;
use super::state::Columns;
use super::stop::{Outcome, Stop};
use super::table::rows::Table;
use super::table::sink::{Collected, Sink};
use crate::view::View;

/// How far a plan was pulled. Another plan of the same query goes on with it.
pub(in crate::sparql) struct Cursor<'v, V: View + 'v> {
    /// Where each operator stands, by its number.
    places: HashMap<usize, Place<'v, V>>,
    /// Whether memory is short: rows that have to be held may go into a file.
    is_short: bool,
    /// Number of rows that are wanted.
    wanted: usize,
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
    /// Of a left join or MINUS: rows that were pulled and wait, the next ones last.
    Waiting(Vec<Table>),
    /// Of a join, once it has begun.
    Join(Option<Box<JoinCursor<'v, V>>>),
    /// Number of rows that are left out before those that may come.
    Slice {
        skip: usize,
        left: usize,
    },
    Distinct(Box<Distinct<'v>>),
    /// Where memory is short: of a sort, and of a group, once they have begun.
    Sort(Option<Sorted<'v>>),
    Group(Option<Groups<'v>>),
    Ended,
}

impl<'v, V: View> Cursor<'v, V> {
    /// Before the first of the rows of an operator.
    fn before(plan: &Plan<'_>) -> Cursor<'v, V> {
        let wanted = match &plan.operator {
            Operator::Slice { start, length: Some(length), .. } => start.saturating_add(*length),
            _ => usize::MAX,
        };
        Cursor { places: HashMap::new(), is_short: false, wanted }
    }

    /// Before the first of all rows, where memory is short.
    pub(in crate::sparql) fn in_little_memory() -> Cursor<'v, V> {
        Cursor { places: HashMap::new(), is_short: true, wanted: usize::MAX }
    }
}

impl<V: View> Place<'_, V> {
    fn before(plan: &Plan<'_>, is_short: bool) -> Self {
        let names = plan.names();
        let state = match &plan.operator {
            Operator::Sort { .. } if is_short => State::Sort(None),
            Operator::Group(_) if is_short => State::Group(None),
            Operator::Join(_) => State::Join(None),
            Operator::LeftJoin { .. } | Operator::Minus(_) => State::Waiting(Vec::new()),
            Operator::Slice { start, length, .. } => {
                State::Slice { skip: *start, left: length.unwrap_or(usize::MAX) }
            }
            Operator::Distinct(_) => State::Distinct(Box::new(Distinct::new(&names, is_short))),
            _ => State::Passing,
        };
        Place { names, state }
    }
}

impl<'v, V: View> Columns<'_, 'v, V> {
    /// All rows of an operator, pulled.
    pub(in crate::sparql) fn pulled(&self, plan: &Plan<'_>) -> Outcome<Table> {
        let (mut cursor, mut all) = (Cursor::before(plan), Collected::new(0, &self.meter));
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
        let mut place = own.unwrap_or_else(|| Place::before(plan, cursor.is_short));
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
                return self.pull_join(plan, join, &place.names, cursor.wanted, joined);
            }
            (Operator::Slice { inner, .. }, State::Slice { skip, left }) => {
                sliced(skip, left, &mut || self.pull(inner, cursor))?
            }
            (Operator::Distinct(inner), State::Distinct(distinct)) => {
                distinct.pull(self, &mut || self.pull(inner, cursor))?
            }
            (Operator::Sort { inner, keys }, State::Sort(sorted)) => {
                let next = &mut || self.pull(inner, cursor);
                self.pull_sorted(&place.names, keys, sorted, next)?
            }
            (Operator::Group(group), state @ State::Group(_)) => {
                self.pull_groups(plan.number, group, state)?
            }
            (Operator::Filter { inner, filter }, _) => {
                let of = |rows: Table| Ok(rows.picked(&self.passes(filter, &rows)?));
                self.pull(inner, cursor)?.map(of).transpose()?
            }
            (Operator::Extend { inner, computed }, _) => {
                let of = |rows| self.extended(rows, computed);
                self.pull(inner, cursor)?.map(of).transpose()?
            }
            (Operator::Project { inner, names }, _) => {
                self.inside_projection(names, || self.pull(inner, cursor))?
            }
            (Operator::LeftJoin { sides, filter }, State::Waiting(waiting)) => {
                let of = |rows: &Table| self.left_joined(rows, &sides[1], filter.as_ref());
                in_parts(waiting, &mut || self.pull(&sides[0], cursor), &of)?
            }
            (Operator::Minus(sides), State::Waiting(waiting)) => {
                let of = |rows: &Table| self.without(rows.copied(), &sides[1]);
                in_parts(waiting, &mut || self.pull(&sides[0], cursor), &of)?
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

    /// The next rows of a sort, where memory is short.
    fn pull_sorted(
        &self,
        names: &[String],
        keys: &[SortKey<'_>],
        sorted: &mut Option<Sorted<'v>>,
        next: &mut NextRows<'_>,
    ) -> Outcome<Option<Table>> {
        let sorted = match sorted {
            Some(sorted) => sorted,
            None => sorted.insert(self.sorted_as_they_come(names, keys, next)?),
        };
        sorted.pull(names)
    }

    /// The next groups, where memory is short.
    fn pull_groups(
        &self,
        number: usize,
        group: &Group<'_>,
        state: &mut State<'v, V>,
    ) -> Outcome<Option<Table>> {
        if let State::Group(Some(groups)) = state {
            return self.next_groups(group, groups);
        }
        let counted = self.counts_of_index(number, group)?;
        let Some(inner) = group.inner.as_ref().filter(|_| counted.is_none()) else {
            *state = State::Ended;
            return Ok(counted);
        };
        let mut cursors = [Cursor::in_little_memory(), Cursor::in_little_memory()];
        let [first, second] = &mut cursors;
        let (next, again) = (&mut || self.pull(inner, first), &mut || self.pull(inner, second));
        let mut groups = self.begin_groups(group, next, again)?;
        let rows = self.next_groups(group, &mut groups)?;
        *state = State::Group(Some(groups));
        Ok(rows)
    }
}

/// The next of some rows that are left, after some that are left out.
fn sliced(skip: &mut usize, left: &mut usize, next: &mut NextRows<'_>) -> Outcome<Option<Table>> {
    while *left > 0 {
        let Some(rows) = next()? else { return Ok(None) };
        let start = rows.row_count.min(*skip);
        let end = rows.row_count.min(start.saturating_add(*left));
        (*skip, *left) = (*skip - start, *left - (end - start));
        if (start, end) == (0, rows.row_count) {
            return Ok(Some(rows));
        }
        if start < end {
            return Ok(Some(rows.between(start, end)));
        }
    }
    Ok(None)
}

/// What becomes of the next rows; of half of them, and so on, where that needs too much memory.
fn in_parts(
    waiting: &mut Vec<Table>,
    next: &mut NextRows<'_>,
    of: &dyn Fn(&Table) -> Outcome<Table>,
) -> Outcome<Option<Table>> {
    let Some(mut rows) = waiting.pop().map_or_else(next, |rows| Ok(Some(rows)))? else {
        return Ok(None);
    };
    loop {
        match of(&rows) {
            Err(Stop::Memory(_)) if rows.row_count > 1 => {
                let half = rows.row_count / 2;
                waiting.push(rows.between(half, rows.row_count));
                rows = rows.between(0, half);
            }
            made => return made.map(Some),
        }
    }
}

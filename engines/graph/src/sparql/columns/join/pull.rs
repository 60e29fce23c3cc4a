//! A join pulled: some rows of what it begins with are joined with all the rest before the next
//! ones are read. Where they become many on the way, some of them are joined with all the rest
//! before the others: what is held is little, however many rows come.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::super::graphs::QueryBlocks;
use super::super::plan::operator::{Filter, Join, Plan};
use super::super::scan::quads::{At, QuadPattern};
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::rows::Table;
use super::super::table::sink::Collected;
use super::rest::{Item, Left, Made, Next, Rest, passing_by, rest_of};
use super::step::Way;
use crate::GraphError;
use crate::view::{Blocks as _, View};

/// Number of rows that are read first.
const ROWS_FIRST: usize = 16;
/// How many times as many are read next, where few came of them.
const GROWTH: usize = 8;
/// Number of rows, read or joined, that are enough at once.
const ROWS_ENOUGH: usize = 1 << 17;
/// What part of the memory the rows of one step may take, about.
const PARTS: usize = 8;

/// How far a join was pulled.
pub(in crate::sparql) struct JoinCursor<'v, V: View + 'v> {
    /// The rows of the parts that come early.
    early: Vec<Made>,
    source: Source<'v, V>,
    /// Number of rows that are read next.
    size: usize,
    /// Number of rows that are still wanted; 0 where more of them are than came to who wants them.
    wanted: usize,
    /// Rows that are not joined with all, and what they are to be joined with, the next ones last.
    waiting: Vec<(Table, Left)>,
}

/// What a join begins with.
enum Source<'v, V: View + 'v> {
    Quads(Box<Scanned<'v, V>>),
    /// A table, and its next row.
    Rows(Rc<Table>, usize),
}

/// A pattern whose quads are read some at a time.
struct Scanned<'v, V: View + 'v> {
    /// Its number among the operators.
    number: usize,
    blocks: QueryBlocks<'v, V>,
    /// The variables that are kept, and their places.
    names: Vec<String>,
    places: Vec<usize>,
    /// Places that have to have one id.
    equal: Vec<(usize, usize)>,
    /// Number of quads of the block, and the next one.
    count: usize,
    next: usize,
}

impl<'v, V: View> Columns<'_, 'v, V> {
    /// The next rows of a join: the variables `names`, for a caller that wants `row_count` rows in
    /// all. None after the last.
    pub(in crate::sparql) fn pull_join(
        &self,
        plan: &Plan<'_>,
        join: &Join<'_>,
        names: &[String],
        row_count: usize,
        cursor: &mut Option<Box<JoinCursor<'v, V>>>,
    ) -> Outcome<Option<Table>> {
        let timer = self.start_timer();
        let wanted: BTreeSet<String> = names.iter().cloned().collect();
        let patterns = self.patterns_of(join)?.filter(|_| self.parameters_of(join).is_empty());
        let Some(patterns) = patterns else {
            // What has no solution, or values of parameters among its rows, is made at once.
            if cursor.is_some() {
                return Ok(None);
            }
            *cursor = Some(Box::new(JoinCursor::of(Source::Rows(Rc::default(), 0), Vec::new(), 0)));
            return self.join(plan, join, None, Some(&wanted)).map(Some);
        };
        let early = match cursor {
            Some(cursor) => cursor.early.clone(),
            None => self.early_of(join)?,
        };
        let mut rest = rest_of(join, patterns, &early, Some(&wanted));
        let (first, kept) = (rest.take_first(), rest.needed());
        let filters = match &first {
            Some(Item::Quads(pattern)) => passing_by(None, pattern, &mut rest.filters),
            _ => Vec::new(),
        };
        let cursor = match cursor {
            Some(cursor) => cursor,
            None => {
                let source = self.begun(first.as_ref(), kept.as_ref())?;
                cursor.insert(Box::new(JoinCursor::of(source, early, row_count)))
            }
        };
        let joined = self.joined_of_next(&rest, &filters, cursor)?;
        let counts = joined.as_ref().map_or((0, 0), |rows| (rows.row_count as u64, rows.len()));
        self.record_rows(plan.number, timer, counts.0, counts.1);
        Ok(joined)
    }

    fn begun(
        &self,
        first: Option<&Item<'_>>,
        kept: Option<&BTreeSet<String>>,
    ) -> Outcome<Source<'v, V>> {
        Ok(match first {
            None => Source::Rows(Table::unit().into(), 0),
            Some(Item::Rows((_, table))) => Source::Rows(table.clone(), 0),
            Some(Item::Quads(pattern)) => Source::Quads(Box::new(self.begin_scan(pattern, kept)?)),
        })
    }

    fn begin_scan(
        &self,
        pattern: &QuadPattern,
        kept: Option<&BTreeSet<String>>,
    ) -> Outcome<Scanned<'v, V>> {
        let ids = pattern.ids();
        self.meter.check(self.graphs.held(pattern.count, &ids))?;
        self.meter.scanned(0)?;
        let (mut names, mut places) = (Vec::new(), Vec::new());
        for (at, place) in pattern.places.iter().enumerate() {
            if let At::Variable(name) = place
                && kept.is_none_or(|kept| kept.contains(name))
                && !names.contains(name)
            {
                names.push(name.clone());
                places.push(at);
            }
        }
        let equal = pattern.repeated();
        let is_equal = |at: usize| equal.iter().any(|(one, other)| *one == at || *other == at);
        let wanted = std::array::from_fn(|at| places.contains(&at) || is_equal(at));
        let blocks = self.graphs.blocks(&ids, wanted).map_err(failed)?;
        let number = pattern.number;
        Ok(Scanned { number, blocks, names, places, equal, count: 0, next: 0 })
    }

    /// The rows that come of some of those that a join begins with; none after the last.
    fn joined_of_next(
        &self,
        rest: &Rest<'_, '_>,
        filters: &[&Filter<'_>],
        cursor: &mut JoinCursor<'v, V>,
    ) -> Outcome<Option<Table>> {
        let (mut table, mut own) = match cursor.waiting.pop() {
            Some((rows, left)) => (rows, rest.only(&left)),
            None => match self.read(filters, cursor)? {
                Some(rows) => {
                    let mut own = rest.clone();
                    (self.apply(rows, &mut own.filters)?, own)
                }
                None => return Ok(None),
            },
        };
        while let Some(next) = self.next_joined(&table, &own)? {
            if let Some(rows) = self.too_many(&table, &next) {
                cursor.put_back(&table, rows, &own);
                table = table.between(0, rows);
            }
            let (before, mut last) = (own.clone(), Collected::new(0, &self.meter));
            match self.join_step(&table, next, &mut own, &mut last) {
                Err(Stop::Memory(_)) if table.row_count > 1 => {
                    let half = table.row_count / 2;
                    cursor.put_back(&table, half, &before);
                    (table, own) = (table.between(0, half), before);
                }
                joined => table = joined?.unwrap_or(last.table),
            }
        }
        let table = self.pass_all(table, &own)?;
        cursor.fit(table.row_count);
        Ok(Some(table))
    }

    /// The number of rows that are enough for what is next, if there are more.
    fn too_many(&self, table: &Table, next: &Next) -> Option<usize> {
        let Next::Item { fan_out, .. } = next else { return None };
        let row_len = table.names.len().max(1) * size_of::<u64>();
        let fitting = self.meter.session().memory_max() as usize / PARTS / row_len;
        let enough = fitting.clamp(1, ROWS_ENOUGH * GROWTH);
        let rows = ((enough as f64 / fan_out.max(1.0)) as usize).max(1);
        (table.row_count > rows).then_some(rows)
    }

    /// Reads the next rows of those that a join begins with, and lets them pass filters.
    fn read(
        &self,
        filters: &[&Filter<'_>],
        cursor: &mut JoinCursor<'v, V>,
    ) -> Outcome<Option<Table>> {
        let size = cursor.size;
        match &mut cursor.source {
            Source::Rows(table, next) => {
                let (start, end) = (*next, table.row_count.min(*next + size));
                *next = end;
                Ok((start < end).then(|| table.between(start, end)))
            }
            Source::Quads(scanned) => {
                let timer = self.start_timer();
                let Some(mut rows) = self.read_quads(scanned, size)? else { return Ok(None) };
                self.record_way(scanned.number, Way { turn: 1, what: "scan" });
                self.record_rows(scanned.number, timer, rows.row_count as u64, 0);
                for filter in filters {
                    rows = self.filtered(rows, filter)?;
                }
                Ok(Some(rows))
            }
        }
    }

    fn read_quads(&self, scanned: &mut Scanned<'v, V>, size: usize) -> Outcome<Option<Table>> {
        let mut rows = Table::empty(scanned.names.clone());
        while rows.row_count < size {
            if scanned.next == scanned.count {
                let Some(count) = scanned.blocks.next().map_err(failed)? else { break };
                (scanned.next, scanned.count) = (0, count);
            }
            let end = scanned.count.min(scanned.next + size - rows.row_count);
            self.meter.passed(end - scanned.next)?;
            scanned.append_to(&mut rows, end);
            scanned.next = end;
        }
        Ok((rows.row_count > 0).then_some(rows))
    }
}

impl<V: View> Scanned<'_, V> {
    /// Appends the quads of the block up to one.
    fn append_to(&self, rows: &mut Table, end: usize) {
        let ids = self.blocks.ids();
        if self.equal.is_empty() {
            for (column, place) in rows.columns.iter_mut().zip(&self.places) {
                column.extend_from_slice(&ids[*place][self.next..end]);
            }
            rows.row_count += end - self.next;
            return;
        }
        let is_equal =
            |at: &usize| self.equal.iter().all(|(one, other)| ids[*one][*at] == ids[*other][*at]);
        let quads: Vec<usize> = (self.next..end).filter(is_equal).collect();
        for (column, place) in rows.columns.iter_mut().zip(&self.places) {
            column.extend(quads.iter().map(|at| ids[*place][*at]));
        }
        rows.row_count += quads.len();
    }
}

impl<'v, V: View> JoinCursor<'v, V> {
    /// Before the first row, for a caller that wants `wanted` rows.
    fn of(source: Source<'v, V>, early: Vec<Made>, wanted: usize) -> JoinCursor<'v, V> {
        JoinCursor { early, source, size: ROWS_FIRST, wanted, waiting: Vec::new() }
    }

    /// Chooses how many rows are read next by what the last ones gave: as many as give those that
    /// are still wanted, but more than before, so that a join which has to be made whole is made in
    /// a few parts.
    fn fit(&mut self, made: usize) {
        self.wanted = self.wanted.saturating_sub(made);
        if made.saturating_mul(GROWTH) <= ROWS_ENOUGH {
            let fitting = match self.wanted {
                0 => usize::MAX,
                wanted => wanted.saturating_mul(self.size + self.size / 4) / made.max(1),
            };
            self.size = ROWS_ENOUGH.min(self.size * GROWTH).min(fitting.max(ROWS_FIRST));
        } else if made > ROWS_ENOUGH * GROWTH {
            self.size = (self.size / GROWTH).max(1);
        }
    }

    /// Lets the rows of a table from one on wait, with what is left to be done with them.
    fn put_back(&mut self, table: &Table, from: usize, rest: &Rest<'_, '_>) {
        self.waiting.push((table.between(from, table.row_count), rest.left()));
    }
}

fn failed(error: GraphError) -> Stop {
    Stop::Failed(error.into())
}

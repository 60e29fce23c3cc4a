//! A plan run some rows at a time, for those who want few: LIMIT, ASK. It ends as soon as there are
//! enough.

use super::super::rewrite::in_scope;
use super::plan::operator::{Operator, Plan};
use super::state::{Columns, Timer};
use super::stop::{Outcome, Stop};
use super::table::numbering::Numbering;
use super::table::rows::Table;
use super::table::sink::{Collected, Sink};
use super::table::spool::Spool;
use crate::view::View;

/// What becomes of some rows.
type Each<'e> = dyn FnMut(&Table) -> Outcome<Table> + 'e;

impl<V: View> Columns<'_, '_, V> {
    /// The rows of an operator from `start` on, at most `length` of them.
    pub(in crate::sparql) fn first_rows(
        &self,
        plan: &Plan<'_>,
        start: usize,
        length: usize,
    ) -> Outcome<Table> {
        let (names, mut collected) = (names_of(plan), Collected::new(0, &self.meter));
        collected.push(&Table::empty(names.clone()))?;
        self.push_first(plan, start, length, &names, &mut collected)?;
        self.meter.charge(&collected.table)?;
        Ok(collected.table)
    }

    /// Hands over the rows of an operator from `start` on, at most `length` of them.
    fn push_first(
        &self,
        plan: &Plan<'_>,
        start: usize,
        length: usize,
        names: &[String],
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let mut first = First { skip: start, left: length, sink };
        match self.run_in_batches(plan, names, &mut first) {
            Err(Stop::Enough) if first.left == 0 => Ok(()),
            outcome => outcome,
        }
    }

    /// The rows of an operator, made some at a time and put into a file: little of them is held.
    pub(in crate::sparql) fn spooled(&self, plan: &Plan<'_>) -> Outcome<Spool> {
        self.frugal.set(true);
        let names = names_of(plan);
        let mut spool = Spool::new(names.clone())?;
        self.run_in_batches(plan, &names, &mut spool)?;
        spool.rewind()?;
        self.session.count(|work| work.spilled_len += spool.len());
        Ok(spool)
    }

    /// Hands over the rows of an operator some at a time, in columns of some names.
    fn run_in_batches(
        &self,
        plan: &Plan<'_>,
        names: &[String],
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let timer = self.start_timer();
        let of_inner = |inner: &Plan<'_>, each: &mut Each<'_>, sink: &mut (dyn Sink + '_)| {
            let mut through = Through::new(each, names, sink);
            let outcome = self.run_in_batches(inner, &names_of(inner), &mut through);
            self.record_rows(plan.number, timer, through.rows, through.len());
            outcome
        };
        match &plan.operator {
            Operator::Join(join) => self.join_in_batches(plan, join, names, sink),
            Operator::Filter { inner, filter } => {
                of_inner(inner, &mut |rows| Ok(rows.picked(&self.passes(filter, rows)?)), sink)
            }
            Operator::Extend { inner, computed } => {
                of_inner(inner, &mut |rows| self.extended(rows.copied(), computed), sink)
            }
            Operator::Project { inner, names: own } => self.inside_projection(own, || {
                let mut each = |rows: &Table| Ok(rows.copied());
                let mut through = Through::new(&mut each, names, sink);
                let outcome = self.run_in_batches(inner, own, &mut through);
                self.record_rows(plan.number, timer, through.rows, through.len());
                outcome
            }),
            Operator::Distinct(inner) => {
                let mut seen = Numbering::new(names_of(inner).len());
                of_inner(inner, &mut |rows| Ok(new_rows(&mut seen, rows)), sink)
            }
            Operator::LeftJoin { sides, filter } => {
                let [left, right] = &**sides;
                let mut each = |rows: &Table| self.left_joined(rows, right, filter.as_ref());
                of_inner(left, &mut each, sink)
            }
            Operator::Minus(sides) => {
                let [left, right] = &**sides;
                of_inner(left, &mut |rows| self.without(rows.copied(), right), sink)
            }
            Operator::Union(sides) => self.union_in_batches(plan, sides, timer, names, sink),
            Operator::Slice { inner, start, length: Some(length) } if !inner.needs_all() => {
                let mut each = |rows: &Table| Ok(rows.copied());
                let mut through = Through::new(&mut each, names, sink);
                let own = names_of(inner);
                let outcome = self.push_first(inner, *start, *length, &own, &mut through);
                self.record_rows(plan.number, timer, through.rows, through.len());
                outcome
            }
            _ => sink.push(&self.run(plan, None)?.projected(names)),
        }
    }

    fn union_in_batches(
        &self,
        plan: &Plan<'_>,
        sides: &[Plan<'_>; 2],
        timer: Timer,
        names: &[String],
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let mut each = |rows: &Table| Ok(rows.copied());
        let mut through = Through::new(&mut each, names, sink);
        let mut of = |side| self.run_in_batches(side, &names_of(side), &mut through);
        let outcome = of(&sides[0]).and_then(|()| of(&sides[1]));
        self.record_rows(plan.number, timer, through.rows, through.len());
        outcome
    }
}

/// The variables of an operator's rows.
fn names_of(plan: &Plan<'_>) -> Vec<String> {
    if let Operator::Project { names, .. } = &plan.operator {
        return names.clone();
    }
    let mut names = in_scope(plan.pattern);
    names.extend(plan.graph.clone());
    names.into_iter().collect()
}

/// The rows that were not met before.
fn new_rows(seen: &mut Numbering, rows: &Table) -> Table {
    let columns = rows.columns_at(0..rows.columns.len());
    let (mut next, mut numbers) = (seen.count() as u32, Vec::new());
    seen.number(&columns, rows.row_count, &mut numbers);
    let is_new = |number: &u32| {
        let is_new = *number == next;
        next += u32::from(is_new);
        is_new
    };
    rows.picked(&numbers.iter().map(is_new).collect::<Vec<_>>())
}

/// Rows that become others on their way to a sink, in columns of some names.
struct Through<'t> {
    each: &'t mut Each<'t>,
    names: &'t [String],
    sink: &'t mut (dyn Sink + 't),
    rows: u64,
}

impl<'t> Through<'t> {
    fn new(each: &'t mut Each<'t>, names: &'t [String], sink: &'t mut (dyn Sink + 't)) -> Self {
        Through { each, names, sink, rows: 0 }
    }
}

impl Sink for Through<'_> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        let made = (self.each)(rows)?.projected(self.names);
        self.rows += made.row_count as u64;
        self.sink.push(&made)
    }

    fn len(&self) -> u64 {
        self.sink.len()
    }
}

/// The first rows on their way to a sink, after some that are left out.
struct First<'f> {
    skip: usize,
    /// Number of rows that may still come.
    left: usize,
    sink: &'f mut (dyn Sink + 'f),
}

impl Sink for First<'_> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        let skipped = self.skip.min(rows.row_count);
        let end = rows.row_count.min(skipped.saturating_add(self.left));
        self.skip -= skipped;
        // Whoever is told that there are enough is told so once the last ones are taken.
        let own: Vec<u32> = (skipped as u32..end as u32).collect();
        self.sink.push(&rows.rows(&own))?;
        self.left -= own.len();
        if self.left == 0 { Err(Stop::Enough) } else { Ok(()) }
    }

    fn len(&self) -> u64 {
        self.sink.len()
    }
}

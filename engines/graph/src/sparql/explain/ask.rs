//! A query explained: how it would be evaluated, or how it was.

use std::rc::Rc;

use manicule_core::watch::Watch;

use super::super::answer::Answer;
use super::super::columns::Trace;
use super::super::error::SparqlError;
use super::super::levels::Levels;
use super::super::query::{QueryOptions, Shaped, parse};
use super::operator::{Done, Explain, Explained, Operator, QueryTimes};
use crate::snapshot::Snapshot;
use crate::view::View;

/// Explains a query of a snapshot, as [`explain_view`]: compiled here, once.
///
/// # Errors
/// As those of the query.
pub fn explain<'v>(
    snapshot: &'v Snapshot,
    text: &str,
    options: &QueryOptions<'_>,
    how: Explain,
    watch: &'v Watch<'v>,
    clock: fn() -> u64,
) -> Result<Explained, SparqlError> {
    explain_view(snapshot, text, options, how, watch, clock)
}

/// Explains a query. To be analysed it is run and its answer read to the end. The clock shows
/// nanoseconds.
///
/// # Errors
/// As those of the query.
pub fn explain_view<'v, V: View>(
    view: &'v V,
    text: &str,
    options: &QueryOptions<'_>,
    how: Explain,
    watch: &'v Watch<'v>,
    clock: fn() -> u64,
) -> Result<Explained, SparqlError> {
    let begun_ns = clock();
    let levels = Levels::of(text)?;
    levels.run(|| {
        let query = parse(text, options.base)?;
        let shaped = Shaped::new(view, query, options, levels, watch)?.opened();
        match how {
            Explain::Plan => planned(view, &shaped),
            Explain::Analyze => analysed(view, &shaped, begun_ns, clock),
        }
    })?
}

/// The plan of a query that is not run.
fn planned<'v, V: View>(view: &'v V, shaped: &Shaped<'v>) -> Result<Explained, SparqlError> {
    let inside = shaped.plan(view, None)?;
    check_levels(&inside)?;
    let work = shaped.session.work();
    let plan = Operator { estimate: inside.estimate, inside: vec![inside], ..answer() };
    Ok(Explained { plan, work, times: None })
}

/// The plan of a query that is run.
fn analysed<'v, V: View>(
    view: &'v V,
    shaped: &Shaped<'v>,
    begun_ns: u64,
    clock: fn() -> u64,
) -> Result<Explained, SparqlError> {
    let (planned_ns, trace) = (clock(), Rc::new(Trace::new(clock)));
    read(shaped.answer(view, Some(trace.clone()))?)?;
    let (ended_ns, work) = (clock(), shaped.session.work());
    let inside = shaped.plan(view, Some(trace))?;
    check_levels(&inside)?;
    let time_ns = ended_ns.saturating_sub(planned_ns);
    let done = Done { rows: work.rows, quads: None, bytes: None, time_ns, threads: 1 };
    let estimate = inside.estimate;
    let plan = Operator { estimate, done: Some(done), inside: vec![inside], ..answer() };
    let times = QueryTimes {
        planning_ns: planned_ns.saturating_sub(begun_ns),
        total_ns: ended_ns.saturating_sub(begun_ns),
    };
    Ok(Explained { plan, work, times: Some(times) })
}

/// Maximum number of operators inside each other of a plan: those who print it call themselves for
/// each.
const LEVELS_MAX: u32 = 500;

/// Refuses a plan of too many levels.
fn check_levels(operator: &Operator) -> Result<(), SparqlError> {
    fn levels_of(operator: &Operator) -> u32 {
        1 + operator.inside.iter().map(levels_of).max().unwrap_or(0)
    }
    let (got, max) = (levels_of(operator), LEVELS_MAX);
    let what = "operators inside each other in a plan";
    if got > max { Err(SparqlError::Deep { what, max, got }) } else { Ok(()) }
}

/// The operator that reads the terms of rows.
fn answer() -> Operator {
    Operator { name: "answer".to_owned(), ..Operator::default() }
}

/// Reads an answer to its end.
fn read(answer: Answer<'_>) -> Result<(), SparqlError> {
    match answer {
        Answer::Boolean(..) => Ok(()),
        Answer::Rows(mut rows) => rows.try_for_each(|row| row.map(drop)),
        Answer::Triples(mut triples) => triples.try_for_each(|triple| triple.map(drop)),
    }
}

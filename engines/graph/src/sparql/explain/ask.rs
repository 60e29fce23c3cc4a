//! A query explained: how it would be evaluated, or how it was.

use manicule_core::watch::Watch;
use spareval::QueryExplanation;

use super::super::answer::Answer;
use super::super::dataset::Dataset;
use super::super::error::SparqlError;
use super::super::levels::Levels;
use super::super::query::{Kept, QueryOptions, Shaped, parse};
use super::estimates::Estimates;
use super::evaluated;
use super::operator::{Done, Explain, Explained, Operator, QueryPath, QueryTimes};
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
/// Row by row the evaluator looks at its own clock for each row of each operator, which takes time
/// too.
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
        let shaped = Shaped::new(view, query, levels, options, watch)?;
        match how {
            Explain::Plan => planned(view, shaped, options),
            Explain::Analyze => analysed(view, shaped, options, begun_ns, clock),
        }
    })?
}

/// The plan of a query that is not run.
fn planned<'v, V: View>(
    view: &'v V,
    mut shaped: Shaped<'v>,
    options: &QueryOptions<'_>,
) -> Result<Explained, SparqlError> {
    let plan = shaped.plan_by_columns(view)?;
    let (session, work) = (shaped.session.clone(), shaped.session.work());
    let (path, inside, work) = match plan {
        Some(plan) => {
            shown(levels_of(&plan), LEVELS_MAX)?;
            (QueryPath::Columns, plan, work)
        }
        None => {
            let why = shaped.why_rows.clone().unwrap_or_default();
            let estimates = Estimates::default();
            let uses = shaped.order(view, options, Some(&estimates))?;
            let work = session.work();
            // Over no quads: the evaluator's plan doesn't depend on them.
            let nothing = Dataset::of_rows(view, session, vec![[].into()]);
            let (_, plan) = shaped.evaluated(&uses, nothing, Kept::Plan);
            (QueryPath::Rows { why }, of_evaluator(plan, &estimates)?, work)
        }
    };
    let estimate = inside.estimate;
    let plan = Operator { estimate, inside: vec![inside], ..answer() };
    Ok(Explained { path, plan, work, times: None })
}

/// The plan of a query that is run.
fn analysed<'v, V: View>(
    view: &'v V,
    mut shaped: Shaped<'v>,
    options: &QueryOptions<'_>,
    begun_ns: u64,
    clock: fn() -> u64,
) -> Result<Explained, SparqlError> {
    let session = shaped.session.clone();
    let mut planned_ns = clock();
    let (path, inside) = match shaped.by_columns(view, Some(clock))? {
        Some((answer, plan)) => {
            read(answer)?;
            shown(plan.as_ref().map_or(0, levels_of), LEVELS_MAX)?;
            (QueryPath::Columns, plan.into_iter().collect())
        }
        None => {
            let why = shaped.why_rows.clone().unwrap_or_default();
            let estimates = Estimates::default();
            let uses = shaped.order(view, options, Some(&estimates))?;
            planned_ns = clock();
            let (rows, plan) = shaped.by_rows(view, &uses, Kept::Measured)?;
            read(rows)?;
            let inside = of_evaluator(plan, &estimates)?;
            (QueryPath::Rows { why }, vec![inside])
        }
    };
    let ended_ns = clock();
    let work = session.work();
    let time_ns = ended_ns.saturating_sub(planned_ns);
    let done = Done { rows: work.rows, quads: None, bytes: None, time_ns, threads: 1 };
    let estimate = inside.first().and_then(|operator| operator.estimate);
    let plan = Operator { estimate, done: Some(done), inside, ..answer() };
    let times = QueryTimes {
        planning_ns: planned_ns.saturating_sub(begun_ns),
        total_ns: ended_ns.saturating_sub(begun_ns),
    };
    Ok(Explained { path, plan, work, times: Some(times) })
}

/// Maximum number of operators inside each other of a plan by rows: a reader of JSON stops at 128
/// levels, two of each operator.
const JSON_LEVELS_MAX: u32 = 60;
/// The same of a vectorised plan: those who print it call themselves for each.
const LEVELS_MAX: u32 = 500;

/// Refuses a plan of too many levels.
fn shown(got: u32, max: u32) -> Result<(), SparqlError> {
    let what = "operators inside each other in a plan";
    if got > max { Err(SparqlError::Deep { what, max, got }) } else { Ok(()) }
}

/// Number of operators inside each other.
fn levels_of(operator: &Operator) -> u32 {
    1 + operator.inside.iter().map(levels_of).max().unwrap_or(0)
}

fn levels_of_json(json: &[u8]) -> u32 {
    let (mut levels, mut most, mut is_text, mut is_escaped) = (0_u32, 0, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => levels += 1,
            b'}' | b']' if !is_text => levels = levels.saturating_sub(1),
            _ => {}
        }
        most = most.max(levels);
    }
    most
}

/// The operator that reads the terms of rows.
fn answer() -> Operator {
    Operator { name: "answer".to_owned(), ..Operator::default() }
}

fn of_evaluator(
    plan: Option<QueryExplanation>,
    estimates: &Estimates,
) -> Result<Operator, SparqlError> {
    let mut json = Vec::new();
    if let Some(plan) = plan {
        plan.write_in_json(&mut json)?;
    }
    // An operator is an object in a list.
    shown(levels_of_json(&json) / 2, JSON_LEVELS_MAX)?;
    Ok(evaluated::of_evaluator(&json, estimates))
}

/// Reads an answer to its end.
fn read(answer: Answer<'_>) -> Result<(), SparqlError> {
    match answer {
        Answer::Boolean(..) => Ok(()),
        Answer::Rows(mut rows) => rows.try_for_each(|row| row.map(drop)),
        Answer::Triples(mut triples) => triples.try_for_each(|triple| triple.map(drop)),
    }
}

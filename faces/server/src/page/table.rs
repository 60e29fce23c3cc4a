//! Rows of any table of the catalogue: the first ones, or the greatest by a column with the number
//! and the sums of the others.

use std::ffi::OsString;
use std::path::Path as FilePath;
use std::task::Poll;
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use manicule::answer::{Answer, Asked, Batch, Field, JsonRows, Kind, Ranked, Top, conditions};
use manicule::catalog::{self, Arguments, Call, Table};
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use serde_json::{Map, Value, json};

use super::allowed::{is_allowed, system_of};
use super::params::Params;
use super::reply::answer;
use super::state::Page;
use crate::served::Place;

/// Maximum number of rows of an answer.
const ROWS_MAX: u64 = 5000;

/// Number of rows of a request that says none.
const ROWS: u64 = 500;

/// Length in bytes of an answer: of first rows the one that passes it is the last.
const LEN_MAX: usize = 8 << 20;

/// How often a call that waits for rows looks whether it shall end.
const LOOK: Duration = Duration::from_millis(50);

/// Rows of a table. Parameters: `place`; `columns`, `where`, `limit`, `top`; arguments of the table
/// after `a.`.
pub(super) async fn table(
    State(page): State<Page>,
    Path(name): Path<String>,
    Query(named): Query<Vec<(String, String)>>,
) -> Response {
    answer(page, move |page, watch| rows(page, &name, &Params(named), watch)).await
}

fn rows(page: &Page, name: &str, params: &Params, watch: &Watch<'_>) -> Result<String, Failure> {
    let missing = || Failure::new(ErrorClass::Missing, format!("there is no table {name}"));
    let table = catalog::table(name).ok_or_else(missing)?;
    let place = page.place(params)?;
    let system = place.kind.system().word();
    if system_of(name) != Some(system) {
        let (name, noun) = (&place.name, place.kind.noun());
        return Err(Failure::asked(format!("{} is no table of {name}, a {noun}", table.name)));
    }
    let limit = params.number("limit", ROWS, ROWS_MAX)?;
    let top = params.text("top");
    let call = Call {
        arguments: arguments(page, place, table, params)?,
        // One more says whether there are more.
        asked: asked(params, if top.is_some() { None } else { Some(limit + 1) })?,
    };
    let opened = table.open(&call)?;
    match top {
        Some(by) => greatest(opened, by, limit as usize, watch),
        None => first(opened, limit as usize, watch),
    }
}

fn arguments(
    page: &Page,
    place: &Place,
    table: &Table,
    params: &Params,
) -> Result<Arguments, Failure> {
    let mut named = Vec::new();
    for (name, text) in &params.0 {
        let Some(name) = name.strip_prefix("a.") else { continue };
        // One that the table hasn't is refused when it is opened.
        let own = table.arguments.iter().find(|argument| argument.name == name);
        if own.is_some_and(|argument| !is_allowed(argument)) {
            return Err(Failure::asked(format!("a request may not give the argument {name}")));
        }
        if !text.is_empty() {
            named.push((name.to_owned(), text.clone()));
        }
    }
    let mut own = |name: &str, text: String| named.push((name.to_owned(), text));
    if system_of(table.name) == Some("blobs") {
        // The catalogue would advise arguments that no request may give.
        page.password()?;
        if let Some(file) = &page.password_file {
            own("password_file", file_text(file)?);
        }
    }
    if table.name == "graph.solutions" {
        let bounds = page.calls.bounds();
        own("timeout", bounds.time.as_secs().max(1).to_string());
        own("memory", i64::try_from(bounds.memory).unwrap_or(i64::MAX).to_string());
    }
    Ok(Arguments { paths: vec![place.path.clone()], named })
}

fn file_text(file: &FilePath) -> Result<String, Failure> {
    let text = OsString::from(file).into_string();
    text.map_err(|file| Failure::asked(format!("{} is not UTF-8", file.display())))
}

fn asked(params: &Params, limit: Option<u64>) -> Result<Asked, Failure> {
    let columns: Vec<String> = params.texts("columns").map(str::to_owned).collect();
    let wanted = params.text("where").map_or(Ok(Vec::new()), conditions)?;
    let columns = (!columns.is_empty()).then_some(columns);
    Ok(Asked { columns, conditions: wanted, limit })
}

/// The next rows; none at the end.
fn next(answer: &mut Answer, watch: &Watch<'_>) -> Result<Option<Batch>, Failure> {
    loop {
        match answer.next_within(LOOK) {
            Poll::Ready(batch) => return batch.transpose(),
            Poll::Pending => watch.check()?,
        }
    }
}

fn first(mut answer: Answer, limit: usize, watch: &Watch<'_>) -> Result<String, Failure> {
    let fields = answer.fields().to_vec();
    let json = JsonRows::new(&fields);
    let (mut text, mut count, mut is_whole) = (String::new(), 0, true);
    'all: while let Some(batch) = next(&mut answer, watch)? {
        for row in 0..batch.row_count() {
            if count == limit || text.len() >= LEN_MAX {
                is_whole = false;
                break 'all;
            }
            text.push_str(if count > 0 { "," } else { "" });
            json.put(&batch, row, &mut text);
            count += 1;
        }
    }
    Ok(object(&fields, &text, is_whole, &Value::Null, &answer))
}

fn greatest(
    mut answer: Answer,
    by: &str,
    limit: usize,
    watch: &Watch<'_>,
) -> Result<String, Failure> {
    let fields = answer.fields().to_vec();
    let mut top = Top::new(&fields, by, limit, LEN_MAX)?;
    while let Some(batch) = next(&mut answer, watch)? {
        top.take(&batch);
    }
    let Ranked { rows, other_count, other_sums } = top.end();
    let number = |sum: i128| Value::from(i64::try_from(sum).unwrap_or(i64::MAX));
    let sums: Map<String, Value> =
        other_sums.into_iter().map(|(name, sum)| (name, number(sum))).collect();
    let others = json!({ "rows": other_count, "sums": sums });
    Ok(object(&fields, &rows.join(","), other_count == 0, &others, &answer))
}

/// The object of an answer, of which the rows are text already.
fn object(fields: &[Field], rows: &str, is_whole: bool, others: &Value, answer: &Answer) -> String {
    let columns: Vec<Value> = fields.iter().map(column).collect();
    let receipt = answer.receipt().into_iter().flatten();
    let receipt: Map<String, Value> =
        receipt.map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
    let (columns, receipt) = (Value::from(columns), Value::from(receipt));
    format!(
        "{{\"columns\":{columns},\"complete\":{is_whole},\"others\":{others},\
         \"receipt\":{receipt},\"rows\":[{rows}]}}"
    )
}

fn column(field: &Field) -> Value {
    let is_number = matches!(
        field.kind,
        Kind::Int8 | Kind::Int16 | Kind::Int32 | Kind::Int | Kind::Float32 | Kind::Float
    ) || matches!(field.kind, Kind::Decimal(_));
    json!({
        "name": field.name, "type": field.kind.word(), "about": field.about,
        "is_number": is_number,
    })
}

//! Expressions at one time, or at steps of time.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::State;
use axum::response::Response;
use manicule::cache::now_ns;
use manicule::series::dump::put_api_value;
use manicule::series::query::{Choice, ChoiceError, Expression, Steps, Work};
use manicule::series::{Moment, Value};
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};

use super::api::Api;
use super::error::ApiError;
use super::json::{self, Ended, Json, TRUNCATED};
use super::params::{Params, check_count};
use super::points::{Question, Shown, Writer, put_time};

/// How old a sample may be that stands for a later time, in milliseconds.
const LOOKBACK: i64 = 5 * 60 * 1000;

/// Maximum number of steps after the first.
const STEPS_MAX: i128 = 11_000;

/// What both kinds of queries have.
struct Asked {
    expression: Expression,
    lookback: i64,
    limit: Option<usize>,
    /// Time that it may take, in nanoseconds.
    timeout: Option<u64>,
}

impl Asked {
    fn of(params: &Params, read: &str) -> Result<Asked, ApiError> {
        let limit = params.limit()?;
        let timeout = params.duration("timeout")?.map(|timeout| timeout.max(0) as u64);
        let lookback = params.duration("lookback_delta")?.map(|lookback| lookback / 1_000_000);
        let lookback = lookback.filter(|lookback| *lookback > 0).unwrap_or(LOOKBACK);
        let text = params.get("query").unwrap_or_default();
        let parsed = Expression::parse(text);
        let expression = parsed.map_err(|error| ApiError::expression(&error, read))?;
        if let Expression::Instant(timed) | Expression::Range(timed, _) = &expression {
            check_count(timed.selector.matchers().len())?;
        }
        Ok(Asked { expression, lookback, limit, timeout })
    }
}

pub(super) async fn instant(State(api): State<Api>, params: Params) -> Result<Response, ApiError> {
    params.limit()?;
    let time = params.time("time")?.unwrap_or_else(now);
    let asked = Asked::of(&params, &api.read)?;
    let steps = Steps::at(time);
    let (timed, shown) = match asked.expression {
        Expression::Number(number) => {
            return Ok(constant(time, b"scalar", |out| put_api_value(&Value::Float(number), out)));
        }
        Expression::String(string) => {
            return Ok(constant(time, b"string", |out| {
                manicule::series::dump::put_api_string(&string, out)
            }));
        }
        Expression::Instant(timed) => (timed, Shown::Value { lookback: asked.lookback }),
        Expression::Range(timed, range) => (timed, Shown::Samples { range }),
    };
    let question = Question { timed, steps, shown };
    answer(api, question, asked.limit, asked.timeout).await
}

pub(super) async fn range(State(api): State<Api>, params: Params) -> Result<Response, ApiError> {
    params.limit()?;
    let steps = steps_of(&params)?;
    let asked = Asked::of(&params, &api.read)?;
    let kind = match asked.expression {
        Expression::Number(number) => return Ok(constants(steps, number)),
        Expression::Instant(timed) => {
            let shown = Shown::Values { lookback: asked.lookback };
            let question = Question { timed, steps, shown };
            return answer(api, question, asked.limit, asked.timeout).await;
        }
        Expression::String(_) => "string",
        Expression::Range(..) => "range vector",
    };
    let what = format!(
        "invalid expression type {kind:?} for range query, must be Scalar or instant Vector"
    );
    Err(ApiError::param("query", what))
}

/// The steps that are asked for.
fn steps_of(params: &Params) -> Result<Steps, ApiError> {
    let (start, end) = (params.needed_time("start")?, params.needed_time("end")?);
    if end < start {
        return Err(ApiError::param("end", "end timestamp must not be before start time"));
    }
    let step_ns = params.needed_duration("step")?;
    let step = step_ns / 1_000_000;
    if step <= 0 {
        let what = "zero or negative query resolution step widths are not accepted. \
                    Try a positive integer";
        return Err(ApiError::param("step", what));
    }
    let span_ns = (i128::from(end) - i128::from(start)) * 1_000_000;
    if span_ns / i128::from(step_ns) > STEPS_MAX {
        return Err(ApiError::bad(
            "exceeded maximum resolution of 11,000 points per timeseries. \
             Try decreasing the query resolution (?step=XX)",
        ));
    }
    Ok(Steps { start, end, step })
}

/// Answers a selector.
async fn answer(
    api: Api,
    question: Question,
    limit: Option<usize>,
    timeout: Option<u64>,
) -> Result<Response, ApiError> {
    let data = api.data;
    json::answer(&api.calls, move |json, watch| {
        let moment = data.moment();
        let Some(timeout) = timeout else { return write(&question, limit, &moment, json) };
        // The shorter of the two times counts.
        let (report, stop) = (|_| {}, || watch.is_over());
        let own = Watch::new(&report, &stop).until(now_ns().saturating_add(timeout), now_ns);
        let written = own.check().map_err(Failure::from);
        let meter = own.silent();
        let written = written
            .and_then(|()| json.watched_by(&meter, |json| write(&question, limit, &moment, json)));
        match written {
            Err(failure) if failure.class() == ErrorClass::Stopped && own.deadline_passed() => {
                let text = "query timed out in expression evaluation";
                Err(Failure::new(ErrorClass::Stopped, text))
            }
            written => written,
        }
    })
    .await
}

/// Writes the data of an answer; returns its warnings.
fn write(
    question: &Question,
    limit: Option<usize>,
    moment: &Moment,
    json: &mut Json<'_, '_>,
) -> Result<Vec<String>, Failure> {
    let mut warnings = json::left_out(moment);
    let choice = Choice { resolution: Some(0), aggregate: None };
    let blocks = moment
        .within(question.times())
        .choose(choice)
        .map_err(|error: ChoiceError| Failure::new(error.class(), error))?;
    let selectors = [question.timed.selector.clone()];
    let mut rows = blocks.with_samples().series(&selectors, &mut Work::default())?;
    json.put(match question.shown {
        Shown::Value { .. } => b"{\"resultType\":\"vector\",\"result\":[",
        _ => b"{\"resultType\":\"matrix\",\"result\":[",
    });
    let mut writer = Writer { question, limit, json, count: 0 };
    while let Some(row) = rows.next()? {
        match writer.row(&row) {
            Ok(()) => {}
            Err(Ended::Failure(failure)) => return Err(failure),
            Err(Ended::Enough) => {
                warnings.push(TRUNCATED.to_owned());
                break;
            }
        }
    }
    json.put(b"]}");
    Ok(warnings)
}

/// An answer that depends on no series.
fn constant(time: i64, kind: &[u8], put: impl FnOnce(&mut Vec<u8>)) -> Response {
    let mut text = [b"{\"resultType\":\"", kind, b"\",\"result\":["].concat();
    put_time(time, &mut text);
    text.push(b',');
    put(&mut text);
    text.extend_from_slice(b"]}");
    json::ready(&String::from_utf8_lossy(&text))
}

/// A number at steps: a series without labels.
fn constants(steps: Steps, number: f64) -> Response {
    let mut text = b"{\"resultType\":\"matrix\",\"result\":[{\"metric\":{},\"values\":[".to_vec();
    for (place, time) in steps.times().enumerate() {
        text.extend_from_slice(if place == 0 { b"[" } else { b",[" });
        put_time(time, &mut text);
        text.push(b',');
        put_api_value(&Value::Float(number), &mut text);
        text.push(b']');
    }
    text.extend_from_slice(b"]}]}");
    json::ready(&String::from_utf8_lossy(&text))
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

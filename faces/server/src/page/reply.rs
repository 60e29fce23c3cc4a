//! Answers of the page: JSON objects with the time that they took, and errors with their classes.

use std::time::Instant;

use axum::extract::{Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use serde_json::json;

use super::params::Params;
use super::state::Page;
use crate::refusal::status;

/// Computes an answer: the text of a JSON object that has an entry.
pub(super) type Job = fn(&Page, &Params, &Watch<'_>) -> Result<String, Failure>;

/// A route whose answers a job computes.
pub(super) fn json(job: Job) -> MethodRouter<Page> {
    get(move |State(page): State<Page>, Query(named): Query<Vec<(String, String)>>| async move {
        answer(page, move |page, watch| job(page, &Params(named), watch)).await
    })
}

/// Does a job within the server's bounds.
pub(super) async fn answer(
    page: Page,
    job: impl FnOnce(&Page, &Watch<'_>) -> Result<String, Failure> + Send + 'static,
) -> Response {
    let calls = page.calls.clone();
    let timed = move |watch: &Watch<'_>| {
        let started = Instant::now();
        let object = job(&page, watch)?;
        Ok(with_time(&object, started))
    };
    match calls.run(timed).await {
        Ok(text) => with_type("application/json", text),
        Err(failure) => refused(&failure),
    }
}

/// An object with the milliseconds since then as its first entry.
fn with_time(object: &str, started: Instant) -> String {
    let ms = started.elapsed().as_secs_f64() * 1000.0;
    format!("{{\"took_ms\":{ms:.1},{}", &object[1..])
}

/// A body of a type, which nobody keeps.
pub(super) fn with_type(media: &'static str, body: impl IntoResponse) -> Response {
    let headers =
        [(CONTENT_TYPE, media), (CACHE_CONTROL, "no-store"), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
    (headers, body).into_response()
}

/// An error with its class, from which the page says what to do.
pub(super) fn refused(failure: &Failure) -> Response {
    let body = json!({ "class": word(failure.class()), "error": failure.to_string() });
    (status(failure.class()), with_type("application/json", body.to_string())).into_response()
}

/// One word for a class.
pub(super) fn word(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Missing => "missing",
        ErrorClass::Asked => "asked",
        ErrorClass::Denied => "denied",
        ErrorClass::Damaged => "damaged",
        ErrorClass::Busy => "busy",
        ErrorClass::TooMuch => "too_much",
        ErrorClass::Stopped => "stopped",
        ErrorClass::Unsupported => "unsupported",
        ErrorClass::Failed => "failed",
    }
}

//! zoekt's JSON API over shards: `POST /api/search` and `POST /api/list`.
//!
//! Bytes:   docs/guide/serve-zoekt-and-restic.md

use std::sync::Arc;
use std::thread::available_parallelism;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use manicule::Failure;
use manicule::code::Shards;
use manicule::code::api::{self, ListRequest, SearchRequest, error_json};
use manicule::watch::Watch;

use crate::answer::Out;
use crate::calls::Calls;
use crate::refusal::status;

/// Maximum length of a request's body in bytes: some 400,000 ids of repositories.
const BODY_LEN_MAX: usize = 4 << 20;

/// What each request sees.
#[derive(Clone)]
struct Served {
    shards: Arc<Shards>,
    calls: Calls,
    threads: usize,
}

/// The routes of shards.
pub(crate) fn routes(shards: &Arc<Shards>, calls: &Calls) -> Router {
    let threads = available_parallelism().map_or(1, usize::from);
    let served = Served { shards: Arc::clone(shards), calls: calls.clone(), threads };
    let asked = |answers: Answers| {
        any(move |State(served): State<Served>, method: Method, body| async move {
            served.answer(&method, body, answers).await
        })
    };
    Router::new()
        .route("/api/search", asked(search))
        .route("/api/list", asked(list))
        .layer(DefaultBodyLimit::max(BODY_LEN_MAX))
        .with_state(served)
}

/// What answers a request's body.
type Answers = fn(&Served, &[u8], &mut Out, &Watch<'_>) -> Result<(), Failure>;

fn search(served: &Served, body: &[u8], out: &mut Out, watch: &Watch<'_>) -> Result<(), Failure> {
    let request = SearchRequest::read(body).map_err(Failure::asked)?;
    Ok(api::search(&served.shards.moment(), &request, served.threads, watch, out)?)
}

fn list(served: &Served, body: &[u8], out: &mut Out, watch: &Watch<'_>) -> Result<(), Failure> {
    let request = ListRequest::read(body).map_err(Failure::asked)?;
    Ok(api::list(&served.shards.moment(), &request, served.threads, watch, out)?)
}

impl Served {
    async fn answer(
        &self,
        method: &Method,
        body: Result<Bytes, BytesRejection>,
        answers: Answers,
    ) -> Response {
        if *method != Method::POST {
            let mut refused = refuse(StatusCode::METHOD_NOT_ALLOWED, "only POST is supported");
            refused.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
            return refused;
        }
        let body = match body {
            Ok(body) => body,
            Err(error) => return refuse(error.status(), &error.body_text()),
        };
        let served = self.clone();
        let job = move |out: &mut Out, watch: &Watch<'_>| answers(&served, &body, out, watch);
        match self.calls.stream(job).await {
            Ok(body) => json(StatusCode::OK, body),
            Err(failure) => refuse(status(failure.class()), &failure.to_string()),
        }
    }
}

fn refuse(status: StatusCode, sentence: &str) -> Response {
    let mut response = json(status, Body::from(error_json(sentence)));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

fn json(status: StatusCode, body: Body) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body).into_response()
}

//! Remote read: a Prometheus or Thanos asks for series of some times, and gets their samples, or
//! their chunks as they lie.
//!
//! | file | what |
//! |---|---|
//! | request.rs | what is asked; question.rs: of blocks; wire.rs: fields of protocol buffers |
//! | samples.rs | answers of samples, in one piece, Snappy |
//! | chunks.rs | answers of chunks, in frames that are streamed |
//!
//! Bytes:   docs/formats/prometheus-remote-read.md

mod chunks;
mod question;
mod request;
mod samples;
mod wire;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use manicule::watch::Watch;

use self::question::Question;
use self::request::{AnswerKind, ReadRequest};
use super::api::Api;
use super::params::MATCHERS_MAX;
use crate::answer::Out;
use crate::refusal::{plain, refuse};

/// Queries of one request at most: a Prometheus sends one.
const QUERIES_MAX: usize = 1000;

pub(super) async fn read(State(api): State<Api>, request: Request) -> Response {
    answer(api, request).await.unwrap_or_else(|response| response)
}

async fn answer(api: Api, request: Request) -> Result<Response, Response> {
    let bad = |text: &str| plain(StatusCode::BAD_REQUEST, text);
    let body = Bytes::from_request(request, &()).await;
    let body = body.map_err(|error| plain(error.status(), &error.body_text()))?;
    let ReadRequest { queries, accepted } =
        request::decode(&body).map_err(|fault| bad(&fault.to_string()))?;
    let kind = AnswerKind::chosen(&accepted).ok_or_else(|| {
        bad(&format!(
            "server does not support any of the requested response types: {accepted:?}; \
             supported: 0 (SAMPLES), 1 (STREAMED_XOR_CHUNKS)"
        ))
    })?;
    let matchers: usize = queries.iter().map(|query| query.matchers.len()).sum();
    if queries.len() > QUERIES_MAX || matchers > MATCHERS_MAX {
        let most = format!("{QUERIES_MAX} queries and {MATCHERS_MAX} label matchers");
        return Err(bad(&format!("more than {most} in one request")));
    }
    // As Prometheus says it: 500.
    let questions: Result<Vec<Question>, String> = queries.into_iter().map(Question::of).collect();
    let questions = questions.map_err(|text| plain(StatusCode::INTERNAL_SERVER_ERROR, &text))?;
    let (calls, data) = (api.calls, api.data);
    match kind {
        AnswerKind::Samples => {
            let memory = calls.bounds().memory;
            let job =
                move |watch: &Watch<'_>| samples::answer(&questions, &data.moment(), memory, watch);
            let bytes = calls.run(job).await.map_err(|failure| refuse(&failure))?;
            let kind = [(CONTENT_TYPE, "application/x-protobuf"), (CONTENT_ENCODING, "snappy")];
            Ok((kind, bytes).into_response())
        }
        AnswerKind::Chunks => {
            let job = move |out: &mut Out, watch: &Watch<'_>| {
                chunks::answer(&questions, &data.moment(), out, watch)
            };
            let body = calls.stream(job).await.map_err(|failure| refuse(&failure))?;
            let kind = "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse";
            Ok(([(CONTENT_TYPE, kind)], body).into_response())
        }
    }
}

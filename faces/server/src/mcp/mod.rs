//! Tools for programs over HTTP: the Model Context Protocol's Streamable HTTP at `/mcp`, without
//! sessions. Each message is a POST of its own; what is asked names places, and no path.
//!
//! A revision with a handshake is said by the header `MCP-Protocol-Version` of each request, so
//! nothing is kept from one to the next: no `Mcp-Session-Id` is given, and no stream for GET.
//!
//! | file | what |
//! |---|---|
//! | mod.rs | a request and its answer |
//! | headers.rs | what headers say beside the message |
//! | events.rs | an answer with progress before it, as server-sent events |

mod events;
mod headers;

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use manicule::Failure;
use manicule::cache::Cache;
use manicule::watch::Watch;
use manicule_mcp::json_rpc::{Id, Message, RpcError, Sent, code, read, response};
use manicule_mcp::{Answered, Options, Places, Revision, Roots, Service};
use serde_json::{Map, Value};

use crate::calls::Calls;
use crate::served::{Place, Served};
use headers::revision;

/// Maximum length of a message in bytes: questions are short.
const MESSAGE_MAX: usize = 1 << 20;
/// Bytes of an answer, where the call says no budget.
const ANSWER_LEN: usize = 16 << 10;

/// What the endpoint has.
#[derive(Clone, Debug)]
struct Endpoint {
    service: Arc<Service>,
    calls: Calls,
}

/// The endpoint, over all places.
pub(crate) fn routes(served: &Served, calls: &Calls) -> Router {
    let named = |place: &Place| (place.name.clone(), place.path.clone());
    let service = Service::new(Options {
        places: Places::Named(served.places().iter().map(named).collect()),
        answer_len: ANSWER_LEN,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        cache: Cache::of_user(),
        // The server starts no program for a request.
        program: None,
        // Whoever asks is not who set the environment.
        has_passwords: false,
    });
    Router::new()
        .route("/mcp", post(answer))
        .layer(DefaultBodyLimit::max(MESSAGE_MAX))
        .with_state(Endpoint { service: Arc::new(service), calls: calls.clone() })
}

async fn answer(State(endpoint): State<Endpoint>, headers: HeaderMap, body: Bytes) -> Response {
    match read(&body) {
        Sent::One(Err(refused)) => json(StatusCode::BAD_REQUEST, refused.response()),
        Sent::One(Ok(Message::Request { id, method, params })) => {
            match revision(&headers, &method, &params) {
                Ok(revision) => endpoint.request(id, &method, params, revision, &headers).await,
                Err(error) => json(StatusCode::BAD_REQUEST, error.response(Some(&id))),
            }
        }
        // Nothing was asked of the client, and a call ends with its connection.
        Sent::One(Ok(Message::Notification { .. } | Message::Response { .. })) => {
            StatusCode::ACCEPTED.into_response()
        }
        Sent::Batch(messages) => match revision(&headers, "", &Map::new()) {
            Ok(Revision::Batches) => endpoint.batch(messages).await,
            _ => {
                let error = RpcError::new(code::INVALID_REQUEST, "messages come one by one");
                json(StatusCode::BAD_REQUEST, error.response(None))
            }
        },
    }
}

impl Endpoint {
    async fn request(
        &self,
        id: Id,
        method: &str,
        params: Map<String, Value>,
        revision: Revision,
        headers: &HeaderMap,
    ) -> Response {
        let token = headers::takes_events(headers).then(|| progress_token(&params)).flatten();
        if let (Some(token), "tools/call") = (token, method) {
            let call = events::Call { id: id.clone(), params, revision, token };
            let answered = events::answer(Arc::clone(&self.service), &self.calls, call).await;
            return answered.unwrap_or_else(|failure| {
                json(StatusCode::OK, response(&id, &self.refused(failure, revision)))
            });
        }
        match self.answered(method, params, revision).await {
            Ok(result) => json(StatusCode::OK, response(&id, &result)),
            Err(error) => json(status(&error, revision), error.response(Some(&id))),
        }
    }

    /// The responses to a batch, each after the one before.
    async fn batch(
        &self,
        messages: Vec<Result<Message, manicule_mcp::json_rpc::Refused>>,
    ) -> Response {
        let mut texts = Vec::new();
        for message in messages {
            match message {
                Err(refused) => texts.push(refused.response()),
                Ok(Message::Request { id, method, params }) => {
                    let answered = self.answered(&method, params, Revision::Batches).await;
                    texts.push(answered.map_or_else(
                        |error| error.response(Some(&id)),
                        |result| response(&id, &result),
                    ));
                }
                Ok(Message::Notification { .. } | Message::Response { .. }) => {}
            }
        }
        if texts.is_empty() {
            return StatusCode::ACCEPTED.into_response();
        }
        json(StatusCode::OK, format!("[{}]", texts.join(",")))
    }

    async fn answered(
        &self,
        method: &str,
        params: Map<String, Value>,
        revision: Revision,
    ) -> Answered {
        match method {
            "initialize" => self.service.initialize(&params).map(|(_, result)| result),
            "tools/call" => {
                let service = Arc::clone(&self.service);
                let run = move |watch: &Watch<'_>| {
                    Ok(service.call_tool(&params, revision, &Roots::Unconfined, watch))
                };
                self.calls
                    .run(run)
                    .await
                    .unwrap_or_else(|failure| Ok(self.refused(failure, revision)))
            }
            _ => self.service.method(method, &params, revision),
        }
    }

    /// The result of a call that was not begun.
    fn refused(&self, failure: Failure, revision: Revision) -> Box<serde_json::value::RawValue> {
        self.service.refused(failure, revision)
    }
}

/// What progress is reported by, where the request wants it.
fn progress_token(params: &Map<String, Value>) -> Option<Value> {
    params.get("_meta")?.get("progressToken").cloned()
}

/// The status of an error: revisions with a handshake have it in a response like any other.
fn status(error: &RpcError, revision: Revision) -> StatusCode {
    match (revision, error.code) {
        (Revision::Stateless, code::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        (Revision::Stateless, code::INTERNAL) => StatusCode::INTERNAL_SERVER_ERROR,
        (Revision::Stateless, _) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

fn json(status: StatusCode, text: String) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], text).into_response()
}

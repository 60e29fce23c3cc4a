//! An answer with progress before it: server-sent events, of which the last is the response.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use manicule::Failure;
use manicule::watch::Watch;
use manicule_mcp::json_rpc::{Id, notification, response};
use manicule_mcp::{Progress, Revision, Roots, Service};
use serde_json::{Map, Value};

use crate::answer::Out;
use crate::calls::Calls;

/// A call whose progress is wanted.
pub(super) struct Call {
    pub(super) id: Id,
    pub(super) params: Map<String, Value>,
    pub(super) revision: Revision,
    pub(super) token: Value,
}

/// Answers a call. Where the client leaves, the call ends.
///
/// # Errors
/// A call that is not begun.
pub(super) async fn answer(
    service: Arc<Service>,
    calls: &Calls,
    call: Call,
) -> Result<Response, Failure> {
    let streamed = calls.stream(move |out, watch| {
        let Call { id, params, revision, token } = call;
        let (progress, out) = (Progress::new(token), Mutex::new(out));
        let report = |done| {
            if let Some(params) = progress.next(done, std::time::Instant::now()) {
                // A client that has left ends the watch.
                let _ = put(&out, &notification("notifications/progress", &params));
            }
        };
        let stop = || watch.is_over();
        let own = Watch::new(&report, &stop);
        let answered = service.call_tool(&params, revision, &Roots::Unconfined, &own);
        let text = answered
            .map_or_else(|error| error.response(Some(&id)), |result| response(&id, &result));
        let _ = put(&out, &text);
        Ok(())
    });
    let body = streamed.await?;
    let unbuffered = HeaderName::from_static("x-accel-buffering");
    let headers = [(CONTENT_TYPE, "text/event-stream"), (unbuffered, "no")];
    Ok((StatusCode::OK, headers, body).into_response())
}

/// Writes an event, and has it sent.
fn put(out: &Mutex<&mut Out>, message: &str) -> std::io::Result<()> {
    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
    write!(out, "event: message\ndata: {message}\n\n")?;
    out.hand_over()
}

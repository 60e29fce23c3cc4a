//! restic's REST protocol over a repository's files, read-only: lists of versions 1 and 2, files
//! and parts of them. Locks are taken and forgotten, everything else that would write is refused.
//!
//! | file | what |
//! |---|---|
//! | asked.rs | what a request asks for |
//! | files.rs | its files and lists |
//!
//! restic tries for minutes what is answered with a status of 500 or more, so what will never work
//! has one below.
//!
//! Bytes:   docs/formats/restic.md; docs/guide/serve-zoekt-and-restic.md

mod asked;
mod files;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, IF_RANGE, RANGE};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use http_body_util::BodyExt;
use manicule::blobs::RawFiles;
use manicule::{ErrorClass, Failure};

use crate::calls::Calls;
use crate::refusal::{plain, status};
use asked::Asked;

/// Bytes of a body that is refused and read all the same: restic's largest pack. A client that
/// is still sending does not see an answer.
const REFUSED_LEN_MAX: u64 = 160 << 20;

/// Longest lock, in bytes. restic's have some 300.
const LOCK_LEN_MAX: u64 = 64 << 10;

/// What each request sees.
#[derive(Clone)]
struct Served {
    files: Arc<RawFiles>,
    calls: Calls,
}

/// The routes of a repository.
pub(crate) fn routes(files: &Arc<RawFiles>, calls: &Calls) -> Router {
    let served = Served { files: Arc::clone(files), calls: calls.clone() };
    let mut router = Router::new().route("/config", any(answer));
    for folder in ["keys", "locks", "snapshots", "index", "data"] {
        router = router
            .route(&format!("/{folder}/"), any(answer))
            .route(&format!("/{folder}/{{name}}"), any(answer));
    }
    router.with_state(served)
}

async fn answer(State(served): State<Served>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let (method, path) = (parts.method.as_str(), parts.uri.path());
    let asked = Asked::of(method, path, &accepted(&parts.headers), range(&parts.headers));
    let answer = match asked {
        Asked::List(kind, form) => served.list(kind, form).await,
        Asked::Look(file) => served.look(file).await,
        Asked::Read(file, part) => served.read(file, part).await,
        Asked::Lock => Ok(lock(body).await),
        Asked::Write => {
            pass(body, REFUSED_LEN_MAX).await;
            let sentence = "the repository is served to be read, and nothing in it is changed";
            Ok(plain(StatusCode::FORBIDDEN, sentence))
        }
        Asked::Method => Ok(plain(StatusCode::METHOD_NOT_ALLOWED, "no such method")),
        Asked::Nothing => {
            pass(body, REFUSED_LEN_MAX).await;
            Ok(plain(StatusCode::NOT_FOUND, "a repository has no such file"))
        }
    };
    answer.unwrap_or_else(|failure| refuse(&failure))
}

/// The media types that a client accepts.
fn accepted(headers: &HeaderMap) -> Vec<u8> {
    let values: Vec<&[u8]> = headers.get_all(ACCEPT).iter().map(|value| value.as_bytes()).collect();
    values.join(&b","[..])
}

/// The part that a client asks for. With a condition that holds for no version of a file, as files
/// have none here, it asks for all of it.
fn range(headers: &HeaderMap) -> Option<&[u8]> {
    let value = |name: HeaderName| headers.get(name).map(|value| value.as_bytes());
    value(RANGE).filter(|_| value(IF_RANGE).is_none())
}

/// Takes a lock, and forgets it: nobody writes here, so that it guards nothing.
async fn lock(body: Body) -> Response {
    if pass(body, LOCK_LEN_MAX).await {
        StatusCode::OK.into_response()
    } else {
        plain(StatusCode::PAYLOAD_TOO_LARGE, "no lock is as long")
    }
}

/// Reads a body and drops it. Whether it ended within `len_max` bytes.
async fn pass(mut body: Body, len_max: u64) -> bool {
    let mut len = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        len += frame.data_ref().map_or(0, |data| data.len() as u64);
        if len > len_max {
            return false;
        }
    }
    true
}

fn refuse(failure: &Failure) -> Response {
    let status = match failure.class() {
        ErrorClass::Asked | ErrorClass::Unsupported => StatusCode::NOT_FOUND,
        class => status(class),
    };
    plain(status, &failure.to_string())
}

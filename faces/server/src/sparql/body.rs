//! Requests as texts: their bodies, read whole within the memory of all calls, and what their
//! headers say.

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::request::Parts as Head;
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError};
use manicule::Failure;
use manicule::context::{Context, Held};

use super::refused::Refused;
use super::request::Parts;
use super::trouble::Trouble;
use crate::refusal::TOO_LONG;

/// Length up to which a body holds nothing, in bytes.
const FREE_LEN: usize = 64 << 10;

/// Bytes of memory that are taken at once.
const STEP: u64 = 1 << 20;

/// Bytes that a call holds for each byte of its body: a copy, and what it is parsed into.
const HELD_FOR_EACH: u64 = 4;

/// A request whose body is read.
pub(super) struct Read {
    pub(super) parts: Head,
    pub(super) body: Vec<u8>,
    /// Memory for what is made of it.
    pub(super) held: Held,
}

/// Reads the body of a request.
pub(super) async fn read(request: Request, context: &Context) -> Result<Read, Trouble> {
    let (mut body, mut held) = (Vec::new(), context.hold_nothing());
    if request.body().is_end_stream() {
        return Ok(Read { parts: request.into_parts().0, body, held });
    }
    let (parts, mut frames) = request.into_parts();
    while let Some(frame) = frames.frame().await {
        let frame = frame.map_err(|error| unreadable(&error))?;
        let Ok(bytes) = frame.into_data() else { continue };
        body.extend_from_slice(&bytes);
        if body.len() > FREE_LEN {
            let len = (body.len() as u64 * HELD_FOR_EACH).next_multiple_of(STEP);
            held.raise(len).map_err(|over| Failure::new(over.class(), over))?;
        }
    }
    Ok(Read { parts, body, held })
}

/// The parts that say what a request asks for.
pub(super) fn parts_of<'r>(head: &'r Head, body: &'r [u8]) -> Parts<'r> {
    // What is no text is no media type.
    let content_type = head.headers.get(CONTENT_TYPE).map(|own| own.to_str().unwrap_or_default());
    let query = head.uri.query().unwrap_or_default();
    Parts { method: head.method.as_str(), query, content_type, body }
}

/// What a request accepts.
pub(super) fn accept(headers: &HeaderMap) -> Option<String> {
    let mut all = headers.get_all(ACCEPT).iter().map(|own| own.to_str().unwrap_or_default());
    let first = all.next()?.to_owned();
    Some(all.fold(first, |all, own| all + "," + own))
}

fn unreadable(error: &axum::Error) -> Refused {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<LengthLimitError>() {
            return Refused::too_long(TOO_LONG);
        }
        cause = error.source();
    }
    Refused::bad(format!("the body can't be read: {error}"))
}

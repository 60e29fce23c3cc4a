//! Bodies of requests, read whole within the memory of all calls.

use axum::RequestExt;
use axum::extract::Request;
use axum::http::request::Parts;
use http_body_util::{BodyExt, LengthLimitError};
use manicule::Failure;
use manicule::context::{Context, Held};

use super::refused::Refused;
use super::trouble::Trouble;

/// Length up to which a body holds nothing, in bytes.
const FREE_LEN: usize = 64 << 10;

/// Bytes of memory that are taken at once.
const STEP: u64 = 1 << 20;

/// Bytes that a call holds for each byte of its body: a copy, and what it is parsed into.
const HELD_FOR_EACH: u64 = 4;

/// A request whose body is read.
pub(super) struct Read {
    pub(super) parts: Parts,
    pub(super) body: Vec<u8>,
    /// Memory for what is made of it.
    pub(super) held: Held,
}

/// Reads the body of a request.
pub(super) async fn read(request: Request, context: &Context) -> Result<Read, Trouble> {
    let (parts, mut frames) = request.with_limited_body().into_parts();
    let (mut body, mut held) = (Vec::new(), context.hold_nothing());
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

fn unreadable(error: &axum::Error) -> Refused {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<LengthLimitError>() {
            return Refused::too_long();
        }
        cause = error.source();
    }
    Refused::bad(format!("the body can't be read: {error}"))
}

//! What failed, in words and kinds of ours.

use std::error::Error;
use std::io::{self, ErrorKind};

use object_store::Error as ObjectError;
use object_store::client::{HttpError, HttpErrorKind};

/// What the errors of `object_store` say before the status of an answer. Its error with the status
/// as a number is not public.
const STATUS: &str = "non-2xx status code: ";

/// Codes of S3 that the status alone does not distinguish, and what they mean.
const CODES: &[(&str, ErrorKind, &str)] = &[
    ("InvalidObjectState", ErrorKind::Unsupported, "it is archived, and has to be restored first"),
    ("BlobArchived", ErrorKind::Unsupported, "it is archived, and has to be restored first"),
    ("ExpiredToken", ErrorKind::PermissionDenied, "the credentials have expired"),
    ("InvalidToken", ErrorKind::PermissionDenied, "the credentials are not valid"),
    ("RequestTimeTooSkewed", ErrorKind::PermissionDenied, "this machine's clock is wrong"),
    ("AuthorizationHeaderMalformed", ErrorKind::InvalidInput, "the region is not the bucket's"),
    ("NoSuchBucket", ErrorKind::NotFound, "there is no such bucket"),
];

/// The error of an object that is of another version than the one that was seen.
pub(crate) fn replaced() -> io::Error {
    io::Error::new(ErrorKind::StaleNetworkFileHandle, "replaced since it was opened")
}

/// The same error with something to add to its words.
pub(crate) fn with_context(error: io::Error, what: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{error}; {what}"))
}

/// Status of the answer that an error is about.
pub(crate) fn status_of(error: &ObjectError) -> Option<u16> {
    let text = error.to_string();
    let after = &text[text.find(STATUS)? + STATUS.len()..];
    after.get(..3)?.parse().ok()
}

/// An error of an object, in words and kinds of ours.
pub(crate) fn io_error(error: &ObjectError) -> io::Error {
    let text = error.to_string();
    let (kind, what) = match error {
        _ if let Some((_, kind, what)) = code_of(&text) => (*kind, (*what).to_owned()),
        ObjectError::NotFound { .. } => return ErrorKind::NotFound.into(),
        ObjectError::AlreadyExists { .. } | ObjectError::Precondition { .. } => return replaced(),
        ObjectError::NotSupported { .. } | ObjectError::NotImplemented { .. } => {
            (ErrorKind::Unsupported, innermost(error))
        }
        _ => match status_of(error) {
            // Of listings all errors have one kind.
            Some(404) => return ErrorKind::NotFound.into(),
            Some(409 | 412) => return replaced(),
            Some(401 | 403) => (ErrorKind::PermissionDenied, said(&text)),
            Some(301 | 307) => (ErrorKind::InvalidInput, REDIRECTED.to_owned()),
            Some(429 | 503) => (ErrorKind::ResourceBusy, said(&text)),
            Some(405 | 501) => (ErrorKind::Unsupported, said(&text)),
            Some(_) => (ErrorKind::Other, said(&text)),
            None if text.contains("redirect without LOCATION") => {
                (ErrorKind::InvalidInput, REDIRECTED.to_owned())
            }
            None => return of_wire(error),
        },
    };
    io::Error::new(kind, what)
}

const REDIRECTED: &str = "the server sends requests elsewhere: the region is not the bucket's";

fn code_of(text: &str) -> Option<&'static (&'static str, ErrorKind, &'static str)> {
    let code = between(text, "<Code>", "</Code>")?;
    CODES.iter().find(|(known, ..)| *known == code)
}

/// What the server said: its status, code and message.
fn said(text: &str) -> String {
    let Some(at) = text.find(STATUS) else { return text.to_owned() };
    let answer = &text[at + STATUS.len()..];
    let status = answer.split_once(": ").map_or(answer, |(status, _)| status).trim();
    let parts = [("<Code>", "</Code>"), ("<Message>", "</Message>")];
    let parts = parts.into_iter().filter_map(|(start, end)| between(answer, start, end));
    let parts: Vec<_> = [status].into_iter().chain(parts).collect();
    format!("the server answers {}", parts.join(": "))
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(start)?;
    Some(after.split_once(end)?.0)
}

/// An error on the way to the server and back.
fn of_wire(error: &ObjectError) -> io::Error {
    let mut cause: &dyn Error = error;
    let kind = loop {
        if let Some(wire) = cause.downcast_ref::<HttpError>() {
            break Some(wire.kind());
        }
        match cause.source() {
            Some(next) => cause = next,
            None => break None,
        }
    };
    let kind = match kind {
        Some(HttpErrorKind::Timeout) => ErrorKind::TimedOut,
        Some(HttpErrorKind::Connect) => ErrorKind::NotConnected,
        Some(HttpErrorKind::Interrupted | HttpErrorKind::Request) => ErrorKind::ConnectionReset,
        _ => ErrorKind::Other,
    };
    io::Error::new(kind, innermost(error))
}

/// The words of the cause of all causes.
pub(super) fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

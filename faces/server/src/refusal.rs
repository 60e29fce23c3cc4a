//! Errors as statuses of HTTP, for protocols that have no words of their own.

use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use manicule::{ErrorClass, Failure};

/// What is said of a body that is too long.
pub(crate) const TOO_LONG: &str =
    "the body is longer than --max-body; send it in parts, or load the file";

/// Status of an error. Where the same request may succeed later it is 503, so that clients try
/// again; nothing else is one that they would.
pub(crate) fn status(class: ErrorClass) -> StatusCode {
    match class {
        ErrorClass::Missing => StatusCode::NOT_FOUND,
        ErrorClass::Asked => StatusCode::BAD_REQUEST,
        ErrorClass::Denied => StatusCode::FORBIDDEN,
        ErrorClass::TooMuch => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorClass::Unsupported => StatusCode::NOT_IMPLEMENTED,
        ErrorClass::Busy | ErrorClass::Stopped => StatusCode::SERVICE_UNAVAILABLE,
        ErrorClass::Damaged | ErrorClass::Failed => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// An error as a sentence in plain text.
pub(crate) fn plain(status: StatusCode, sentence: &str) -> Response {
    let body = format!("{sentence}\n");
    let mut response =
        (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], body).into_response();
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, axum::http::HeaderValue::from_static("1"));
    }
    response
}

/// An error of the façade, in plain text.
pub(crate) fn refuse(failure: &Failure) -> Response {
    plain(status(failure.class()), &failure.to_string())
}

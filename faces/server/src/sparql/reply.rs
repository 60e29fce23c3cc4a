//! Answers with their media types.

use axum::http::HeaderValue;
use axum::http::header::{CONTENT_TYPE, VARY};
use axum::response::{IntoResponse, Response};

/// An answer of a media type, which is as it is because of `Accept`.
pub(super) fn typed(content_type: &str, body: impl IntoResponse) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(content_type) {
        headers.insert(CONTENT_TYPE, value);
    }
    headers.append(VARY, HeaderValue::from_static("accept"));
    response
}

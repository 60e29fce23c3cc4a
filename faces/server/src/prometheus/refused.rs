//! Errors as responses.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use manicule::series::dump::put_api_string;

use super::error::{ApiError, Kind};

fn status(kind: Kind) -> StatusCode {
    match kind {
        Kind::BadData => StatusCode::BAD_REQUEST,
        Kind::Execution => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::Timeout | Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Kind::NotFound => StatusCode::NOT_FOUND,
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut body = b"{\"status\":\"error\",\"errorType\":\"".to_vec();
        body.extend_from_slice(self.kind.word().as_bytes());
        body.extend_from_slice(b"\",\"error\":");
        put_api_string(self.text.as_bytes(), &mut body);
        body.push(b'}');
        let status = status(self.kind);
        let mut response = (status, [(CONTENT_TYPE, "application/json")], body).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

//! Prometheus' HTTP API over blocks: what its clients ask of old data, and remote read, by which a
//! Prometheus answers PromQL over them.
//!
//! | file | what |
//! |---|---|
//! | params.rs | parameters; json.rs: answers as they are written |
//! | error.rs | errors in the API's words; refused.rs: as responses |
//! | labels.rs, series.rs | names, values, series |
//! | query.rs | selectors at steps of time; points.rs: their samples as JSON |
//! | status.rs | what the server is; empty.rs: what a server without targets and rules answers |
//! | read/ | remote read |
//!
//! What is answered, and what not: docs/design/0038-prometheus-over-http.md.

mod api;
mod empty;
mod error;
mod json;
mod labels;
mod params;
mod points;
mod query;
mod read;
mod refused;
mod series;
mod status;

use std::sync::Arc;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::routing::{get, post};
use manicule::series::Data;

use self::api::Api;
use self::error::ApiError;
use self::params::Params;
use crate::calls::Calls;

/// The routes of a place of this name.
pub(crate) fn routes(data: &Arc<Data>, calls: &Calls, name: &str) -> Router {
    let (data, calls) = (Arc::clone(data), calls.clone());
    let read = format!("/at/{name}/api/v1/read").into();
    Router::new()
        .route("/api/v1/labels", get(labels::names).post(labels::names))
        .route("/api/v1/label/{name}/values", get(labels::values))
        .route("/api/v1/series", get(series::series).post(series::series))
        .route("/api/v1/query", get(query::instant).post(query::instant))
        .route("/api/v1/query_range", get(query::range).post(query::range))
        .route("/api/v1/read", post(read::read))
        .route("/api/v1/status/tsdb", get(status::tsdb))
        .route("/api/v1/status/tsdb/blocks", get(status::blocks))
        .route("/api/v1/status/buildinfo", get(status::buildinfo))
        .route("/-/healthy", get(|| async { "Prometheus Server is Healthy.\n" }))
        .route("/-/ready", get(|| async { "Prometheus Server is Ready.\n" }))
        .merge(empty::routes())
        .with_state(Api { data, calls, read })
}

impl<S: Send + Sync> FromRequest<S> for Params {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Params, ApiError> {
        let (parts, body) = request.into_parts();
        let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let form = "application/x-www-form-urlencoded";
        let is_form = kind.is_some_and(|kind| kind.split(';').next().unwrap_or("").trim() == form);
        let body = if parts.method == Method::POST && is_form {
            // Its length is bounded for all requests.
            to_bytes(body, usize::MAX)
                .await
                .map_err(|error| ApiError::bad(format!("the form can't be read: {error}")))?
        } else {
            Default::default()
        };
        Ok(Params::parse([&body, parts.uri.query().unwrap_or_default().as_bytes()]))
    }
}

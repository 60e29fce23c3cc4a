//! What a Prometheus answers that scrapes nothing, has no rules and no exemplars: clients ask for
//! these when they begin.

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use manicule::series::query::Expression;

use super::api::Api;
use super::error::ApiError;
use super::json::ready;
use super::labels::times_of;
use super::params::Params;

/// Paths with the data that they answer.
const NOTHING: [(&str, &str); 6] = [
    ("/api/v1/targets", "{\"activeTargets\":[],\"droppedTargets\":[],\"droppedTargetCounts\":{}}"),
    ("/api/v1/targets/metadata", "[]"),
    ("/api/v1/scrape_pools", "{\"scrapePools\":[]}"),
    ("/api/v1/rules", "{\"groups\":[]}"),
    ("/api/v1/alerts", "{\"alerts\":[]}"),
    ("/api/v1/alertmanagers", "{\"activeAlertmanagers\":[],\"droppedAlertmanagers\":[]}"),
];

pub(super) fn routes() -> Router<Api> {
    let mut router = Router::new()
        .route("/api/v1/metadata", get(metadata))
        .route("/api/v1/query_exemplars", get(exemplars).post(exemplars));
    for (path, data) in NOTHING {
        router = router.route(path, get(move || async move { ready(data) }));
    }
    router
}

async fn metadata(params: Params) -> Result<Response, ApiError> {
    for name in ["limit", "limit_per_metric"] {
        if params.get(name).is_some_and(|limit| limit.parse::<i64>().is_err()) {
            return Err(ApiError::bad(format!("{name} must be a number")));
        }
    }
    Ok(ready("{}"))
}

async fn exemplars(params: Params) -> Result<Response, ApiError> {
    let times = times_of(&params)?;
    if times.max_time < times.min_time {
        return Err(ApiError::bad("end timestamp must not be before start timestamp"));
    }
    match Expression::parse(params.get("query").unwrap_or_default()) {
        Err(error) if !error.is_beyond => Err(ApiError::bad(error.to_string())),
        _ => Ok(ready("[]")),
    }
}

//! Which protocol is where.
//!
//! Below `/at/NAME/` is each place with the protocol of its kind; at the root are those of the
//! first place of each kind, where the systems' clients look.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::app::App;
use crate::guard::HEALTH;
use crate::mcp;
use crate::page;
use crate::prometheus;
use crate::restic;
use crate::served::{Handle, Place};
use crate::sparql;
use crate::zoekt;

/// All routes.
pub(crate) fn routes(app: &App) -> Router {
    let mut router = Router::new()
        .route(HEALTH, get(|| async { "ok\n" }))
        .route("/metrics", get(metrics))
        .with_state(app.clone())
        .merge(page::routes(app))
        .merge(mcp::routes(&app.served, &app.calls));
    let mut kinds = Vec::new();
    for place in app.served.places() {
        router = router.nest(&format!("/at/{}", place.name), of_place(place, app));
        let kind = std::mem::discriminant(&place.handle);
        if !kinds.contains(&kind) {
            kinds.push(kind);
            router = router.merge(of_place(place, app));
        }
    }
    router
}

/// The routes of a place: one line for each protocol.
fn of_place(place: &Place, app: &App) -> Router {
    match &place.handle {
        Handle::Shards(shards) => zoekt::routes(shards, &app.calls),
        Handle::Repository(files) => restic::routes(files, &app.calls),
        Handle::Graph(graph) => sparql::routes(Arc::clone(graph), app.calls.clone(), app.scheme),
        Handle::Series(data) => prometheus::routes(data, &app.calls, &place.name),
        Handle::Table(_) | Handle::Text => Router::new(),
    }
}

async fn metrics(State(app): State<App>) -> impl IntoResponse {
    let text = app.metrics.text(&app.calls);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}

//! SPARQL 1.1 Protocol, Graph Store HTTP Protocol and service description, over a store of RDF
//! ([design 0037](../../../../docs/design/0037-sparql-over-http.md)).
//!
//! | path | what | file |
//! |---|---|---|
//! | `/query`, `/update`, `/sparql` | queries, updates, both; what they can do | operation.rs, description.rs |
//! | `/store`, `/store/...` | graphs, by parameters or by their own URLs | graphs.rs |
//!
//! What a request means is read by functions of texts alone: request.rs and target.rs, with
//! form.rs, multipart.rs and media.rs. What refuses it is a `Refused`, of which trouble.rs makes an
//! answer.

mod body;
mod description;
mod form;
mod graphs;
mod media;
mod multipart;
mod operation;
mod refused;
mod reply;
mod request;
mod service;
mod target;
mod trouble;

use std::sync::Arc;

use axum::Router;
use axum::routing::any;

use crate::calls::Calls;
use crate::served::Graph;

use request::Endpoint;
use service::Service;

/// The routes of a store.
pub(crate) fn routes(graph: Arc<Graph>, calls: Calls, scheme: &'static str) -> Router {
    let mut router = Router::new();
    for (path, endpoint) in
        [("/query", Endpoint::Query), ("/update", Endpoint::Update), ("/sparql", Endpoint::Both)]
    {
        let operate =
            move |service, url, request| operation::operate(service, endpoint, url, request);
        router = router.route(path, any(operate)).route(&format!("{path}/"), any(operate));
    }
    router
        .route("/store", any(graphs::whole))
        .route("/store/", any(graphs::whole))
        .route("/store/{*name}", any(graphs::below))
        .with_state(Service::new(graph, calls, scheme))
}

//! What every request of a store shares: its handle, how calls are done, what they may cost.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::Uri;
use axum::http::header::HOST;
use manicule::graph::{Appended, Committed, QueryLimits, QueryThreads, Writer};
use manicule::place::is_address;
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::refused::Refused;
use super::trouble::Trouble;
use crate::calls::Calls;
use crate::served::Graph;

/// A store that is served. A clone is the same.
#[derive(Clone, Debug)]
pub(super) struct Service {
    pub(super) graph: Arc<Graph>,
    pub(super) calls: Calls,
    /// Whether its files are here, and nothing waits for a network.
    pub(super) is_local: bool,
    scheme: &'static str,
    /// The right to change the store: who waits for it has no thread and no permit meanwhile.
    changing: Arc<Mutex<()>>,
}

impl Service {
    pub(super) fn new(graph: Arc<Graph>, calls: Calls, scheme: &'static str) -> Service {
        let is_local = !is_address(graph.store().path());
        Service { graph, calls, is_local, scheme, changing: Arc::default() }
    }

    /// The URL of a request, as its client knows it: a proxy says by `X-Forwarded-Proto` what it
    /// was asked by.
    pub(super) fn url(&self, uri: &Uri, headers: &HeaderMap) -> Result<String, Refused> {
        let forwarded = headers.get("x-forwarded-proto").and_then(|value| value.to_str().ok());
        let scheme = match forwarded {
            Some("https") => "https",
            Some("http") => "http",
            _ => self.scheme,
        };
        let host = headers.get(HOST).and_then(|value| value.to_str().ok());
        let host = host.ok_or_else(|| Refused::bad("the request has no Host"))?;
        Ok(format!("{scheme}://{host}{}", uri.path()))
    }

    /// What a query, or the patterns of an update, may cost.
    pub(super) fn limits(&self) -> QueryLimits {
        let memory = self.calls.bounds().memory;
        QueryLimits {
            computed_len_max: memory,
            memory_max: memory,
            threads: QueryThreads::ONE,
            ..QueryLimits::NONE
        }
    }

    /// Refuses what changes the store, where nothing may.
    pub(super) fn check_writes(&self) -> Result<(), Refused> {
        self.graph.writer().map(drop).ok_or_else(Refused::read_only)
    }

    /// Changes the store, and waits until the change is durable. Changes are made one after the
    /// other; those that wait for the disk at the same time are synced together.
    pub(super) async fn change<T: Send + 'static>(
        &self,
        make: impl FnOnce(&Writer, &Watch<'_>) -> Result<(Appended, T), Failure> + Send + 'static,
    ) -> Result<(Committed, T), Trouble> {
        self.check_writes()?;
        let wait = timeout(self.calls.bounds().time, Arc::clone(&self.changing).lock_owned());
        let busy = |_| Failure::new(ErrorClass::Busy, "other changes took too long");
        let turn = wait.await.map_err(busy)?;
        let graph = Arc::clone(&self.graph);
        let made = move |watch: &Watch<'_>| {
            let writer = graph.writer().expect("it was asked for");
            let made = make(writer, watch);
            drop(turn);
            made
        };
        let durable = |(appended, made): (Appended, T)| Ok((appended.wait()?, made));
        Ok(self.calls.run_and_wait(made, durable).await?)
    }
}

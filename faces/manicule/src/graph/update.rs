//! Changes in SPARQL: a request is a transaction.

use manicule_core::watch::Watch;
use manicule_graph::sparql::{DefaultGraphChoice, QueryLimits, UpdateWork};

use super::error::Error;
use super::store::Writer;

/// Arguments of an update.
#[derive(Clone, Debug)]
pub struct UpdateCall {
    /// The request: operations between semicolons.
    pub text: String,
    /// What relative IRIs are resolved against.
    pub base: Option<String>,
    /// The default graph of patterns.
    pub default_graph: DefaultGraphChoice,
    /// What its patterns may cost.
    pub limits: QueryLimits,
}

/// What an update has done.
#[derive(Clone, Debug)]
pub struct Updated {
    /// What its operations did.
    pub work: UpdateWork,
    /// Number of quads that are there and weren't before.
    pub added: u64,
    /// Number of quads that were there and aren't any more.
    pub removed: u64,
    /// Number of the commit; none if nothing was changed.
    pub commit: Option<u64>,
}

impl Writer {
    /// Does a request: all of it is durable then, or nothing is changed. Requests of several
    /// threads are done one after the other, and synced together.
    pub fn update(&self, call: &UpdateCall, watch: &Watch<'_>) -> Result<Updated, Error> {
        let mut transaction = self.begin()?;
        let work = transaction.update(call, watch)?;
        let committed = transaction.commit()?;
        let (added, removed, commit) = (committed.added, committed.removed, committed.commit);
        Ok(Updated { work, added, removed, commit })
    }
}

//! Changes in SPARQL: a request is a transaction.

use manicule_core::watch::Watch;
use manicule_graph::sparql::{DefaultGraphChoice, NamedDataset, QueryLimits, UpdateWork};

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
    /// Graphs that the call names for patterns. A request with USING or WITH is an error then.
    pub using: Option<NamedDataset>,
    /// What its patterns may cost, each.
    pub limits: QueryLimits,
    /// What its LOAD reads.
    pub loads: Loads,
}

/// Documents that LOAD reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loads {
    /// Files of this machine, by IRIs such as `file:///data/a.ttl`.
    Files,
    /// None: LOAD is an error, unless it is SILENT. For requests of others.
    None,
}

impl UpdateCall {
    /// A request without a base, over the store's own default graph, that may cost anything and
    /// load files.
    pub fn new(text: String) -> Self {
        UpdateCall {
            text,
            base: None,
            default_graph: DefaultGraphChoice::Own,
            using: None,
            limits: QueryLimits::NONE,
            loads: Loads::Files,
        }
    }
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

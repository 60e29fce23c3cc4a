//! Changes in SPARQL: a request is a transaction.

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_graph::LostCommits;
use manicule_graph::load::load_iri;
use manicule_graph::sparql::{
    DefaultGraphChoice, QueryLimits, UpdateOptions, UpdateWork, update as change,
};

use super::error::Error;
use super::open::{Writing, open_to_write};

/// Arguments of an update.
#[derive(Clone, Debug)]
pub struct UpdateCall {
    /// Folder of the store.
    pub store: PathBuf,
    /// The request: operations between semicolons.
    pub text: String,
    /// What relative IRIs are resolved against.
    pub base: Option<String>,
    /// The default graph of patterns.
    pub default_graph: DefaultGraphChoice,
    /// What its patterns may cost.
    pub limits: QueryLimits,
    /// How the store is opened.
    pub writing: Writing,
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
    /// Commits before it that were given up.
    pub forgotten: Option<LostCommits>,
    /// Whether enough commits wait that somebody should merge them.
    pub is_merge_due: bool,
}

/// Does a request: all of it is durable then, or nothing is changed.
pub fn update(call: &UpdateCall, watch: &Watch<'_>) -> Result<Updated, Error> {
    let store = open_to_write(&call.store, call.writing, watch)?;
    let mut transaction = store.begin()?;
    let mut options = UpdateOptions {
        base: call.base.as_deref(),
        default_graph: call.default_graph,
        using: None,
        limits: call.limits,
        load: &mut |iri, add| load_iri(iri, add, watch),
    };
    let work = change(&mut transaction, &call.text, &mut options, watch)?;
    let committed = transaction.commit()?;
    // All is done and durable: what of it isn't merged, the next one merges.
    drop(store.wait_for_merge());
    let (added, removed) = (committed.added, committed.removed);
    let forgotten = store.forgotten().cloned();
    let (commit, is_merge_due) = (committed.commit, store.is_merge_due());
    Ok(Updated { work, added, removed, commit, forgotten, is_merge_due })
}

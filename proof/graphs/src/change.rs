//! A SPARQL update as one transaction.

use manicule_core::watch::Watch;
use manicule_graph::Store;
use manicule_graph::sparql::{
    DefaultGraphChoice, QueryLimits, SparqlError, UpdateOptions, Writable, update_any,
};

/// Updates a store by one transaction, which is durable when this returns.
///
/// # Errors
/// As those of the update and of its commit; LOAD is refused.
pub fn change(store: &Store, request: &str) -> Result<(), SparqlError> {
    let mut transaction = store.begin()?;
    apply(&mut transaction, request, None)?;
    transaction.commit()?;
    Ok(())
}

/// Updates what can be changed, without a limit; with a base of relative IRIs.
///
/// # Errors
/// As those of the update; LOAD is refused.
pub fn apply(
    target: &mut impl Writable,
    request: &str,
    base: Option<&str>,
) -> Result<(), SparqlError> {
    let mut load = |iri: &str, _: &mut dyn FnMut(&oxrdf::Triple)| {
        Err(SparqlError::Refused(format!("{iri}: nothing is loaded here")))
    };
    let mut options = UpdateOptions {
        base,
        default_graph: DefaultGraphChoice::Own,
        using: None,
        limits: QueryLimits::NONE,
        load: &mut load,
    };
    update_any(target, request, &mut options, &Watch::none()).map(drop)
}

//! How an update is asked.

use oxrdf::Triple;

use super::super::error::SparqlError;
use super::super::graphs::{DefaultGraphChoice, NamedDataset};
use super::super::session::QueryLimits;

/// Gives the triples of a document to `add`.
pub type Load<'l> = dyn FnMut(&str, &mut dyn FnMut(&Triple)) -> Result<(), SparqlError> + 'l;

/// How an update is asked.
pub struct UpdateOptions<'q, 'l> {
    /// Base of relative IRIs.
    pub base: Option<&'q str>,
    /// The default graph of patterns.
    pub default_graph: DefaultGraphChoice,
    /// Graphs that the call names for patterns; a request that has USING or WITH itself is then
    /// refused.
    pub using: Option<&'q NamedDataset>,
    /// What the patterns may cost, each.
    pub limits: QueryLimits,
    /// What LOAD calls, with an IRI.
    pub load: &'l mut Load<'l>,
}

impl UpdateOptions<'_, '_> {
    /// Whether patterns mean the same, and may cost anything, without the options.
    pub(super) fn leave_patterns(&self) -> bool {
        self.default_graph == DefaultGraphChoice::Own
            && self.using.is_none()
            && self.limits == QueryLimits::NONE
    }
}

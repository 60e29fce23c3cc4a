//! IRIs and literals of a store whose text matches.

use std::ops::ControlFlow;

use manicule_core::watch::Watch;
pub use manicule_graph::find::{FindCall, FindCounts, Found, Uses};

use super::error::Error;
use super::store::Store;

impl Store {
    /// Calls `found` for every IRI and literal that matches and that a quad names, until it breaks.
    ///
    /// Each term is looked at once, however many quads name it. Memory: one term.
    pub fn find(
        &self,
        call: &FindCall<'_>,
        counts: &mut FindCounts,
        watch: &Watch<'_>,
        found: &mut dyn FnMut(&Found<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        Ok(manicule_graph::find::find(&self.snapshot(), call, counts, watch, found)?)
    }
}

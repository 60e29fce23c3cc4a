//! Estimates by which joins were put in order, kept for a plan that shows them.

use std::cell::RefCell;

use spargebra::term::NamedNodePattern;

/// Estimates of patterns, in the order in which they were chosen.
#[derive(Debug, Default)]
pub(in crate::sparql) struct Estimates(RefCell<Vec<(String, u64)>>);

impl Estimates {
    /// Keeps the number of rows that a pattern is expected to give for one row of what comes before
    /// it.
    pub(in crate::sparql) fn keep(
        &self,
        pattern: &str,
        graph: Option<&NamedNodePattern>,
        count: u64,
    ) {
        let text = match graph {
            Some(graph) => format!("{pattern} {graph}"),
            None => pattern.to_owned(),
        };
        self.0.borrow_mut().push((text, count));
    }

    /// The estimate of a pattern by its text, with its graph after it. One that occurs twice has
    /// two, in the order of the plan.
    pub(super) fn take(&self, text: &str) -> Option<u64> {
        let mut all = self.0.borrow_mut();
        let at = all.iter().position(|(own, _)| own == text)?;
        Some(all.remove(at).1)
    }
}

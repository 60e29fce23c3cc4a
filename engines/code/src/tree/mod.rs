//! Source trees: the files that a question needs, always of the tree as it is now.
//!
//! A face describes what it wants in a [`Request`] and lends a [`Visit`] per thread; [`visit`] hands it each file
//! that may hold a match, and counts what that took in a [`Receipt`].

mod build;
mod gather;
mod index;
mod request;
mod rules;
mod survey;
mod trust;
mod walk;

pub use build::{BuildError, BuildOptions, BuildReport, SEGMENTS_MAX, build};
pub use index::{Kept, clear, list};
pub use request::{Candidate, Flow, Given, Order, Receipt, Request, Visit};
pub use rules::Rules;

/// Hands every file that the request needs to a visitor: one visitor a thread, made by `visitors`.
///
/// Errors about single entries (an unreadable folder, a broken link that was given) go to [`Visit::error`], as
/// ripgrep reports and goes on. Costs one walk of the paths.
pub fn visit<'v>(
    request: &Request,
    visitors: &(dyn Fn() -> Box<dyn Visit + 'v> + Sync),
) -> Receipt {
    walk::visit(request, visitors)
}

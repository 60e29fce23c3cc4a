//! Answers from blocks: series and labels that a selector names, where the bytes go, what differs.

pub(crate) mod analyze;
pub mod diff;
pub mod dump;
pub mod expression;
pub mod growth;
pub(crate) mod matcher;
pub mod query;
pub(crate) mod selector;

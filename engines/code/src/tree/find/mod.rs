//! A question to a tree: its candidates from the index, proven unchanged, handed to visitors; the
//! rest walked.

pub(super) mod check;
pub(super) mod request;
pub(super) mod select;
pub(super) mod visit;

mod recent_check;
mod sweep;
mod walk;
mod worker;

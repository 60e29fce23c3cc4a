//! Whether a store is right: every file by itself and as its manifest has it, that the orders hold
//! the same quads, that ids have terms and terms one id, and that the log can be read.
//!
//! | file | what |
//! |---|---|
//! | store.rs | the steps |
//! | checked.rs | what they share |
//! | files.rs | manifests, and the files that they name, each by itself |
//! | terms.rs | terms of all segments of a generation |
//! | orders.rs | rows of all orders of a generation |
//! | statistics.rs | statistics of a generation against its rows |
//! | recent.rs | commits that no generation holds |
//!
//! A part that is damaged becomes a finding; what can't be read without it is left out.
//!
//! Memory: a block and one term, statistics of a generation twice, 100 findings; files are mapped;
//! of the log what a reader holds.

mod checked;
mod files;
mod orders;
mod recent;
mod statistics;
mod store;
mod terms;

pub use checked::StoreCounts;
pub use store::{verify, verify_in};

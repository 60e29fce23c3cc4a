//! Solutions as columns of ids: what operators hand each other, and what it may take.
//!
//! | file | what |
//! |---|---|
//! | rows.rs | a table: a column of ids for each variable |
//! | sink.rs | where rows go that are made some at a time |
//! | groups.rs, numbering.rs | equal keys numbered: of a table, and of rows as they come |
//! | ids.rs | terms that the view doesn't hold |
//! | pool.rs, weight.rs, meter.rs | buffers, bytes, time |

pub(in crate::sparql) mod groups;
pub(in crate::sparql) mod ids;
pub(in crate::sparql) mod meter;
pub(in crate::sparql) mod numbering;
pub(in crate::sparql) mod pool;
pub(in crate::sparql) mod rows;
pub(in crate::sparql) mod sink;
pub(in crate::sparql) mod weight;

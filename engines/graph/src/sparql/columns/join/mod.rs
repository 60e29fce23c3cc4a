//! Joins: which part comes next, and how it is joined with the rows so far.
//!
//! | file | what |
//! |---|---|
//! | order.rs, rest.rs | basic graph patterns: the pattern that multiplies the rows least comes next; and what is left |
//! | pull.rs | joins of some rows at a time |
//! | step.rs | one of them scanned, or streamed past the rows so far |
//! | semi_join.rs | those that only say which rows stay |
//! | tables.rs | joins, left joins and DISTINCT of tables |
//! | build.rs, probe.rs | hash joins: the side that is looked up in, and batches of the other |
//! | sideways.rs | values that are known before a part is evaluated |

pub(in crate::sparql) mod build;
pub(in crate::sparql) mod order;
pub(in crate::sparql) mod probe;
pub(in crate::sparql) mod pull;
pub(in crate::sparql) mod rest;
pub(in crate::sparql) mod semi_join;
pub(in crate::sparql) mod sideways;
pub(in crate::sparql) mod step;
pub(in crate::sparql) mod tables;

//! COUNT without rows: factorised.
//!
//! | file | what |
//! |---|---|
//! | range.rs | of one pattern, from ranges of the index |
//! | plan.rs | which pattern's rows are multiplied by which numbers of others |
//! | run.rs, factor.rs | a plan carried out; numbers of rows by key |

pub(super) mod factor;
pub(in crate::sparql) mod plan;
pub(in crate::sparql) mod range;
pub(in crate::sparql) mod run;

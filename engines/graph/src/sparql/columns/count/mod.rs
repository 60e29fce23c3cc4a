//! COUNT without rows: from the index, or factorised.
//!
//! | file | what |
//! |---|---|
//! | index.rs | of one pattern, from ranges of the index |
//! | run.rs, factor.rs | of joins, by numbers of rows by key |

pub(in crate::sparql) mod factor;
pub(in crate::sparql) mod index;
pub(in crate::sparql) mod run;

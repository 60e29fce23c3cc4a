//! EXPLAIN: how a query is evaluated, what was expected of each operator, and what it gave and
//! cost.
//!
//! | file | what |
//! |---|---|
//! | ask.rs | a query explained, run or not |
//! | operator.rs | the tree of operators |
//! | words.rs | EXPLAIN and ANALYZE before a query |
//! | estimates.rs | estimates by which joins were put in order |
//! | short.rs | patterns and expressions as people read them |
//! | evaluated.rs | operators of the row-by-row evaluator |

mod ask;
mod estimates;
mod evaluated;
mod operator;
mod short;
mod words;

pub use ask::{explain, explain_view};
pub use operator::{Done, Explain, Explained, Operator, QueryPath, QueryTimes};
pub use words::explain_words;

pub(super) use estimates::Estimates;
pub(super) use short::in_short;

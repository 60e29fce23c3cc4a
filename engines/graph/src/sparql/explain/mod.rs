//! EXPLAIN: how a query is evaluated, what was expected of each operator, and what it gave and
//! cost.
//!
//! | file | what |
//! |---|---|
//! | ask.rs | a query explained, run or not |
//! | operator.rs | the tree of operators |
//! | words.rs | EXPLAIN and ANALYZE before a query |
//! | short.rs | patterns and expressions as people read them |

mod ask;
mod operator;
mod short;
mod words;

pub use ask::{explain, explain_view};
pub use operator::{Done, Explain, Explained, Operator, QueryTimes};
pub use words::explain_words;

pub(super) use short::in_short;

//! Expressions: PromQL as far as it is selectors and numbers, and what it gives at steps of time.
//!
//! ```text
//! expression  arithmetic over numbers, a string, or one selector
//! selector    as ask/selector reads it, then "[" duration "]" at most once, then modifiers
//! modifiers   "offset" duration, "@" time, "@" "start()" or "end()"; each at most once
//! ```
//! Functions, aggregations, subqueries and operators over series are PromQL, too, and refused as
//! such: an error of its own kind, so that a server can say who answers them.

mod asked;
mod functions;
mod number;
mod parse;
mod steps;

pub use asked::{At, Expression, ExpressionError, Timed};
pub use number::parse_duration;
pub use steps::{Steps, each_point};

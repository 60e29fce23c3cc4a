//! The plan of a query: a tree of operators, made before any of them runs. EXPLAIN prints it, and
//! evaluation runs it.
//!
//! One choice is left to the run, and the plan says so: which pattern of a join comes next, and
//! whether it is scanned or looked up, which the rows that came so far tell better than any
//! estimate.
//!
//! | file | what |
//! |---|---|
//! | operator.rs | operators |
//! | planner.rs | what makes a plan knows |
//! | make.rs | a plan of the algebra |
//! | filter.rs | filters, and the plans of their EXISTS |
//! | join.rs | joins: patterns of quads, and the parts that they are joined with |
//! | group.rs | groups, and those that an index has the counts of |
//! | count.rs | groups that are counted without their rows |
//! | estimate.rs | numbers of rows that are expected, and the order that joins would take |
//! | show.rs | a plan as EXPLAIN and ANALYZE print it |

mod count;
pub(in crate::sparql) mod estimate;
mod filter;
mod group;
mod join;
pub(in crate::sparql) mod make;
pub(in crate::sparql) mod operator;
pub(in crate::sparql) mod planner;
pub(in crate::sparql) mod show;

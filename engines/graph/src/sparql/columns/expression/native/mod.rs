//! Expressions of one variable, computed once for each of its terms: from the dictionary's bytes,
//! without a term of the RDF library or the evaluator. Terms that aren't known here are left to it.
//!
//! | file | what |
//! |---|---|
//! | compile.rs | expressions as nodes |
//! | node.rs | nodes, by the rules of the evaluator |
//! | value.rs | values, and how they compare |
//! | run.rs | the terms of a column, and what becomes of the values |

mod compile;
mod node;
mod run;
mod value;

pub(in crate::sparql) use run::Native;

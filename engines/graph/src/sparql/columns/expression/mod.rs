//! Expressions, computed once for each combination of the values of their variables.
//!
//! | file | what |
//! |---|---|
//! | values.rs | by native code where that is known, by the evaluator else |
//! | extend.rs | BIND and computed columns |
//! | nodes.rs | BNODE |
//! | native | expressions of one variable, from the dictionary's bytes |

pub(in crate::sparql) mod extend;
pub(super) mod native;
mod nodes;
pub(in crate::sparql) mod values;

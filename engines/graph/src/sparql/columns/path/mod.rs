//! Property paths.
//!
//! | file | what |
//! |---|---|
//! | pairs.rs | pairs of nodes, from those that are known at one end |
//! | reach.rs | nodes that edges lead to |

pub(in crate::sparql) mod pairs;
pub(super) mod reach;

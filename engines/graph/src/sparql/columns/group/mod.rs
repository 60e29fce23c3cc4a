//! GROUP BY and aggregates.
//!
//! | file | what |
//! |---|---|
//! | grouping.rs | rows numbered by their keys as they come, and not held |
//! | aggregate.rs | aggregates of groups |
//! | sum.rs, sum_number.rs, concat.rs | SUM and AVG, exact and of floats; GROUP_CONCAT |

pub(in crate::sparql) mod aggregate;
pub(in crate::sparql) mod concat;
pub(in crate::sparql) mod grouping;
pub(in crate::sparql) mod sum;
pub(super) mod sum_number;

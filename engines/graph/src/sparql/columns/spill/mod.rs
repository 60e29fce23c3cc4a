//! What is put into a file where memory is short: sorts in runs that are merged, groups and
//! DISTINCT in parts that have no key in common.
//!
//! | file | what |
//! |---|---|
//! | file.rs | the file, which has no name |
//! | partitions.rs, slices.rs | rows in parts, by the hash of their keys, and by their number |
//! | distinct.rs, group.rs | DISTINCT and GROUP BY, part by part |
//! | runs.rs, sort.rs | runs of sorted rows, and ORDER BY by them |

pub(in crate::sparql) mod distinct;
pub(in crate::sparql) mod file;
pub(in crate::sparql) mod group;
pub(in crate::sparql) mod partitions;
pub(in crate::sparql) mod runs;
pub(in crate::sparql) mod slices;
pub(in crate::sparql) mod sort;

use super::stop::Outcome;
use super::table::rows::Table;

/// Gives the next rows; none after the last.
pub(in crate::sparql) type NextRows<'n> = dyn FnMut() -> Outcome<Option<Table>> + 'n;

/// What part of the memory a sort or DISTINCT holds before it puts rows into a file.
pub(in crate::sparql) const HELD_PARTS: u64 = 4;

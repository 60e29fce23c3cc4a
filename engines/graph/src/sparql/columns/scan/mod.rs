//! Patterns of quads.
//!
//! | file | what |
//! |---|---|
//! | pattern.rs | a pattern, scanned whole or looked up for each row of a table |
//! | stream.rs | joined block by block as it is scanned |
//! | spread.rs | the same by several threads |

pub(in crate::sparql) mod pattern;
pub(in crate::sparql) mod spread;
pub(in crate::sparql) mod stream;

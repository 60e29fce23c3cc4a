//! Patterns of quads.
//!
//! | file | what |
//! |---|---|
//! | quads.rs | a pattern by ids, and what is known of it |
//! | pattern.rs | one made of a triple pattern; scanned whole or looked up for each row of a table |
//! | stream.rs | joined block by block as it is scanned |
//! | spread.rs | the same by several threads |

pub(in crate::sparql) mod pattern;
pub(in crate::sparql) mod quads;
pub(in crate::sparql) mod spread;
pub(in crate::sparql) mod stream;

//! What a form of query makes of solutions.
//!
//! | file | what |
//! |---|---|
//! | pattern.rs | the pattern whose solutions it wants |
//! | construct.rs, describe.rs | triples made of them |

pub(in crate::sparql) mod construct;
pub(in crate::sparql) mod describe;
pub(in crate::sparql) mod pattern;

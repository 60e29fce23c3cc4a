//! Triples made of solutions: CONSTRUCT and DESCRIBE.

pub(in crate::sparql) mod construct;
pub(in crate::sparql) mod describe;

//! Tables of stores of RDF.

mod asked;
mod opened;
mod predicates;
mod quads;
mod solutions;
mod typed;

pub(crate) use predicates::PREDICATES;
pub(crate) use quads::QUADS;
pub(crate) use solutions::SOLUTIONS;

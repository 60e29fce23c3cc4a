//! Tables of stores of RDF.

mod opened;
mod predicates;
mod quads;
mod solutions;

pub(super) use predicates::PREDICATES;
pub(super) use quads::QUADS;
pub(super) use solutions::SOLUTIONS;

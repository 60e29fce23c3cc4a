//! Tables of stores of RDF.

mod asked;
mod opened;
mod predicates;
mod quads;
mod solutions;
mod typed;

pub(super) use predicates::PREDICATES;
pub(super) use quads::QUADS;
pub(super) use solutions::SOLUTIONS;

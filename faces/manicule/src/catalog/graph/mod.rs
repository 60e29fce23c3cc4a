//! Tables of stores of RDF.

mod opened;
mod predicates;
mod quads;

pub(super) use predicates::PREDICATES;
pub(super) use quads::QUADS;

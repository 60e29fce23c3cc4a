//! Seeded generators for tests: the same seed gives the same numbers and the same trees, on every machine. And answers
//! of two programs, made comparable.

pub mod answers;
pub mod rng;
pub mod trees;

pub use rng::Rng;
pub use trees::plant;

//! Reports about stores of RDF as JSON.

mod explained;
mod inspected;
mod made;
mod stats;

pub use made::{CompactedStore, LoadFault};
pub use stats::CountedStore;

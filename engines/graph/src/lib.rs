//! A store of RDF: terms and quads, transactions, merging in the background, SPARQL.
//!
//! Bytes:   docs/formats/leaf.md

pub mod base;
pub mod bulk;
pub mod dictionary;
mod error;
pub mod export;
pub mod files;
pub mod find;
pub mod inspect;
pub mod load;
pub mod overlay;
mod quad;
pub mod rdf;
pub mod signs;
pub mod snapshot;
pub mod sparql;
mod stack;
pub mod stats;
pub mod store;
pub mod term;
pub mod verify;
mod view;

pub use base::LeafSizes;
pub use error::{GraphError, LostCommits};
pub use manicule_format_leaf::{Id, Role, Tag};
pub use quad::{GraphChoice, Pattern, Quad};
pub use snapshot::{Quads, Snapshot};
pub use store::{
    Appended, BackedUp, Beside, Bulk, Committed, MergedWhen, Merges, NamedSnapshot, Store,
    StoreOptions, Transaction, Vacant, WhenLost, back_up, is_merging, merge_beside,
    named_snapshots, named_snapshots_in, read_snapshot, read_snapshot_in, read_store,
    read_store_again, read_store_again_in, read_store_in,
};
pub use view::{Blocks, ByQuads, View, WantedTerm};

//! Stores of RDF: loaded, asked in SPARQL, exported, searched, inspected, verified,
//! counted, kept under names, copied. Each module holds a verb, its call, and its report.

mod backup;
mod columns;
mod compact;
mod error;
mod export;
mod find;
pub mod inspect;
mod load;
mod merge;
mod open;
mod query;
mod snapshots;
mod stats;
mod update;
mod verify;

pub use backup::{BackedUp, backup};
pub use columns::{ColumnTypes, TableCall};
pub use compact::{CompactCall, Compacted, compact};
pub use error::Error;
pub use export::{ExportCall, ExportFrom, export};
pub use find::{FindCall, FindCounts, Found, Open, Uses, find, open};
pub use load::{LOAD_MEMORY, LoadCall, Loaded, load};
pub use merge::{merge, merge_beside, merge_later};
pub use open::Writing;
pub use query::{Asked, Fits, QueryCall, RowsAs, explain, query};
pub use snapshots::{NamedSnapshot, drop_snapshot, list_snapshots, name_snapshot};
pub use stats::{PredicateStats, ScopeStats, StoreStats, TermCounts, stats};
pub use update::{UpdateCall, Updated, update};
pub use verify::verify;

/// What the verbs' calls and reports are made of.
pub use manicule_graph::export::{LineOrder, put_term};
pub use manicule_graph::load::{Fault, OnFault, Syntax};
pub use manicule_graph::sparql::{
    DefaultGraphChoice, Done, Explain, Explained, Operator, QueryLimits, QueryPath, QueryThreads,
    QueryTimes, QueryWork, RowFormat, UpdateWork, explain_words,
};
pub use manicule_graph::term::TermRef;
pub use manicule_graph::{LostCommits, Merges, WhenLost};

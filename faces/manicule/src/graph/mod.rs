//! Stores of RDF: loaded, asked in SPARQL, exported, searched, inspected, verified,
//! counted, kept under names, copied. Each module holds a verb, its call, and its report; what
//! reads an open store is a method of [`Store`], what writes it of [`Writer`].

mod backup;
mod columns;
mod compact;
mod error;
mod export;
mod find;
pub mod inspect;
pub mod json;
mod listed;
mod load;
mod merge;
mod open;
mod quads;
mod query;
mod snapshots;
mod solutions;
mod stats;
mod store;
mod update;
mod verify;

pub use backup::{BackedUp, backup};
pub use columns::{ColumnTypes, TableCall};
pub(crate) use columns::{Kind as StagedKind, Stage, Typed, Value, push};
pub use compact::{CompactCall, Compacted};
pub use error::Error;
pub use export::{ExportCall, ExportFrom};
pub use find::{FindCall, FindCounts, Found, Uses};
pub use listed::ListedTerm;
pub use load::{LOAD_MEMORY, LoadCall, Loaded, load};
pub use merge::{merge, merge_beside, merge_later};
pub use open::Writing;
pub use quads::{QuadGraphs, QuadsCall};
pub use query::{Asked, Fits, QueryCall, RowsAs};
pub use snapshots::{NamedSnapshot, list_snapshots};
pub use solutions::{SolutionsCall, SolutionsOf};
pub use stats::{PredicateStats, Predicates, ScopeStats, StoreStats, TermCounts};
pub use store::{Store, Writer};
pub use update::{UpdateCall, Updated};
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

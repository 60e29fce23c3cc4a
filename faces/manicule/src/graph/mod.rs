//! Stores of RDF: loaded, asked in SPARQL, exported, searched, inspected, verified,
//! counted, kept under names, copied. Each module holds a verb, its call, and its report; what
//! reads an open store is a method of [`Store`], what writes it of [`Writer`].

mod answer;
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
mod scan;
mod snapshots;
mod solutions;
mod stats;
mod store;
mod transaction;
mod update;
mod verify;

pub use answer::{
    AnswerCall, AnswerFormat, Gives, NamedDataset, Part, write_boolean, write_solutions,
};
pub use backup::{BackedUp, backup};
pub use columns::{ColumnTypes, TableCall};
pub(crate) use columns::{Kind as StagedKind, Stage, Typed, Value, push};
pub use compact::{CompactCall, Compacted};
pub use error::{Error, TextPlace};
pub use export::{Checked, ExportCall, ExportFrom};
pub use find::{FindCall, FindCounts, Found, Uses};
pub use listed::ListedTerm;
pub use load::{LOAD_MEMORY, LoadCall, Loaded, load};
pub use merge::{merge, merge_beside, merge_later};
pub use open::{Syncs, Writing, new_name};
pub use quads::{QuadGraphs, QuadsCall};
pub use query::{Asked, Fits, QueryCall, RowsAs};
pub use scan::{QuadPattern, Scan};
pub use snapshots::{NamedSnapshot, list_snapshots};
pub use solutions::{SolutionsCall, SolutionsOf};
pub use stats::{PredicateStats, Predicates, ScopeStats, StoreStats, TermCounts};
pub use store::{Store, Writer};
pub use transaction::{Appended, Committed, Transaction};
pub use update::{Loads, UpdateCall, Updated};
pub use verify::verify;

/// What the verbs' calls and reports are made of.
pub use manicule_graph::export::{LineOrder, put_term};
pub use manicule_graph::load::{Fault, LoadReport, OnFault, Syntax, is_packed};
pub use manicule_graph::sparql::{
    DefaultGraphChoice, Done, Explain, Explained, Operator, QueryLimits, QueryThreads, QueryTimes,
    QueryWork, RowFormat, Solution, UpdateWork, blank_label, blank_number, explain_words,
};
pub use manicule_graph::term::{TRIPLE_LEVELS_MAX, TermRef};
pub use manicule_graph::{LostCommits, Merges, WhenLost};

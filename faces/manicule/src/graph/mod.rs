//! Stores of RDF: loaded, asked in SPARQL, exported. Each module holds a verb, its call, and its report.
//!
//! Callers: faces

mod compact;
mod error;
mod export;
mod load;
mod open;
mod query;
mod update;

pub use compact::compact;
pub use error::Error;
pub use export::{ExportCall, ExportFrom, export};
pub use load::{LoadCall, Loaded, load};
pub use query::{Asked, QueryCall, explain, query};
pub use update::{UpdateCall, Updated, update};

/// What the verbs' calls and reports are made of.
pub use manicule_graph::export::LineOrder;
pub use manicule_graph::load::{Fault, OnFault, Syntax};
pub use manicule_graph::sparql::{
    DefaultGraphChoice, Explained, PlanLine, QueryLimits, QueryWork, RowFormat, UpdateWork,
};

//! Rows of terms as typed columns: an answer as a table of Arrow or Parquet.
//!
//! | file | what |
//! |---|---|
//! | types.rs | kinds of terms, and which column of Arrow holds values of one |
//! | values.rs | lexical forms as values |
//! | stage.rs | rows that wait until the types of their columns are known |
//! | table.rs | the table |
//!
//! Callers: graph/query

mod stage;
mod table;
mod types;
mod values;

pub use table::TableCall;
pub use types::ColumnTypes;

pub(super) use table::{write_boolean, write_table};

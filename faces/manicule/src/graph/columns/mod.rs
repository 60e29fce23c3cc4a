//! Rows of terms as typed columns: an answer as a table of Arrow or Parquet.
//!
//! | file | what |
//! |---|---|
//! | call.rs | what is asked for |
//! | types.rs | kinds of terms, and which column of Arrow holds values of one |
//! | values.rs | lexical forms as values |
//! | stage.rs | rows that wait until the types of their columns are known |
//! | table.rs | the table; `no_table.rs` where Arrow and Parquet are not built in |

mod call;
#[cfg(feature = "tables")]
mod stage;
#[cfg_attr(not(feature = "tables"), path = "no_table.rs")]
mod table;
#[cfg(feature = "tables")]
mod types;
#[cfg(feature = "tables")]
mod values;

pub use call::{ColumnTypes, TableCall};

pub(super) use table::{write_boolean, write_table};

//! Rows of terms as typed columns: of a table for other programs, and of the catalogue's.
//!
//! | file | what |
//! |---|---|
//! | call.rs | what is asked for |
//! | types.rs | kinds of terms, and which column holds values of one |
//! | values.rs | lexical forms as values |
//! | stage.rs | rows that wait until the types of their columns are known; chunk.rs: some of them |
//! | typed.rs | the columns, and values pushed into them |
//! | table.rs | a table of Arrow or Parquet; `no_table.rs` where these are not built in |

mod call;
mod chunk;
mod stage;
#[cfg_attr(not(feature = "tables"), path = "no_table.rs")]
mod table;
mod typed;
mod types;
mod values;

pub use call::{ColumnTypes, TableCall};
pub(crate) use stage::Stage;
pub(super) use table::{write_boolean, write_table};
pub(crate) use typed::{Typed, push};
pub(crate) use types::{Kind, Value};

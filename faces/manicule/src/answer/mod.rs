//! Answers as tables: rows in batches of columns, produced by a thread of their own while the
//! caller takes them, and their writers: CSV, JSON lines, and with the feature `tables` Arrow and
//! Parquet.
//!
//! | file | what |
//! |---|---|
//! | field.rs | a column: name, type, what it means |
//! | column.rs | its values, appended one by one; texts.rs: concatenated texts, bitmaps |
//! | rows.rs | the rows of a table while it is read: columns, conditions and limit of a question |
//! | condition.rs | a condition on a column, as SQL has it; parse.rs: several of them in a text, literals.rs: their values |
//! | produce.rs | the thread, its batches and its end |
//! | plain.rs | the same in types that every reader of Arrow knows |
//! | text.rs | values as text; csv.rs, json.rs, lined.rs: rows of them |
//! | arrow.rs | columns as arrays of Arrow; packed.rs: files of them, and of Parquet |
//! | top.rs | the greatest rows, and sums of the others |
//! | write.rs | an answer in a format |

#[cfg(feature = "tables")]
mod arrow;
mod column;
mod condition;
mod csv;
mod field;
mod json;
mod lined;
mod literals;
#[cfg_attr(not(feature = "tables"), path = "no_packed.rs")]
mod packed;
mod parse;
mod plain;
mod produce;
mod rows;
mod text;
mod texts;
mod top;
mod write;

#[cfg(feature = "tables")]
pub use arrow::{Batches, arrow_schema};
#[cfg(feature = "tables")]
pub(crate) use arrow::{Words, array, schema};
pub use column::{Batch, Column};
pub use condition::{Cell, Condition, Test, Value};
pub(crate) use csv::put_quoted as put_csv_field;
pub use field::{Field, Held, Kind, Note};
pub use json::JsonRows;
pub use parse::conditions;
pub use plain::plain_fields;
pub(crate) use produce::produce;
pub use produce::{Answer, Job, Receipt, Stopper};
pub use rows::{Asked, Question, Rows};
pub use top::{Ranked, Top};
pub use write::{Format, WriteError, write};

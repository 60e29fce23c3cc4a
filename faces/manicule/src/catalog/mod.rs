//! The catalogue of tables: every verb that lists, with its arguments, its columns, what it can be
//! asked to read less for, and how it is cut into partitions. SQL functions, methods of Python,
//! `manicule table` and the pages in docs/tables are made of it.
//!
//! A further table is a file with a [`Table`], which the row of its system names.

mod arguments;
pub(crate) mod blobs;
mod bounds;
mod call;
pub(crate) mod code;
mod find;
pub(crate) mod graph;
mod matches;
mod page;
mod partition;
pub(crate) mod rows;
pub(crate) mod series;
mod table;
mod tables;

pub use arguments::{Argument, Arguments, Concerns, Takes};
pub use call::Call;
pub use page::page;
pub use table::{ByData, Open, Push, Table};
pub use tables::{open_partition, table, tables};

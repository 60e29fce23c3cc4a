//! The catalogue of tables: every verb that lists, with its arguments, its columns, what it can be
//! asked to read less for, and how it is cut into partitions. SQL functions, methods of Python,
//! `manicule table` and the pages in docs/tables are made of it.
//!
//! A further table is a file with a [`Table`] and a row in [`TABLES`].

mod arguments;
mod blobs;
mod bounds;
mod call;
mod code;
mod find;
mod graph;
mod matches;
mod page;
mod partition;
mod rows;
mod series;
mod table;
mod tables;

pub use arguments::{Argument, Arguments, Takes};
pub use call::Call;
pub use page::page;
pub use table::{ByData, Push, Table};
pub use tables::{TABLES, open_partition, table};

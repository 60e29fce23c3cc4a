//! The program behind `manicule sql`: the catalogue as tables of DataFusion.
//!
//! | file | what |
//! |---|---|
//! | program.rs | the command line; prompt.rs: the prompt |
//! | asked.rs | statements, asked one after the other; result.rs: their rows in a format, said.rs: their errors |
//! | session.rs | DataFusion with our tables; function.rs: tables as functions, catalogs.rs: names for paths |
//! | table.rs | a table and what a query hands to it; condition.rs: filters; scan.rs: its partitions |
//! | clothes.rs | columns as SQL has them |

mod asked;
mod catalogs;
mod clothes;
mod condition;
mod function;
mod program;
mod prompt;
mod result;
mod said;
mod scan;
mod session;
mod table;
#[cfg(test)]
mod tests;

use datafusion::common::DataFusionError;
use manicule::Failure;

pub use program::main;

/// An error of ours as one of DataFusion.
fn failed(failure: Failure) -> DataFusionError {
    DataFusionError::External(Box::new(failure))
}

//! Which tables are of which system, and which of their arguments a request may give.

use manicule::catalog::{Argument, Concerns};

/// Whether a request may give an argument: others name files and commands of this machine, or
/// bounds that are the server's.
pub(super) fn is_allowed(argument: &Argument) -> bool {
    argument.concerns == Concerns::Question
}

/// The system that a table is of; of tables of searches through all of them, none.
pub(super) fn system_of(table: &str) -> Option<&str> {
    table.split_once('.').map(|(system, _)| system)
}

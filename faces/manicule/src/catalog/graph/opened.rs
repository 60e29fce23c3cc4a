//! Stores opened for a table.

use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::failure::Failure;
use crate::graph::Store;

pub(super) const AT: Argument = Argument {
    name: "at",
    takes: Takes::Text,
    concerns: Concerns::Question,
    about: "Name of a snapshot: the store is read as that has it. Default: as it is now.",
};

/// Opens the stores of all paths.
pub(super) fn opened(arguments: &Arguments) -> Result<Vec<Store>, Failure> {
    let open = |path| Ok(Store::open_at(path, arguments.text(AT.name))?);
    arguments.paths.iter().map(|path| open(path)).collect()
}

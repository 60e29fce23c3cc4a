//! What is asked of a table.

use super::arguments::Arguments;
use crate::answer::Asked;

/// Arguments of opening a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// The table's own.
    pub arguments: Arguments,
    /// Columns, conditions and limit.
    pub asked: Asked,
}

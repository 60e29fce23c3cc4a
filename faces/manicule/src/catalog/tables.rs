//! All tables, and a partition opened by its text.

use std::sync::LazyLock;

use super::find::{FILES, FIND};
use super::partition::read;
use super::table::Table;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::kinds::systems;

/// All tables, by name: those of the systems, and those of searches through all of them.
pub fn tables() -> &'static [&'static Table] {
    static TABLES: LazyLock<Vec<&Table>> = LazyLock::new(|| {
        let of_systems = systems().iter().flat_map(|row| row.tables);
        let mut tables: Vec<&Table> = of_systems.copied().chain([&FILES, &FIND]).collect();
        tables.sort_unstable_by_key(|table| table.name);
        tables
    });
    &TABLES
}

/// The table of a name.
pub fn table(name: &str) -> Option<&'static Table> {
    tables().iter().find(|table| table.name == name).copied()
}

/// Opens a partition by the text that describes it.
///
/// # Errors
/// A text that describes none; files that have changed since it was made.
pub fn open_partition(text: &str) -> Result<Answer, Failure> {
    let (name, call, part) = read(text)?;
    let wrong = || Failure::asked(format!("this is no partition: there is no table {name:?}"));
    table(&name).ok_or_else(wrong)?.open_part(&call, &part)
}

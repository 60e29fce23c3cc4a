//! All tables, and a partition opened by its text.

use super::partition::read;
use super::table::Table;
use super::{blobs, code, find, graph, rows, series};
use crate::answer::Answer;
use crate::failure::Failure;

/// All tables, by name.
pub static TABLES: &[&Table] = &[
    &blobs::BLOBS,
    &blobs::COSTS,
    &blobs::FILES,
    &blobs::PACKS,
    &blobs::SNAPSHOTS,
    &blobs::VERSIONS,
    &code::DOCUMENTS,
    &code::LINES,
    &code::REPOSITORIES,
    &code::SYMBOLS,
    &find::FILES,
    &find::FIND,
    &graph::PREDICATES,
    &graph::QUADS,
    &graph::SOLUTIONS,
    &rows::CELLS,
    &rows::PARTITIONS,
    &rows::ROWS,
    &rows::SSTABLES,
    &series::BLOCKS,
    &series::LABELS,
    &series::SAMPLES,
    &series::SERIES,
];

/// The table of a name.
pub fn table(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name).copied()
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

#[cfg(test)]
mod tests {
    use super::TABLES;

    #[test]
    fn tables_have_their_order_and_each_name_is_said_once() {
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
    }
}

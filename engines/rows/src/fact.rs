//! Facts: what an SSTable says, one thing after the other, as it lies there.

/// Kind of a fact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactKind {
    /// Deletion of a partition.
    PartitionDeletion,
    /// The primary key of a row was written.
    Row,
    /// Deletion of a row.
    RowDeletion,
    /// Deletion of a row that counts for nothing beside a later liveness: of materialised views.
    ShadowableDeletion,
    /// Deletion of the earlier cells of a column.
    CollectionDeletion,
    /// A value, of a collection or user type that isn't frozen one element.
    Cell,
    /// Deletion of such a one.
    CellDeletion,
    /// Here a deletion of a range begins.
    RangeStart {
        /// Whether with the rows of its place.
        is_inclusive: bool,
    },
    /// Here it ends.
    RangeEnd {
        /// Whether with the rows of its place.
        is_inclusive: bool,
    },
}

//! Lists of numbers by their places: label pairs of series.

/// Lists of numbers that are read in passes.
///
/// Each pass begins at place 0 and goes on by one. So an implementation may answer any place, or
/// keep a cursor that starts again at 0.
pub trait NumberLists {
    /// The list at a place; `None` after the last.
    fn list(&mut self, place: u64) -> Option<&[u32]>;

    /// Writes how many lists have each number, and returns the number of lists, if that is known
    /// without a pass over them.
    fn count(&mut self, _counts: &mut [u32]) -> Option<u64> {
        None
    }
}

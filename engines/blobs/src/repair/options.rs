//! Options of a repair.

/// Which headers are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadPacks {
    /// Those of packs that no index file lists, that are not as long as their entries make them, or
    /// that index files list in different ways.
    Doubtful,
    /// All: entries at wrong places and under wrong ids are found too.
    All,
}

/// Options of a repair.
#[derive(Clone, Copy, Debug)]
pub struct RepairOptions {
    /// Which headers are read.
    pub read: ReadPacks,
    /// Number of threads that read.
    pub threads: usize,
}

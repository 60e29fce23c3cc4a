//! Options of the index writer.

/// Options of the index writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    /// Memory limit of the writer beside the given strings and series, in bytes. Postings that
    /// exceed it are filled in windows.
    pub memory: u64,
    /// Choice of the given strings that become symbols.
    pub symbols: SymbolChoice,
    /// Whether the legacy sections of label indices are written, which Prometheus 2 had and readers
    /// ignore.
    pub label_indices: bool,
}

/// Choice of the given strings that become symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolChoice {
    /// All of them, as Prometheus's merge does.
    All,
    /// Those of labels that a series has, and the empty string if it was given.
    Used,
}

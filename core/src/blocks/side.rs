//! What a comparison says.

/// Where a block lies from the wanted key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It begins with the wanted key or before it.
    NotAfter,
    /// It begins after it.
    After,
}

//! Pages of a trie as they are wanted: a check reads no file.

use std::ops::Deref;

/// Where a check has the pages of a trie from.
pub trait Pages<E> {
    /// The bytes of a page; empty past the end of the file.
    fn page(&mut self, number: u64) -> Result<impl Deref<Target = [u8]>, E>;
}

//! Bytes at hand: in place, in a page of the cache, or put together.

use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::context::Held;

/// Bytes of a range, for as long as the value lives. What isn't mapped is charged to the query's
/// budget.
#[derive(Debug)]
pub struct Bytes<'s>(Kind<'s>);

#[derive(Debug)]
enum Kind<'s> {
    Mapped(&'s [u8]),
    Page { page: Arc<[u8]>, range: Range<usize>, _held: Held },
    Own { bytes: Vec<u8>, _held: Held },
}

impl<'s> Bytes<'s> {
    /// Bytes that are in memory already.
    pub fn in_memory(bytes: &'s [u8]) -> Self {
        Bytes(Kind::Mapped(bytes))
    }

    pub(super) fn of_page(page: Arc<[u8]>, range: Range<usize>, held: Held) -> Self {
        Bytes(Kind::Page { page, range, _held: held })
    }

    pub(super) fn own(bytes: Vec<u8>, held: Held) -> Self {
        Bytes(Kind::Own { bytes, _held: held })
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Kind::Mapped(bytes) => bytes,
            Kind::Page { page, range, .. } => &page[range.clone()],
            Kind::Own { bytes, .. } => bytes,
        }
    }
}

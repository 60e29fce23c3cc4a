//! The separators of a partition's blocks in Rows.db beside its rows.
//!
//! Bytes:   docs/formats/sstable.md, "Rows.db"

use manicule_core::bytes::DecodeError;

use super::pages::Pages;
use crate::place::{Place, mark};
use crate::trie::{RowPayload, RowsEntry, Step, TriePage, TrieWalk, WalkFrom, put_prefix};
use crate::types::Type;
use crate::version::Version;

/// Compares the separators of a partition with its unfiltereds, as they are read.
#[derive(Clone, Debug)]
pub struct SeparatorCheck<'a> {
    version: Version,
    kinds: &'a [Type],
    walk: TrieWalk<'static>,
    /// What the next separator says, and the offset of that.
    next: Option<(RowPayload, u64)>,
    /// Number of separators that were met.
    count: u64,
    block_count: u64,
    entry_at: u64,
    /// The unfiltered before and the present one in byte-comparable form.
    before: Vec<u8>,
    form: Vec<u8>,
}

impl<'a> SeparatorCheck<'a> {
    /// Begins with a partition's entry in Rows.db, of which `pages` are asked; `kinds` are the
    /// types of the clustering columns, `path_len_max` is the greatest length of a separator.
    ///
    /// # Errors
    /// A first separator that can't be read.
    pub fn new<E: From<DecodeError>>(
        entry: &RowsEntry<'_>,
        version: Version,
        kinds: &'a [Type],
        path_len_max: usize,
        pages: &mut impl Pages<E>,
    ) -> Result<SeparatorCheck<'a>, E> {
        let mut check = SeparatorCheck {
            version,
            kinds,
            walk: TrieWalk::new(entry.root, WalkFrom::First, path_len_max),
            next: None,
            count: 0,
            block_count: entry.block_count,
            entry_at: entry.at,
            before: Vec::new(),
            form: Vec::new(),
        };
        check.advance(pages)?;
        Ok(check)
    }

    fn advance<E: From<DecodeError>>(&mut self, pages: &mut impl Pages<E>) -> Result<(), E> {
        self.next = None;
        while let Some(number) = self.walk.page() {
            let bytes = pages.page(number)?;
            if let Step::Found(payload) = self.walk.step(TriePage { number, bytes: &bytes })? {
                let at = payload.bytes.at();
                self.next = Some((RowPayload::read(payload, self.version)?, at));
                break;
            }
        }
        Ok(())
    }

    /// The partition's next row or marker.
    ///
    /// # Errors
    /// A separator whose offset is none of an unfiltered's, which separates wrongly, or has another
    /// open deletion than the data.
    pub fn unfiltered<E: From<DecodeError>>(
        &mut self,
        place: &Place<'_>,
        pages: &mut impl Pages<E>,
    ) -> Result<(), E> {
        self.form.clear();
        put_prefix(place.prefix.kind, self.kinds, place.prefix.values(self.kinds), &mut self.form);
        let is_first = self.count == 0;
        match self.next {
            Some((payload, at)) if is_first || payload.offset <= place.offset => {
                self.separator(payload, at, place)?;
                self.count += 1;
                self.advance(pages)?;
            }
            _ => {}
        }
        std::mem::swap(&mut self.before, &mut self.form);
        Ok(())
    }

    fn separator(
        &self,
        payload: RowPayload,
        at: u64,
        place: &Place<'_>,
    ) -> Result<(), DecodeError> {
        let corrupt = |what, want, got| Err(DecodeError::Corrupt { what, at, want, got });
        if payload.offset != place.offset {
            return corrupt("offset of a block", place.offset, payload.offset);
        }
        if payload.open != place.open_before {
            let (want, got) = (mark(place.open_before), mark(payload.open));
            return corrupt("deletion that is open before a block", want, got);
        }
        let path = self.walk.path();
        let is_after = self.count == 0 || self.before[..] < *path;
        if !is_after || *path > self.form[..] {
            return corrupt("separator between two blocks", 1, 0);
        }
        Ok(())
    }

    /// The partition, of `len` bytes, has ended.
    ///
    /// # Errors
    /// A last separator that doesn't point to the partition's end byte, and a wrong number of them.
    pub fn end<E: From<DecodeError>>(
        &mut self,
        len: u64,
        pages: &mut impl Pages<E>,
    ) -> Result<(), E> {
        let at = self.entry_at;
        let Some((payload, payload_at)) = self.next else {
            let (what, want, got) = ("number of separators", self.block_count + 1, self.count);
            return Err(DecodeError::Corrupt { what, at, want, got }.into());
        };
        let end = RowPayload { offset: len - 1, open: None };
        if payload != end {
            let (what, want, got) = ("offset of a partition's end", end.offset, payload.offset);
            return Err(DecodeError::Corrupt { what, at: payload_at, want, got }.into());
        }
        self.advance(pages)?;
        let got = self.count + u64::from(self.next.is_some());
        if got == self.block_count {
            Ok(())
        } else {
            let (what, want) = ("number of blocks", self.block_count);
            Err(DecodeError::Corrupt { what, at, want, got }.into())
        }
    }
}

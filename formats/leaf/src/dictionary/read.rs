//! A dictionary segment, read where it lies.
//!
//! Bytes:   docs/formats/leaf.md, section *dictionary*
//! Callers: engines/graph

use manicule_core::bytes::{DecodeError, PageSums};

use super::footer::{DictionaryShape, read_shape};
use super::section::Section;
use crate::id::Tag;

/// A dictionary segment, bound to the bytes of its file.
#[derive(Clone, Copy, Debug)]
pub struct Dictionary<'a> {
    bytes: &'a [u8],
    shape: DictionaryShape,
}

impl<'a> Dictionary<'a> {
    /// Binds to the bytes of a whole file. Head, table and footer are checked, and the tables of symbols; the sums of the other pages
    /// are not, see [`Dictionary::check_pages`].
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let dictionary = Dictionary { bytes, shape: read_shape(bytes)? };
        for shape in dictionary.shape.sections.iter().flatten() {
            Section::bind(shape, bytes)?.check()?;
        }
        Ok(dictionary)
    }

    /// Binds to bytes that were opened before, of which this is the shape.
    ///
    /// Panics if the bytes have another length.
    pub fn bind(shape: DictionaryShape, bytes: &'a [u8]) -> Self {
        assert_eq!(bytes.len() as u64, shape.len, "the bytes that the shape is of");
        Dictionary { bytes, shape }
    }

    /// What opening found.
    pub fn shape(&self) -> DictionaryShape {
        self.shape
    }

    /// The terms of a tag; `None` if there are none here.
    pub fn section(&self, tag: Tag) -> Result<Option<Section<'a>>, DecodeError> {
        let shape = self.shape.sections.iter().flatten().find(|shape| shape.tag == tag);
        shape.map(|shape| Section::bind(shape, self.bytes)).transpose()
    }

    /// The tags that have terms, in order.
    pub fn tags(&self) -> impl Iterator<Item = Tag> {
        self.shape.sections.into_iter().flatten().map(|shape| shape.tag)
    }

    /// Checks the sums of all pages.
    pub fn check_pages(&self) -> Result<(), DecodeError> {
        let (body, tail) = self.bytes.split_at(self.shape.sums_at as usize);
        let sums_len = self.shape.sums_at.div_ceil(manicule_core::bytes::PAGE_LEN as u64) * 4;
        PageSums::new(body, &tail[..sums_len as usize]).check_all()
    }
}

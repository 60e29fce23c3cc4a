//! A dictionary segment, read where it lies.
//!
//! Bytes:   docs/formats/leaf.md, section *dictionary*

use manicule_core::bytes::{DecodeError, PAGE_LEN, PageChecks, Pages};

use super::footer::{DictionaryShape, read_shape};
use super::section::Section;
use crate::id::Tag;

/// A dictionary segment, bound to the bytes of its file.
#[derive(Clone, Copy, Debug)]
pub struct Dictionary<'a> {
    bytes: &'a [u8],
    shape: DictionaryShape,
    pages: Option<Pages<'a>>,
}

impl<'a> Dictionary<'a> {
    /// Binds to the bytes of a whole file. Head, table and footer are checked, and the tables of
    /// symbols; the sums of the other pages are not, see [`Dictionary::with_checks`] and
    /// [`Dictionary::check_pages`].
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let dictionary = Dictionary { bytes, shape: read_shape(bytes)?, pages: None };
        for shape in dictionary.shape.sections.iter().flatten() {
            Section::bind(shape, bytes, None)?.check()?;
        }
        Ok(dictionary)
    }

    /// Binds to bytes that were opened before, of which this is the shape.
    ///
    /// Panics if the bytes have another length.
    pub fn bind(shape: DictionaryShape, bytes: &'a [u8]) -> Self {
        assert_eq!(bytes.len() as u64, shape.len, "the bytes that the shape is of");
        Dictionary { bytes, shape, pages: None }
    }

    /// The same dictionary, of which the sum of each page is checked when the page is first read.
    pub fn with_checks(self, checks: &'a PageChecks) -> Self {
        Dictionary { pages: Some(self.pages(checks)), ..self }
    }

    fn pages<'p>(&self, checks: &'p PageChecks) -> Pages<'p>
    where
        'a: 'p,
    {
        let (body, tail) = self.bytes.split_at(self.shape.sums_at as usize);
        let sums_len = body.len().div_ceil(PAGE_LEN) * 4;
        Pages::new(body, &tail[..sums_len], checks)
    }

    /// What opening found.
    pub fn shape(&self) -> DictionaryShape {
        self.shape
    }

    /// The terms of a tag; `None` if there are none here.
    pub fn section(&self, tag: Tag) -> Result<Option<Section<'a>>, DecodeError> {
        let shape = self.shape.sections.iter().flatten().find(|shape| shape.tag == tag);
        shape.map(|shape| Section::bind(shape, self.bytes, self.pages)).transpose()
    }

    /// The tags that have terms, in order.
    pub fn tags(&self) -> impl Iterator<Item = Tag> {
        self.shape.sections.into_iter().flatten().map(|shape| shape.tag)
    }

    /// Checks the sums of all pages.
    pub fn check_pages(&self) -> Result<(), DecodeError> {
        self.pages(&self.shape.checks()).check_all()
    }
}

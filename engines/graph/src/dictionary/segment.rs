//! Segments of the dictionary: files of terms with numbers that follow each other.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use manicule_core::bytes::{DecodeError, PageChecks};
use manicule_format_leaf::dictionary::{Dictionary, DictionaryShape, Terms};
use manicule_format_leaf::manifest::FileRow;
use manicule_format_leaf::{Id, Tag};
use manicule_store::Mapped;

use super::piece::{PerTag, TEXT_TAGS};
use crate::error::GraphError;
use crate::term::{TermRef, decode_term};
use crate::view::WantedTerm;

/// A segment, mapped. The sum of each page is checked when the page is first read.
#[derive(Debug)]
pub struct Segment {
    row: FileRow,
    path: PathBuf,
    bytes: Mapped,
    shape: DictionaryShape,
    checks: PageChecks,
    /// Whether the sum of the whole file was compared.
    is_whole: AtomicBool,
    numbers: PerTag<Option<Range<u64>>>,
}

impl Segment {
    /// Opens the bytes of a segment that a manifest names. `path` is for errors.
    pub fn open(row: FileRow, path: PathBuf, bytes: Mapped) -> Result<Self, GraphError> {
        let (want, got) = (row.len, bytes.len() as u64);
        let opened = if want == got {
            Dictionary::open(&bytes).and_then(|dictionary| {
                let mut numbers = PerTag::default();
                for (place, tag) in TEXT_TAGS.into_iter().enumerate() {
                    numbers[place] = dictionary.section(tag)?.map(|section| section.numbers());
                }
                Ok((dictionary.shape(), numbers))
            })
        } else {
            Err(DecodeError::Corrupt { what: "length that the manifest has", at: 0, want, got })
        };
        match opened {
            Ok((shape, numbers)) => {
                let checks = shape.checks();
                let is_whole = AtomicBool::new(false);
                Ok(Segment { row, path, bytes, shape, checks, is_whole, numbers })
            }
            Err(source) => Err(GraphError::Damaged { file: path, source }),
        }
    }

    /// Its row in the manifest.
    pub fn row(&self) -> &FileRow {
        &self.row
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of its file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its sum has been compared: no page has to be checked any more.
    pub fn set_whole(&self) {
        self.is_whole.store(true, Relaxed);
    }

    /// The dictionary.
    pub fn dictionary(&self) -> Dictionary<'_> {
        let dictionary = Dictionary::bind(self.shape, &self.bytes);
        if self.is_whole.load(Relaxed) { dictionary } else { dictionary.with_checks(&self.checks) }
    }

    /// Number of terms.
    pub fn count(&self) -> u64 {
        self.numbers.iter().flatten().map(|numbers| numbers.end - numbers.start).sum()
    }

    /// The id of a term, if it is here.
    pub fn find(&self, tag: Tag, text: &[u8]) -> Result<Option<Id>, GraphError> {
        let find = || match self.dictionary().section(tag)? {
            Some(section) => section.find(text),
            None => Ok(None),
        };
        let number = find().map_err(|source| self.damaged(source))?;
        Ok(number.map(|number| Id::new(tag, number)))
    }

    /// The numbers of a tag that it has.
    pub fn numbers(&self, place: usize) -> Option<Range<u64>> {
        self.numbers[place].clone()
    }

    /// Replaces `text` by that of a term, if it is here.
    pub fn read(&self, id: Id, text: &mut Vec<u8>) -> Result<bool, GraphError> {
        text.clear();
        let mut read = || {
            let section = self.dictionary().section(id.tag())?;
            let section = section.filter(|section| section.numbers().contains(&id.payload()));
            let Some(section) = section else { return Ok(false) };
            section.read(id.payload(), text).map(|()| true)
        };
        read().map_err(|source| self.damaged(source))
    }

    /// Reads terms of a tag, up to the first that isn't here; how many they are.
    pub fn read_some(
        &self,
        place: usize,
        ids: &[WantedTerm],
        read: &mut dyn FnMut(WantedTerm, TermRef<'_>),
    ) -> Result<usize, GraphError> {
        let (tag, Some(numbers)) = (TEXT_TAGS[place], self.numbers(place)) else { return Ok(0) };
        let is_here = |id: Id| id.tag() == tag && numbers.contains(&id.payload());
        let count = ids.iter().take_while(|wanted| is_here(wanted.id)).count();
        let section = self.dictionary().section(tag).map_err(|source| self.damaged(source))?;
        let Some(section) = section else { return Ok(0) };
        let mut terms = Terms::new(section, 0..0);
        for own in &ids[..count] {
            let rank = section.rank_of(own.id.payload());
            let bytes = rank.and_then(|rank| terms.at(rank));
            let bytes = bytes.map_err(|source| self.damaged(source))?;
            let term = decode_term(tag, bytes);
            read(*own, term.map_err(|source| GraphError::Term { id: own.id, source })?);
        }
        Ok(count)
    }

    pub(super) fn damaged(&self, source: DecodeError) -> GraphError {
        GraphError::Damaged { file: self.path.clone(), source }
    }
}

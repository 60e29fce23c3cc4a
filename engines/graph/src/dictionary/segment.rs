//! Segments of the dictionary: files of terms with numbers that follow each other.
//!
//! Callers: snapshot, store

use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_core::sorted::{Arena, Strings, sorted};
use manicule_format_leaf::dictionary::{Dictionary, DictionaryShape, DictionaryWriter};
use manicule_format_leaf::manifest::FileRow;
use manicule_format_leaf::{Id, Tag};
use manicule_store::Mapped;

use super::piece::{PerTag, Piece, TEXT_TAGS, place_of};
use crate::error::GraphError;

/// A segment, mapped.
#[derive(Debug)]
pub struct Segment {
    row: FileRow,
    path: PathBuf,
    bytes: Mapped,
    shape: DictionaryShape,
}

impl Segment {
    /// Opens the bytes of a segment that a manifest names. `path` is for errors.
    pub fn open(row: FileRow, path: PathBuf, bytes: Mapped) -> Result<Self, GraphError> {
        let (want, got) = (row.len, bytes.len() as u64);
        let opened = match want == got {
            true => Dictionary::open(&bytes).map(|dictionary| dictionary.shape()),
            false => {
                Err(DecodeError::Corrupt { what: "length that the manifest has", at: 0, want, got })
            }
        };
        match opened {
            Ok(shape) => Ok(Segment { row, path, bytes, shape }),
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

    /// The dictionary.
    pub fn dictionary(&self) -> Dictionary<'_> {
        Dictionary::bind(self.shape, &self.bytes)
    }

    /// Number of terms.
    pub fn count(&self) -> Result<u64, GraphError> {
        let mut count = 0;
        for tag in TEXT_TAGS {
            let section = self.dictionary().section(tag);
            count += section
                .map_err(|source| self.damaged(source))?
                .map_or(0, |section| section.count());
        }
        Ok(count)
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

    /// The text of a term, if it is here.
    pub fn read(&self, id: Id) -> Result<Option<Vec<u8>>, GraphError> {
        let read = || {
            let section = self.dictionary().section(id.tag())?;
            let section = section.filter(|section| section.numbers().contains(&id.payload()));
            let Some(section) = section else { return Ok(None) };
            let mut text = Vec::new();
            section.read(id.payload(), &mut text)?;
            Ok(Some(text))
        };
        read().map_err(|source| self.damaged(source))
    }

    fn damaged(&self, source: DecodeError) -> GraphError {
        GraphError::Damaged { file: self.path.clone(), source }
    }
}

/// The bytes of a segment of the terms of others that follow each other, and of those that come after them.
pub fn merged_segment(segments: &[&Segment], last: &Piece) -> Result<Vec<u8>, GraphError> {
    let mut writer = DictionaryWriter::new();
    let firsts = last.first();
    for tag in TEXT_TAGS {
        let (first, texts) = texts_of(tag, segments, last, &firsts)?;
        // Ranks by their numbers: most segments are of terms in the order in which they came.
        let numbers = sorted(&texts);
        writer.begin(tag, first);
        numbers.iter().for_each(|number| writer.push(texts.get(*number)));
        writer.end(Some(&numbers));
    }
    Ok(writer.finish())
}

/// The texts of a tag by their numbers, and the first number.
fn texts_of(
    tag: Tag,
    segments: &[&Segment],
    last: &Piece,
    firsts: &PerTag<u64>,
) -> Result<(u64, Arena), GraphError> {
    let place = place_of(tag).expect("a tag with texts");
    let (mut texts, mut first) = (Arena::default(), None);
    for segment in segments {
        let mut read = || {
            let Some(section) = segment.dictionary().section(tag)? else { return Ok(()) };
            first.get_or_insert(section.numbers().start);
            let mut text = Vec::new();
            for number in section.numbers() {
                text.clear();
                section.read(number, &mut text)?;
                texts.push(&text);
            }
            Ok(())
        };
        read().map_err(|source| segment.damaged(source))?;
    }
    let of_last = last.texts(place);
    for number in 0..of_last.count() {
        texts.push(of_last.get(number));
    }
    Ok((first.unwrap_or(firsts[place]), texts))
}

//! Segments of the dictionary: files of terms with numbers that follow each other.
//!
//! Callers: snapshot, store

use std::ops::Range;
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_core::sorted::{Strings, sorted};
use manicule_core::watch::Meter;
use manicule_format_leaf::dictionary::{
    Dictionary, DictionaryShape, DictionaryWriter, Section, Terms,
};
use manicule_format_leaf::manifest::FileRow;
use manicule_format_leaf::{Id, Tag};
use manicule_store::Mapped;

use super::piece::{PerTag, Piece, TEXT_TAGS};
use crate::error::GraphError;

/// A segment, mapped.
#[derive(Debug)]
pub struct Segment {
    row: FileRow,
    path: PathBuf,
    bytes: Mapped,
    shape: DictionaryShape,
    numbers: PerTag<Option<Range<u64>>>,
}

impl Segment {
    /// Opens the bytes of a segment that a manifest names. `path` is for errors.
    pub fn open(row: FileRow, path: PathBuf, bytes: Mapped) -> Result<Self, GraphError> {
        let (want, got) = (row.len, bytes.len() as u64);
        let opened = match want == got {
            true => Dictionary::open(&bytes).and_then(|dictionary| {
                let mut numbers = PerTag::default();
                for (place, tag) in TEXT_TAGS.into_iter().enumerate() {
                    numbers[place] = dictionary.section(tag)?.map(|section| section.numbers());
                }
                Ok((dictionary.shape(), numbers))
            }),
            false => {
                Err(DecodeError::Corrupt { what: "length that the manifest has", at: 0, want, got })
            }
        };
        match opened {
            Ok((shape, numbers)) => Ok(Segment { row, path, bytes, shape, numbers }),
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

    fn damaged(&self, source: DecodeError) -> GraphError {
        GraphError::Damaged { file: self.path.clone(), source }
    }
}

/// The bytes of a segment of the terms of others that follow each other, and of those that come after them. `meter` counts terms.
pub fn merged_segment(
    segments: &[&Segment],
    last: &Piece,
    meter: &Meter<'_>,
) -> Result<Vec<u8>, GraphError> {
    let mut writer = DictionaryWriter::new();
    let mut steps = meter.steps();
    for (place, tag) in TEXT_TAGS.into_iter().enumerate() {
        let first = segments.iter().find_map(|segment| segment.numbers(place));
        let first = first.map_or(last.first()[place], |numbers| numbers.start);
        let of_last = last.texts(place);
        let mut new = sorted(of_last).into_iter().peekable();
        let number_of_new = |at: u32| last.first()[place] + u64::from(at);
        let mut sources = Vec::with_capacity(segments.len());
        for segment in segments {
            sources.extend(Source::new(segment, tag)?);
        }
        let (mut numbers, mut pushed) = (Vec::new(), None::<Vec<u8>>);
        writer.begin(tag, first);
        loop {
            steps.add(1)?;
            let least = sources.iter_mut().min_by(|left, right| left.text.cmp(&right.text));
            let number = match (least, new.peek()) {
                (None, None) => break,
                (Some(source), at) if at.is_none_or(|at| source.text[..] < *of_last.get(*at)) => {
                    source.check_after(pushed.as_deref())?;
                    writer.push(&source.text);
                    pushed.get_or_insert_default().clone_from(&source.text);
                    let number = source.number()?;
                    source.pass()?;
                    number
                }
                (_, Some(at)) => {
                    let at = *at;
                    new.next();
                    writer.push(of_last.get(at));
                    let text = pushed.get_or_insert_default();
                    text.clear();
                    text.extend_from_slice(of_last.get(at));
                    number_of_new(at)
                }
                (Some(_), None) => unreachable!("it is the least where nothing is new"),
            };
            sources.retain(|source| !source.is_over);
            let number = u32::try_from(number - first);
            numbers.push(number.expect("a segment has fewer than 2^32 terms of a tag"));
        }
        writer.end(Some(&numbers));
    }
    Ok(writer.finish())
}

/// The terms of a tag of a segment, in the order of their texts.
struct Source<'s> {
    segment: &'s Segment,
    section: Section<'s>,
    terms: Terms<'s>,
    /// Of the head.
    rank: u64,
    text: Vec<u8>,
    is_over: bool,
}

impl<'s> Source<'s> {
    fn new(segment: &'s Segment, tag: Tag) -> Result<Option<Self>, GraphError> {
        let section = segment.dictionary().section(tag);
        let Some(section) = section.map_err(|source| segment.damaged(source))? else {
            return Ok(None);
        };
        let terms = Terms::new(section, 0..section.count());
        let mut source =
            Source { segment, section, terms, rank: 0, text: Vec::new(), is_over: false };
        source.pass()?;
        Ok(Some(source))
    }

    /// The number of the head.
    fn number(&self) -> Result<u64, GraphError> {
        self.section.number_at(self.rank).map_err(|source| self.segment.damaged(source))
    }

    /// An error unless the head is above what was written: texts of a segment increase, and none is in two of them.
    fn check_after(&self, text: Option<&[u8]>) -> Result<(), GraphError> {
        if text.is_none_or(|text| *text < *self.text) {
            return Ok(());
        }
        let (what, at) = ("term above those before, at its rank", self.rank);
        Err(self.segment.damaged(DecodeError::Corrupt { what, at, want: 1, got: 0 }))
    }

    /// Goes on to the next term.
    fn pass(&mut self) -> Result<(), GraphError> {
        match self.terms.next() {
            None => self.is_over = true,
            Some(next) => {
                let (rank, text) = next.map_err(|source| self.segment.damaged(source))?;
                self.rank = rank;
                self.text.clear();
                self.text.extend_from_slice(text);
            }
        }
        Ok(())
    }
}

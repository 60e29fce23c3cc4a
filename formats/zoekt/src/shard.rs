//! A shard read where it lies: documents, names, trigrams and their positions, without rebuilding anything.
//!
//! Opening reads the table of contents, the JSON and the rune counts of documents and names: some 100 microseconds for
//! 10,000 documents, whatever the size of the contents. Everything else is looked up in place, and checked as it is
//! touched.
//!
//! Bytes:   docs/formats/zoekt.md
//! Callers: this crate's outline and verification, engines/code

use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};

use crate::deltas;
use crate::error::Error;
use crate::layout::{Extent, ITEM_LEN, Section, Toc};
use crate::metadata::{
    COMPOUND_VERSION, FEATURE_VERSION, FEATURE_VERSION_MIN, FORMAT_VERSION, IndexMetadata,
    Repository,
};
use crate::words::Category;

/// The bytes of a number of a trigram.
pub(crate) const NGRAM_LEN: usize = size_of::<u64>();

/// A shard, open.
#[derive(Debug)]
pub struct Shard<'a> {
    bytes: &'a [u8],
    toc: Toc,
    metadata: IndexMetadata,
    repositories: Vec<Repository>,
    repository_of: Vec<u32>,
    contents: Corpus<'a>,
    names: Corpus<'a>,
}

impl<'a> Shard<'a> {
    /// Opens the bytes of a whole shard file.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        let toc = Toc::open(bytes)?;
        let metadata: IndexMetadata = json(bytes, &toc, Section::MetaData)?;
        check_versions(&metadata)?;
        let repositories = repositories(bytes, &toc)?;
        let is_compound = metadata.index_format_version == COMPOUND_VERSION;
        let repository_of = if is_compound { repository_of(bytes, &toc)? } else { Vec::new() };
        let contents = Corpus::open(bytes, &toc, &CONTENTS)?;
        let names = Corpus::open(bytes, &toc, &NAMES)?;
        let shard = Shard { bytes, toc, metadata, repositories, repository_of, contents, names };
        shard.check_counts()?;
        Ok(shard)
    }

    /// The counts that must be alike, and the lengths of the sections with a fixed number of bytes a document.
    fn check_counts(&self) -> Result<(), DecodeError> {
        let count = self.document_count();
        let same = |section: Section, got: usize| match got == count {
            true => Ok(()),
            false => {
                let at = u64::from(self.toc.extent(section).at);
                let (want, got) = (count as u64, got as u64);
                Err(DecodeError::Corrupt { what: section.tag(), at, want, got })
            }
        };
        for section in [Section::FileNames, Section::Newlines, Section::FileSections] {
            same(section, self.toc.extent(section).item_count())?;
        }
        same(Section::FileEndRunes, self.contents.ends.len())?;
        same(Section::NameEndRunes, self.names.ends.len())?;
        if self.metadata.index_format_version == COMPOUND_VERSION {
            same(Section::Repos, self.repository_of.len())?;
        }
        for (section, len) in
            [(Section::BranchMasks, 8), (Section::Languages, 2), (Section::Categories, 1)]
        {
            let extent = self.toc.extent(section);
            let got = extent.len as usize;
            if got != count * len {
                let (at, want, got) = (u64::from(extent.at), (count * len) as u64, got as u64);
                return Err(DecodeError::Corrupt { what: section.tag(), at, want, got });
            }
        }
        // A shard of format 16 is of one repository: every document belongs to the first.
        let is_compound = self.metadata.index_format_version == COMPOUND_VERSION;
        let (at, got) = (self.toc.extent(Section::RepoMetaData).at.into(), self.repositories.len());
        if got == 0 || (!is_compound && got != 1) {
            let (what, want, got) = ("number of repositories", 1, got as u64);
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        for repository in &self.repository_of {
            if *repository as usize >= self.repositories.len() {
                let at = u64::from(self.toc.extent(Section::Repos).at);
                let (want, got) = (self.repositories.len() as u64, u64::from(*repository));
                return Err(DecodeError::Corrupt { what: "number of a repository", at, want, got });
            }
        }
        Ok(())
    }

    /// All bytes of the file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Table of contents: extents of the sections.
    pub fn toc(&self) -> &Toc {
        &self.toc
    }

    /// Metadata of the shard.
    pub fn metadata(&self) -> &IndexMetadata {
        &self.metadata
    }

    /// The repositories whose documents it holds. One, unless the shard is compound.
    pub fn repositories(&self) -> &[Repository] {
        &self.repositories
    }

    /// Takes what a sidecar file (`SHARD.meta`) says of the repositories instead of what the shard says: tombstones,
    /// newer branches. There must be as many as before.
    pub fn replace_repositories(&mut self, sidecar: &[u8]) -> Result<(), Error> {
        let repositories = read_repositories(sidecar, "sidecar", 0)?;
        if repositories.len() != self.repositories.len() {
            let (want, got) = (self.repositories.len() as u64, repositories.len() as u64);
            let what = "repositories of a sidecar";
            return Err(DecodeError::Corrupt { what, at: 0, want, got }.into());
        }
        self.repositories = repositories;
        Ok(())
    }

    /// Number of documents.
    pub fn document_count(&self) -> usize {
        self.contents.texts.len()
    }

    /// The documents.
    pub fn contents(&self) -> &Corpus<'a> {
        &self.contents
    }

    /// Their names.
    pub fn names(&self) -> &Corpus<'a> {
        &self.names
    }

    /// Which of the repositories a document belongs to.
    pub fn repository_of(&self, document: usize) -> usize {
        self.repository_of.get(document).map_or(0, |repository| *repository as usize)
    }

    /// The code of a document's language; the metadata's map names it.
    pub fn language(&self, document: usize) -> u16 {
        let at = self.toc.extent(Section::Languages).at as usize + document * 2;
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    /// The category of a document, or the byte that stands for none.
    pub fn category(&self, document: usize) -> Result<Category, u8> {
        let byte = self.bytes[self.toc.extent(Section::Categories).at as usize + document];
        Category::from_byte(byte).ok_or(byte)
    }

    /// The branches of a document: bit `i` stands for the repository's branch `i`.
    pub fn branch_mask(&self, document: usize) -> u64 {
        let at = self.toc.extent(Section::BranchMasks).at as usize + document * 8;
        u64::from_be_bytes(self.bytes[at..at + 8].try_into().expect("eight bytes"))
    }

    /// The items of a compound section.
    pub fn items(&self, section: Section) -> Items<'a> {
        Items::new(self.bytes, self.toc.extent(section), section.tag())
    }

    /// The bytes of a section, without its index.
    pub fn section(&self, section: Section) -> &'a [u8] {
        slice(self.bytes, self.toc.extent(section).data())
    }

    /// Line ends of a document: the offset of each line feed.
    pub fn newlines(&self, document: usize) -> Result<Vec<u32>, DecodeError> {
        self.deltas_of(Section::Newlines, document)
    }

    /// Start and end of each symbol of a document, in bytes, by start.
    pub fn symbol_sections(&self, document: usize) -> Result<Vec<u32>, DecodeError> {
        self.deltas_of(Section::FileSections, document)
    }

    fn deltas_of(&self, section: Section, document: usize) -> Result<Vec<u32>, DecodeError> {
        let range = self.items(section).range(document)?;
        deltas::decode(section.tag(), reader(self.bytes, range))
    }

    /// The numbers of a section of sized deltas.
    pub fn numbers(&self, section: Section) -> Result<Vec<u32>, DecodeError> {
        deltas::decode(section.tag(), reader(self.bytes, self.toc.extent(section).data()))
    }
}

/// Texts one after the other, and the trigrams in them. The documents are one corpus, their names another.
#[derive(Debug)]
pub struct Corpus<'a> {
    texts: Items<'a>,
    ngrams: &'a [u8],
    postings: Items<'a>,
    ends: Vec<u32>,
}

/// The sections of a corpus.
pub(crate) struct CorpusSections {
    pub(crate) texts: Section,
    pub(crate) ngrams: Section,
    pub(crate) postings: Section,
    pub(crate) rune_offsets: Section,
    pub(crate) ends: Section,
}

pub(crate) const CONTENTS: CorpusSections = CorpusSections {
    texts: Section::FileContents,
    ngrams: Section::NgramText,
    postings: Section::Postings,
    rune_offsets: Section::RuneOffsets,
    ends: Section::FileEndRunes,
};

pub(crate) const NAMES: CorpusSections = CorpusSections {
    texts: Section::FileNames,
    ngrams: Section::NameNgramText,
    postings: Section::NamePostings,
    rune_offsets: Section::NameRuneOffsets,
    ends: Section::NameEndRunes,
};

impl<'a> Corpus<'a> {
    fn open(bytes: &'a [u8], toc: &Toc, sections: &CorpusSections) -> Result<Self, DecodeError> {
        let items = |section: Section| Items::new(bytes, toc.extent(section), section.tag());
        let ngram_extent = toc.extent(sections.ngrams);
        let postings = items(sections.postings);
        let (want, got) = (postings.len() * NGRAM_LEN, ngram_extent.len as usize);
        if want != got {
            let (what, at) = (sections.ngrams.tag(), u64::from(ngram_extent.at));
            return Err(DecodeError::Corrupt { what, at, want: want as u64, got: got as u64 });
        }
        let ends_at = toc.extent(sections.ends);
        let ends = deltas::decode(sections.ends.tag(), reader(bytes, ends_at.data()))?;
        if let Some(index) = ends.windows(2).position(|pair| pair[0] > pair[1]) {
            let (what, at) = (sections.ends.tag(), u64::from(ends_at.at));
            let (want, got) = (u64::from(ends[index]), u64::from(ends[index + 1]));
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        let texts = items(sections.texts);
        Ok(Corpus { texts, ngrams: slice(bytes, ngram_extent.data()), postings, ends })
    }

    /// The texts.
    pub fn texts(&self) -> &Items<'a> {
        &self.texts
    }

    /// Text number `index`.
    pub fn text(&self, index: usize) -> Result<&'a [u8], DecodeError> {
        self.texts.get(index)
    }

    /// Number of runes up to the end of each text, increasing.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The runes of text `index`, counted through the corpus.
    pub fn rune_range(&self, index: usize) -> Range<u32> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[index]
    }

    /// Number of distinct trigrams in the corpus.
    pub fn ngram_count(&self) -> usize {
        self.postings.len()
    }

    /// The trigram at a place of their order.
    pub fn ngram_at(&self, index: usize) -> u64 {
        let at = index * NGRAM_LEN;
        u64::from_be_bytes(self.ngrams[at..at + NGRAM_LEN].try_into().expect("eight bytes"))
    }

    /// The place of a trigram in their order, if it is in the corpus. Bisects in place: about 18 steps.
    pub fn find(&self, ngram: u64) -> Option<usize> {
        let (mut low, mut after) = (0, self.ngram_count());
        while low < after {
            let middle = (low + after) / 2;
            match self.ngram_at(middle).cmp(&ngram) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => after = middle,
            }
        }
        None
    }

    /// The posting list at a place of the trigrams' order: its bytes.
    pub fn postings(&self, index: usize) -> Result<&'a [u8], DecodeError> {
        self.postings.get(index)
    }

    /// The same list: where its trigram stands.
    pub fn positions(&self, index: usize) -> Result<Positions<'a>, DecodeError> {
        let range = self.postings.range(index)?;
        let at = u64::from(range.start);
        Ok(Positions::new(slice(self.postings.bytes, range.start.into()..range.end.into()), at))
    }
}

/// The items of a compound section.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    bytes: &'a [u8],
    index: &'a [u8],
    extent: Extent,
    what: &'static str,
}

impl<'a> Items<'a> {
    pub(crate) fn new(bytes: &'a [u8], extent: Extent, what: &'static str) -> Self {
        Items { bytes, index: slice(bytes, extent.index()), extent, what }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.index.len() / ITEM_LEN
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Offset of item `index`, or, after the last one, of the section's end. Unchecked.
    pub(crate) fn start(&self, index: usize) -> u32 {
        match self.index.get(index * ITEM_LEN..(index + 1) * ITEM_LEN) {
            Some(bytes) => u32::from_be_bytes(bytes.try_into().expect("four bytes")),
            None => self.extent.at + self.extent.len,
        }
    }

    /// Range of item `index` in the file: inside the section.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn range(&self, index: usize) -> Result<Range<u32>, DecodeError> {
        assert!(index < self.len(), "item {index} of {}", self.len());
        let (start, end) = (self.start(index), self.start(index + 1));
        let (low, high) = (self.extent.at, self.extent.at + self.extent.len);
        if start < low || start > end || end > high {
            let at = u64::from(self.extent.index_at) + (index * ITEM_LEN) as u64;
            let want = if start < low { low } else { high.min(end) };
            let (what, want, got) = (self.what, want.into(), start.max(end.min(start)).into());
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        Ok(start..end)
    }

    /// The bytes of item `index`.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn get(&self, index: usize) -> Result<&'a [u8], DecodeError> {
        let range = self.range(index)?;
        Ok(slice(self.bytes, range.start.into()..range.end.into()))
    }
}

/// Positions of a trigram: the rune offsets in the corpus of its first rune, increasing.
///
/// Stops at the first number that can't be read; [`Positions::finish`] returns whether that was the end.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    rest: &'a [u8],
    at: u64,
    last: u32,
    is_damaged: bool,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: u64) -> Self {
        Positions { rest: bytes, at, last: 0, is_damaged: false }
    }

    /// Whether all of the list was read, or why not.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.is_damaged {
            false => Ok(()),
            true => {
                let (what, got) = ("position of a trigram", u64::from(self.last));
                Err(DecodeError::Corrupt { what, at: self.at, want: u32::MAX.into(), got })
            }
        }
    }

    /// The offset in the file after what was read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    #[cold]
    fn wide(&mut self) -> Option<u32> {
        let mut reader = Reader::new(self.rest, self.at);
        let Ok(gap) = reader.varint_u32("position of a trigram") else {
            self.is_damaged = true;
            self.rest = &[];
            return None;
        };
        self.at = reader.at();
        self.rest = reader.rest();
        Some(gap)
    }
}

impl Iterator for Positions<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let gap = match self.rest {
            [] => return None,
            [low @ ..0x80, rest @ ..] => {
                self.rest = rest;
                self.at += 1;
                u32::from(*low)
            }
            [low, high @ ..0x80, rest @ ..] => {
                self.rest = rest;
                self.at += 2;
                u32::from(*low & 0x7f) | u32::from(*high) << 7
            }
            _ => self.wide()?,
        };
        match self.last.checked_add(gap) {
            Some(position) => self.last = position,
            None => {
                self.is_damaged = true;
                self.rest = &[];
                return None;
            }
        }
        Some(self.last)
    }
}

pub(crate) fn check_versions(metadata: &IndexMetadata) -> Result<(), Error> {
    let format = metadata.index_format_version;
    if !(FORMAT_VERSION..=COMPOUND_VERSION).contains(&format) {
        let (what, want) = ("the shard's format version", FORMAT_VERSION);
        return Err(Error::Version { what, want, got: format });
    }
    let features = metadata.index_feature_version;
    if features < FEATURE_VERSION_MIN {
        let (what, want) = ("the shard's feature version", FEATURE_VERSION_MIN);
        return Err(Error::Version { what, want, got: features });
    }
    let reader = metadata.index_min_reader_version;
    if reader > FEATURE_VERSION {
        let (what, want) = ("the oldest reader's version", FEATURE_VERSION);
        return Err(Error::Version { what, want, got: reader });
    }
    Ok(())
}

fn json<T: serde::de::DeserializeOwned>(
    bytes: &[u8],
    toc: &Toc,
    section: Section,
) -> Result<T, Error> {
    let extent = toc.extent(section);
    let (what, at) = (section.tag(), u64::from(extent.at));
    serde_json::from_slice(slice(bytes, extent.data())).map_err(|source| Error::Json {
        what,
        at,
        source,
    })
}

fn repositories(bytes: &[u8], toc: &Toc) -> Result<Vec<Repository>, Error> {
    let section = Section::RepoMetaData;
    let extent = toc.extent(section);
    read_repositories(slice(bytes, extent.data()), section.tag(), extent.at.into())
}

/// One repository, or several in an array.
pub(crate) fn read_repositories(
    bytes: &[u8],
    what: &'static str,
    at: u64,
) -> Result<Vec<Repository>, Error> {
    let is_array = bytes.trim_ascii_start().first() == Some(&b'[');
    let read = match is_array {
        true => serde_json::from_slice(bytes),
        false => serde_json::from_slice(bytes).map(|repository| vec![repository]),
    };
    read.map_err(|source| Error::Json { what, at, source })
}

/// The repository of each document. Their numbers have 16 bits, and wrap as such.
fn repository_of(bytes: &[u8], toc: &Toc) -> Result<Vec<u32>, DecodeError> {
    let section = Section::Repos;
    let numbers = deltas::decode(section.tag(), reader(bytes, toc.extent(section).data()))?;
    Ok(numbers.into_iter().map(|number| number & 0xffff).collect())
}

/// A range that was checked when the table of contents was read.
pub(crate) fn slice(bytes: &[u8], range: Range<u64>) -> &[u8] {
    &bytes[range.start as usize..range.end as usize]
}

pub(crate) fn reader(bytes: &[u8], range: Range<impl Into<u64>>) -> Reader<'_> {
    let (start, end) = (range.start.into(), range.end.into());
    Reader::new(slice(bytes, start..end), start)
}

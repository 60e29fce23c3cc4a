//! Corpus of a shard, contents or names: texts, trigrams, posting lists.
//!
//! Bytes:   docs/formats/zoekt.md

use std::ops::Range;
use std::sync::Arc;

use manicule_core::bytes::DecodeError;

use super::items::{Items, Positions};
use crate::deltas;
use crate::layout::{Extent, Section, Toc};
use crate::source::Source;

/// The bytes of a number of a trigram.
pub(crate) const NGRAM_LEN: usize = size_of::<u64>();

/// Texts one after the other, and the trigrams in them. The documents are one corpus, their names
/// another.
#[derive(Debug)]
pub struct Corpus<'a> {
    source: Source<'a>,
    pub(super) texts: Items<'a>,
    ngrams: Extent,
    postings: Items<'a>,
    pub(super) ends: Arc<[u32]>,
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
    pub(crate) fn open(
        source: Source<'a>,
        toc: &Toc,
        sections: &CorpusSections,
    ) -> Result<Self, DecodeError> {
        let ngrams = toc.extent(sections.ngrams);
        let postings = toc.extent(sections.postings);
        let postings = Items::new(source, postings, sections.postings.tag());
        let (want, got) = (postings.len() * NGRAM_LEN, ngrams.len as usize);
        if want != got {
            let (what, at) = (sections.ngrams.tag(), u64::from(ngrams.at));
            return Err(DecodeError::Corrupt { what, at, want: want as u64, got: got as u64 });
        }
        let ends_at = toc.extent(sections.ends);
        let ends = deltas::decode(sections.ends.tag(), source.reader(ends_at.data())?)?;
        if let Some(index) = ends.windows(2).position(|pair| pair[0] > pair[1]) {
            let (what, at) = (sections.ends.tag(), u64::from(ends_at.at));
            let (want, got) = (u64::from(ends[index]), u64::from(ends[index + 1]));
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        Ok(Corpus::with_ends(source, toc, sections, ends.into()))
    }

    /// A corpus that was opened before, by the ends of its texts.
    pub(crate) fn with_ends(
        source: Source<'a>,
        toc: &Toc,
        sections: &CorpusSections,
        ends: Arc<[u32]>,
    ) -> Self {
        let items = |section: Section| Items::new(source, toc.extent(section), section.tag());
        let (texts, postings) = (items(sections.texts), items(sections.postings));
        Corpus { source, texts, ngrams: toc.extent(sections.ngrams), postings, ends }
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

    /// The trigrams, in their order.
    pub fn ngrams(&self) -> Result<Ngrams<'a>, DecodeError> {
        self.source.get(self.ngrams.data()).map(Ngrams)
    }

    /// The posting list at a place of the trigrams' order: its bytes.
    pub fn postings(&self, index: usize) -> Result<&'a [u8], DecodeError> {
        self.postings.get(index)
    }

    /// The same list: where its trigram stands.
    pub fn positions(&self, index: usize) -> Result<Positions<'a>, DecodeError> {
        let list = self.postings.reader(index)?;
        Ok(Positions::new(list.rest(), list.at()))
    }

    /// Where in the file the posting list at a place of the trigrams' order is.
    pub fn postings_range(&self, index: usize) -> Result<Range<u32>, DecodeError> {
        self.postings.range(index)
    }
}

/// The distinct trigrams of a corpus, increasing.
#[derive(Clone, Copy, Debug)]
pub struct Ngrams<'a>(&'a [u8]);

impl Ngrams<'_> {
    /// The trigram at a place of their order.
    pub fn at(&self, index: usize) -> u64 {
        let at = index * NGRAM_LEN;
        u64::from_be_bytes(self.0[at..at + NGRAM_LEN].try_into().expect("eight bytes"))
    }

    /// The place of a trigram in their order, if it is in the corpus. Bisects in place: about 18
    /// steps.
    pub fn find(&self, ngram: u64) -> Option<usize> {
        let (mut low, mut after) = (0, self.0.len() / NGRAM_LEN);
        while low < after {
            let middle = (low + after) / 2;
            match self.at(middle).cmp(&ngram) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => after = middle,
            }
        }
        None
    }
}

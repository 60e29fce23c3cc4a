//! Where positions of trigrams are: documents, and bytes in them.
//!
//! Bytes:   docs/formats/zoekt.md, sections *Trigrams and positions* and *Runes*

use std::ops::Range;

use manicule_core::bytes::DecodeError;
use manicule_format_zoekt::{Corpus, RUNES_A_SAMPLE, ascii_len, decode_rune};

/// From positions that rise, counted in runes through the corpus, to bytes in documents.
pub(super) struct Places<'c, 'a> {
    corpus: &'c Corpus<'a>,
    /// The byte of each hundredth rune in the corpus, as far as that is known: without them runes
    /// are counted from the document's first, whose bytes are then read for nothing else.
    samples: &'c [u32],
    document: usize,
    content: &'a [u8],
    /// Where the content begins in the corpus, in bytes.
    start: u32,
    runes: Range<u32>,
    /// A place in the document up to which runes were counted: its position and its byte.
    counted: (u32, usize),
}

impl<'c, 'a> Places<'c, 'a> {
    pub(super) fn new(corpus: &'c Corpus<'a>, samples: &'c [u32]) -> Self {
        let (document, content, start, runes, counted) = (0, &[][..], 0, 0..0, (0, 0));
        Places { corpus, samples, document, content, start, runes, counted }
    }

    /// The document that holds a position, its content, and the byte there.
    pub(super) fn of(&mut self, position: u32) -> Result<(u32, &'a [u8], usize), DecodeError> {
        if position >= self.runes.end {
            self.enter(position)?;
        }
        let runes = self.runes.end - self.runes.start;
        let at = if runes as usize == self.content.len() {
            // As many runes as bytes: each rune is a byte.
            (position - self.runes.start) as usize
        } else {
            self.leap_to(position)?;
            self.count_to(position)
        };
        Ok((self.document as u32, self.content, at))
    }

    fn enter(&mut self, position: u32) -> Result<(), DecodeError> {
        self.document_of(position)?;
        self.content = self.corpus.text(self.document)?;
        let texts = self.corpus.texts();
        self.start = texts.range(self.document)?.start - texts.range(0)?.start;
        self.runes = self.corpus.rune_range(self.document);
        self.counted = (self.runes.start, 0);
        Ok(())
    }

    /// The document that holds a position, not before the last one.
    pub(super) fn document_of(&mut self, position: u32) -> Result<usize, DecodeError> {
        let ends = self.corpus.ends();
        // The next document is most often near.
        let mut step = 1;
        let mut low = self.document;
        while low + step < ends.len() && ends[low + step] <= position {
            low += step;
            step *= 2;
        }
        let high = (low + step + 1).min(ends.len());
        self.document = low + ends[low..high].partition_point(|end| *end <= position);
        if self.document == ends.len() {
            let (what, want) =
                ("position of a trigram", u64::from(ends.last().copied().unwrap_or(0)));
            return Err(DecodeError::Corrupt { what, at: 0, want, got: position.into() });
        }
        Ok(self.document)
    }

    /// Counts from the last sample before a position, if that is further.
    fn leap_to(&mut self, position: u32) -> Result<(), DecodeError> {
        let sample = position / RUNES_A_SAMPLE;
        let rune = sample * RUNES_A_SAMPLE;
        if rune <= self.counted.0 {
            return Ok(());
        }
        let Some(byte) = self.samples.get(sample as usize) else { return Ok(()) };
        let at = byte.checked_sub(self.start).map(|at| at as usize);
        match at.filter(|at| (self.counted.1..=self.content.len()).contains(at)) {
            Some(at) => {
                self.counted = (rune, at);
                Ok(())
            }
            None => {
                let (what, want) = ("byte of a hundredth rune", self.start.into());
                Err(DecodeError::Corrupt { what, at: rune.into(), want, got: (*byte).into() })
            }
        }
    }

    fn count_to(&mut self, position: u32) -> usize {
        let (mut rune, mut at) = self.counted;
        while rune < position && at < self.content.len() {
            let wanted = (position - rune) as usize;
            let window = &self.content[at..self.content.len().min(at + wanted)];
            let ascii_len = ascii_len(window);
            rune += ascii_len as u32;
            at += ascii_len;
            if rune < position && at < self.content.len() {
                at += decode_rune(&self.content[at..]).1;
                rune += 1;
            }
        }
        self.counted = (rune, at);
        at
    }
}

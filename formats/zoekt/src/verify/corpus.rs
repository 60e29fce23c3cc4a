//! A corpus: that each list's positions hold its trigram, and that no trigram of the texts is
//! missing.
//!
//! A position counts runes through all texts. To find its bytes at once, the texts are read first,
//! and for each 64 runes noted where they begin and which of them are *odd*: those whose place does
//! not follow from the block's start alone (after a rune of several bytes), whose trigram is not
//! ASCII, or crosses the end of a text. Those are rare, and decoded from the block's start. For all
//! others a position costs one look at its block and one at its three bytes.
//!
//! Lists are strictly increasing, trigrams differ from list to list, and each position is checked
//! to hold its trigram. So no position is named twice, and it is enough to compare the number of
//! all positions with that of all trigrams in the texts. Only where they differ does a second pass
//! find out which are missing.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Check, Findings};
use crate::corpus::CorpusSections;
use crate::encode::RUNES_A_SAMPLE;
use crate::items::{Items, Positions};
use crate::layout::Section;
use crate::runes::{RUNE_BITS, ascii_len, decode_rune, ngram, ngram_runes};

/// Number of lists in one part of the work.
const PART_LEN: usize = 512;
const BLOCK_LEN: u32 = 64;

/// Place of 64 runes.
#[derive(Clone, Copy)]
struct Block {
    /// Offset of the first in the file.
    at: u32,
    /// A bit each: its bytes can't be found from `at` alone.
    odd: u64,
}

/// The texts, and where their runes lie.
struct Texts<'a> {
    bytes: &'a [u8],
    items: Items<'a>,
    /// Number of runes up to the end of each text.
    ends: Vec<u32>,
    blocks: Vec<Block>,
}

impl Check<'_> {
    /// Checks a corpus, given the number of runes of each text.
    pub(super) fn corpus(
        &mut self,
        sections: &CorpusSections,
        rune_counts: &[u32],
        has_postings: bool,
    ) {
        let mut end = 0u32;
        let ends: Vec<u32> = rune_counts
            .iter()
            .map(|count| {
                end = end.saturating_add(*count);
                end
            })
            .collect();
        self.ends(sections.ends, &ends);
        let mut texts = Texts {
            bytes: self.bytes,
            items: self.items(sections.texts),
            blocks: Vec::with_capacity(end as usize / BLOCK_LEN as usize + 1),
            ends,
        };
        let samples = texts.place();
        self.samples(sections.rune_offsets, &samples);
        self.ngrams(sections.ngrams);
        if has_postings {
            self.lists(sections, &texts);
        }
    }

    /// The stored ends of the texts, in runes.
    fn ends(&mut self, section: Section, ends: &[u32]) {
        let Some(stored) = self.numbers(section) else { return };
        let at = self.at(section);
        if stored.len() != ends.len() {
            self.find(section, at, "texts", ends.len(), stored.len());
        }
        // One wrong count moves all that follow: the first is reported.
        if let Some(text) = stored.iter().zip(ends).position(|(got, want)| got != want) {
            let what = format_args!("runes up to the end of text {text}");
            self.find(section, at, what, ends[text], stored[text]);
        }
    }

    fn samples(&mut self, section: Section, samples: &[u32]) {
        let Some(stored) = self.numbers(section) else { return };
        let at = self.at(section);
        if stored.len() != samples.len() {
            self.find(section, at, "samples", samples.len(), stored.len());
        }
        for (sample, (got, want)) in stored.iter().zip(samples).enumerate() {
            if got != want {
                let what = format_args!("byte offset of rune {}", sample * RUNES_A_SAMPLE as usize);
                self.find(section, at, what, want, got);
            }
        }
    }

    fn ngrams(&mut self, section: Section) {
        let at = self.at(section);
        let mut last = None;
        for (index, bytes) in self.section(section).as_chunks::<8>().0.iter().enumerate() {
            let number = u64::from_be_bytes(*bytes);
            let at = at + index as u64 * 8;
            if last.is_some_and(|last| number <= last) {
                let what = format_args!("trigram {index}");
                let want = format_args!("above {:#x}", last.unwrap_or(0));
                self.find(section, at, what, want, format_args!("{number:#x}"));
            }
            last = Some(number);
            let is_rune = |rune: u32| char::from_u32(rune).is_some();
            if number >> (3 * RUNE_BITS) != 0 || !ngram_runes(number).into_iter().all(is_rune) {
                let what = format_args!("trigram {index}");
                self.find(section, at, what, "three code points", format_args!("{number:#x}"));
            }
        }
    }

    fn lists(&mut self, sections: &CorpusSections, texts: &Texts<'_>) {
        let lists = Lists {
            texts,
            ngrams: self.section(sections.ngrams),
            items: self.items(sections.postings),
            section: sections.postings,
        };
        let count = lists.items.len();
        let found = AtomicU64::new(0);
        let meter = self.options.meter;
        self.spread(count.div_ceil(PART_LEN), &|index, findings| {
            let (start, end) = (index * PART_LEN, ((index + 1) * PART_LEN).min(count));
            let right: u64 = (start..end).map(|list| lists.check(list, findings)).sum();
            found.fetch_add(right, Relaxed);
            meter.add(u64::from(lists.items.start(end)) - u64::from(lists.items.start(start)));
        });
        let found = found.into_inner();
        self.verified.lists += count as u64;
        self.verified.postings += found;
        if found != texts.trigram_count() {
            self.missing(&lists);
        }
    }

    /// Tells which trigrams of the texts no list names.
    fn missing(&mut self, lists: &Lists<'_>) {
        let texts = lists.texts;
        let rune_count = texts.ends.last().copied().unwrap_or(0);
        let mut named = vec![0u64; rune_count.div_ceil(BLOCK_LEN) as usize];
        for list in 0..lists.items.len() {
            for position in
                lists.positions(list).into_iter().flatten().filter(|at| *at < rune_count)
            {
                named[(position / BLOCK_LEN) as usize] |= 1 << (position % BLOCK_LEN);
            }
        }
        let at = self.at(lists.section);
        let mut start = 0;
        for (text, end) in texts.ends.iter().enumerate() {
            for position in start..end.saturating_sub(2).max(start) {
                let word = named[(position / BLOCK_LEN) as usize];
                if word >> (position % BLOCK_LEN) & 1 == 0 {
                    let runes = texts.runes_at(position).unwrap_or_default();
                    let what = format_args!("trigram {} of text {text}", show(runes));
                    let want = format_args!("position {position}");
                    self.find(lists.section, at, what, want, "none");
                }
            }
            start = *end;
        }
    }
}

/// The lists of a corpus.
struct Lists<'a> {
    texts: &'a Texts<'a>,
    ngrams: &'a [u8],
    items: Items<'a>,
    section: Section,
}

impl Lists<'_> {
    fn positions(&self, list: usize) -> Option<Positions<'_>> {
        let range = self.items.range(list).ok()?;
        let bytes = &self.texts.bytes[range.start as usize..range.end as usize];
        Some(Positions::new(bytes, range.start.into()))
    }

    /// Checks a list, and gives how many of its positions are right.
    fn check(&self, list: usize, findings: &mut Findings) -> u64 {
        let section = self.section.tag();
        let (Some(mut positions), Some(ngram)) =
            (self.positions(list), self.ngrams.as_chunks::<8>().0.get(list))
        else {
            return 0;
        };
        let wanted = Wanted::new(u64::from_be_bytes(*ngram));
        let (mut count, mut last) = (0, None);
        while let Some(position) = positions.next() {
            let is_right =
                last.is_none_or(|last| position > last) && self.texts.holds(position, &wanted);
            count += u64::from(is_right);
            if !is_right {
                self.tell(&wanted, position, last, positions.at(), findings);
            }
            last = Some(position);
        }
        if let Err(error) = positions.finish() {
            findings.add_error(self.section.tag(), &error);
        }
        if last.is_none() {
            let at = u64::from(self.items.start(list));
            let what = format_args!("positions of {}", show(wanted.runes));
            findings.add(section, at, what, "one or more", 0);
        }
        count
    }

    #[cold]
    fn tell(
        &self,
        wanted: &Wanted,
        position: u32,
        last: Option<u32>,
        at: u64,
        findings: &mut Findings,
    ) {
        let section = self.section.tag();
        let at = at - 1;
        if last.is_some_and(|last| position <= last) {
            let what = format_args!("position of {}", show(wanted.runes));
            let want = format_args!("above {}", last.unwrap_or(0));
            return findings.add(section, at, what, want, position);
        }
        let what = format_args!("trigram at position {position}");
        match self.texts.runes_at(position) {
            Some(runes) => findings.add(section, at, what, show(wanted.runes), show(runes)),
            None => findings.add(section, at, what, show(wanted.runes), "the end of a text"),
        }
    }
}

/// A trigram that a list is of.
struct Wanted {
    ngram: u64,
    runes: [u32; 3],
    /// Its bytes, if all are ASCII.
    ascii: Option<[u8; 3]>,
}

impl Wanted {
    fn new(ngram: u64) -> Self {
        let runes = ngram_runes(ngram);
        let is_ascii = runes.into_iter().all(|rune| rune < 0x80);
        Wanted { ngram, runes, ascii: is_ascii.then(|| runes.map(|rune| rune as u8)) }
    }
}

impl Texts<'_> {
    /// Number of trigrams in all texts.
    fn trigram_count(&self) -> u64 {
        let mut start = 0;
        self.ends
            .iter()
            .map(|end| {
                let count = u64::from((end - start).saturating_sub(2));
                start = *end;
                count
            })
            .sum()
    }

    /// Fills the blocks, and gives the offset in the corpus of each hundredth rune.
    fn place(&mut self) -> Vec<u32> {
        let mut samples = Vec::new();
        let corpus_at = self.items.start(0);
        let mut rune = 0u32;
        for index in 0..self.items.len() {
            let text = self.items.get(index).unwrap_or_default();
            let text_at = self.items.start(index);
            self.place_text(text, text_at, corpus_at, &mut rune, &mut samples);
            for last in rune.saturating_sub(2)..rune {
                self.mark(last);
            }
        }
        samples
    }

    fn mark(&mut self, rune: u32) {
        if let Some(block) = self.blocks.get_mut((rune / BLOCK_LEN) as usize) {
            block.odd |= 1 << (rune % BLOCK_LEN);
        }
    }

    fn place_text(
        &mut self,
        text: &[u8],
        text_at: u32,
        corpus_at: u32,
        rune: &mut u32,
        samples: &mut Vec<u32>,
    ) {
        let mut at = 0;
        while at < text.len() {
            let place = text_at + at as u32;
            let in_block = *rune % BLOCK_LEN;
            if in_block == 0 {
                self.blocks.push(Block { at: place, odd: 0 });
            }
            let rest = &text[at..];
            let ascii = ascii_len(&rest[..rest.len().min((BLOCK_LEN - in_block) as usize)]) as u32;
            let (run, len) = match ascii {
                0 => (1, decode_rune(rest).1),
                ascii => (ascii, ascii as usize),
            };
            let next_sample = rune.next_multiple_of(RUNES_A_SAMPLE);
            if next_sample < *rune + run {
                samples.push(place - corpus_at + (next_sample - *rune));
            }
            if ascii == 0 {
                (rune.saturating_sub(2)..=*rune).for_each(|odd| self.mark(odd));
            }
            let block = self.blocks.last_mut().expect("pushed at the block's first rune");
            if block.at + in_block != place {
                let bits = if run == BLOCK_LEN { u64::MAX } else { (1 << run) - 1 };
                block.odd |= bits << in_block;
            }
            *rune += run;
            at += len;
        }
    }

    /// Whether a trigram begins at a position.
    #[inline]
    fn holds(&self, position: u32, wanted: &Wanted) -> bool {
        let Some(block) = self.blocks.get((position / BLOCK_LEN) as usize) else { return false };
        if block.odd >> (position % BLOCK_LEN) & 1 == 0 {
            let at = (block.at + position % BLOCK_LEN) as usize;
            let here = self.bytes.get(at..at + 3);
            // Behind the last rune nothing is odd, and nothing is text.
            let is_text = self.ends.last().is_some_and(|end| position < *end);
            return is_text && wanted.ascii.is_some_and(|ascii| here == Some(&ascii));
        }
        self.runes_at(position).is_some_and(|runes| ngram(runes) == wanted.ngram)
    }

    /// The three runes from a position on, if a text has them.
    fn runes_at(&self, position: u32) -> Option<[u32; 3]> {
        let text = self.ends.partition_point(|end| *end <= position);
        let end = *self.ends.get(text)?;
        if position + 2 >= end {
            return None;
        }
        let block = self.blocks.get((position / BLOCK_LEN) as usize)?;
        let text_start = text.checked_sub(1).map_or(0, |before| self.ends[before]);
        let block_start = position - position % BLOCK_LEN;
        // What is left of the text from the block's start on, or from its own, whichever is later.
        let (at, from) = if text_start > block_start {
            (self.items.start(text), text_start)
        } else {
            (block.at, block_start)
        };
        let mut rest = self.bytes.get(at as usize..self.items.start(text + 1) as usize)?;
        let mut next = || {
            let (rune, len) = decode_rune(Some(rest).filter(|rest| !rest.is_empty())?);
            rest = &rest[len..];
            Some(rune)
        };
        for _ in from..position {
            next()?;
        }
        Some([next()?, next()?, next()?])
    }
}

/// A trigram for people.
fn show(runes: [u32; 3]) -> String {
    let text: String =
        runes.map(|rune| char::from_u32(rune).unwrap_or('\u{fffd}')).iter().collect();
    format!("{text:?}")
}

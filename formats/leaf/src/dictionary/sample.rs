//! Samples of terms: what symbols are learned from.

use super::GROUP_TERMS;
use super::group::same_len;
use super::symbols::Encoder;
use super::train::train;

/// Bytes of terms that symbols are learned from: some 12 ms of rounds.
const SAMPLE_LEN: usize = 64 << 10;

/// Bytes of terms below which no symbols are learned.
const SYMBOLS_FROM_LEN: u64 = 4 << 10;

/// Number of groups that are taken of a sequence of terms.
const GROUPS: u64 = 128;

/// What terms don't share with those before them, back to back, without the first of each group.
#[derive(Clone, Debug, Default)]
pub(super) struct Rests {
    bytes: Vec<u8>,
    /// Where each one ends.
    ends: Vec<u64>,
}

impl Rests {
    pub(super) fn push(&mut self, rest: &[u8]) {
        self.bytes.extend_from_slice(rest);
        self.ends.push(self.bytes.len() as u64);
    }

    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[at] as usize]
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Those of groups from here and there.
    fn spread(&self) -> Vec<&[u8]> {
        let step = self.bytes.len().div_ceil(SAMPLE_LEN).max(1);
        let group_len = GROUP_TERMS - 1;
        let mut spread = Vec::new();
        for group in (0..self.count().div_ceil(group_len)).step_by(step) {
            let terms = group * group_len..self.count().min((group + 1) * group_len);
            spread.extend(terms.map(|term| self.get(term)));
        }
        spread
    }

    /// Symbols for `len` bytes of which these are some, if they shorten them by more than an
    /// eighth.
    pub(super) fn encoder(&self, len: u64) -> Option<Encoder> {
        // A table is 2 kB.
        if len < SYMBOLS_FROM_LEN || self.count() == 0 {
            return None;
        }
        let samples = self.spread();
        let encoder = train(&samples);
        let (mut plain_len, mut table) = (0, Vec::new());
        encoder.put(&mut table);
        let mut codes = Vec::new();
        for sample in &samples {
            plain_len += sample.len();
            encoder.encode(sample, &mut codes);
        }
        let share = len * codes.len() as u64 / plain_len.max(1) as u64;
        (share + table.len() as u64 <= len / 8 * 7).then_some(encoder)
    }
}

/// A sample of the terms of a section that is yet to come.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    rests: Rests,
    /// Bytes of all rests, about.
    len: u64,
}

impl Sample {
    /// Takes groups, spread evenly, of a sorted sequence of `count` terms. `read` replaces a buffer
    /// by the term at a place; places increase.
    pub fn take<E>(
        &mut self,
        count: u64,
        mut read: impl FnMut(u64, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let group_terms = GROUP_TERMS as u64;
        let groups = count.div_ceil(group_terms).min(GROUPS);
        let before = (self.rests.count() as u64, self.rests.len());
        let (mut last, mut text) = (Vec::new(), Vec::new());
        for group in 0..groups {
            let start = (count.div_ceil(group_terms) * group / groups) * group_terms;
            read(start, &mut last)?;
            for place in start + 1..count.min(start + group_terms) {
                read(place, &mut text)?;
                self.rests.push(&text[same_len(&last, &text)..]);
                std::mem::swap(&mut last, &mut text);
            }
        }
        let (taken, len) = (self.rests.count() as u64 - before.0, self.rests.len() - before.1);
        let others = count - count.div_ceil(group_terms);
        self.len += len * others / taken.max(1);
        Ok(())
    }

    /// Adds a sample of other terms of the section.
    pub fn append(&mut self, other: &Sample) {
        (0..other.rests.count()).for_each(|at| self.rests.push(other.rests.get(at)));
        self.len += other.len;
    }

    /// Symbols for all terms.
    pub(super) fn encoder(&self) -> Option<Encoder> {
        self.rests.encoder(self.len)
    }
}

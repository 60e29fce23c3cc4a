//! Whether a file's keys are even enough for interpolation: sampled from what searches see anyway.

use super::search::Search;
use super::side::Side;

/// Number of samples from which on there is a verdict.
const SAMPLES_MIN: usize = 6;

/// Number of samples that are kept.
const SAMPLES_MAX: usize = 32;

/// Random keys stray from the line by up to a root of their number; this many times that is still
/// called even. On a quadratic curve it is an eighth of the number.
const ROOTS_MAX: u64 = 4;

/// What the samples say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There are too few of them yet, or they lie in one part of the file.
    Unknown,
    /// Keys lie on a line.
    Even {
        /// The greatest distance in blocks of a sample from it.
        error: u64,
    },
    /// They don't, or a search by interpolation had to fall back.
    Uneven,
}

/// A block that a search saw.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Position of the block.
    at: u64,
    /// Image of its first key.
    image: u64,
}

/// Samples of a file's first keys: a few dozen numbers, kept for as long as the file is open.
#[derive(Clone, Debug, Default)]
pub struct Evenness {
    /// In order of their positions.
    samples: Vec<Sample>,
    /// Number of searches by interpolation, and of those that fell back.
    guessed_count: u64,
    fallback_count: u64,
}

impl Evenness {
    /// Takes a block's position and its first key's image. Of too many samples the one goes whose
    /// neighbours are nearest to each other: a search ends with many that lie close together.
    pub fn add(&mut self, at: u64, image: u64) {
        let Err(place) = self.samples.binary_search_by_key(&at, |sample| sample.at) else { return };
        self.samples.insert(place, Sample { at, image });
        if self.samples.len() > SAMPLES_MAX {
            let gap = |place: &usize| self.samples[place + 1].at - self.samples[place - 1].at;
            let closest = (1..self.samples.len() - 1).min_by_key(gap);
            closest.map(|place| self.samples.remove(place));
        }
    }

    /// Notes how a search ended. Where more than one of eight by interpolation falls back, there
    /// will be no other.
    pub fn note(&mut self, search: &Search) {
        if let Some(fell_back) = search.fell_back() {
            self.guessed_count += 1;
            self.fallback_count += u64::from(fell_back);
        }
    }

    /// Tells a search all that the samples say of a key with the image `wanted`. Keys of the same
    /// image may differ, so those say nothing.
    pub fn inform(&self, search: &mut Search, wanted: u64) {
        let (low, high) = (
            self.samples.partition_point(|sample| sample.image < wanted),
            self.samples.partition_point(|sample| sample.image <= wanted),
        );
        if let Some(&Sample { at, image }) =
            low.checked_sub(1).and_then(|low| self.samples.get(low))
        {
            search.learn(at, Side::NotAfter, Some(image));
        }
        if let Some(&Sample { at, image }) = self.samples.get(high) {
            search.learn(at, Side::After, Some(image));
        }
    }

    /// The verdict for a file of `block_count` blocks.
    pub fn verdict(&self, block_count: u64) -> Verdict {
        if self.fallback_count * 8 > self.guessed_count + 8 {
            return Verdict::Uneven;
        }
        let (Some(first), Some(last)) = (self.samples.first(), self.samples.last()) else {
            return Verdict::Unknown;
        };
        if self.samples.len() < SAMPLES_MIN || last.at - first.at < block_count / 2 {
            return Verdict::Unknown;
        }
        match self.error(*first, *last) {
            Some(error) if error <= block_count.isqrt().saturating_mul(ROOTS_MAX) => {
                Verdict::Even { error }
            }
            _ => Verdict::Uneven,
        }
    }

    /// The greatest distance of a sample from the line; `None` where there is no line.
    fn error(&self, first: Sample, last: Sample) -> Option<u64> {
        let rise = last.image.checked_sub(first.image)?;
        let width = u128::from(last.at - first.at);
        let mut error = 0;
        for &Sample { at, image } in &self.samples {
            let above = u128::from(image.checked_sub(first.image)?);
            let place = first.at + (width * above).checked_div(u128::from(rise))? as u64;
            error = error.max(place.abs_diff(at));
        }
        Some(error)
    }
}

//! Interpolation that pays or ends: a guess on the line between two known keys, then a look on the
//! other side of the wanted one, at the distance that keys were found to lie from lines. If the
//! wanted key isn't between the two, the keys aren't even here, and the search goes on by
//! bisection.
//!
//! The distance is that of the file's samples where they are nearly on the line, else twice the
//! root of what is left: random keys stray half a root from the line, and one in 10,000 of them so
//! far.

use super::side::Side;

/// Distance between guess and look, at least.
const DISTANCE_MIN: u64 = 2;

/// Samples that lie this many times nearer to the line than random keys would are taken at their
/// word.
const NEARER: u64 = 8;

#[derive(Clone, Debug)]
pub(super) struct Line {
    wanted: u64,
    /// How far samples of the file lie from its line.
    error: u64,
    /// How far the look lies from the guess.
    distance: u64,
    /// The nearest known blocks on both sides, with their images.
    low: Option<(u64, u64)>,
    high: Option<(u64, u64)>,
    stage: Stage,
    asked: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Guess,
    /// The guess is known; the next probe is to lie on the other side of the wanted key.
    Look {
        guess: u64,
        side: Side,
    },
    GivenUp,
}

impl Line {
    pub(super) fn new(wanted: u64, error: u64) -> Self {
        let (stage, distance) = (Stage::Guess, DISTANCE_MIN);
        Line { wanted, error, distance, low: None, high: None, stage, asked: None }
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.stage == Stage::GivenUp
    }

    /// The next probe in `low..high`; `None` while only one side is known, and for good once the
    /// line is given up.
    pub(super) fn ask(&mut self, low: u64, high: u64) -> Option<u64> {
        let place = match self.stage {
            Stage::GivenUp => return None,
            Stage::Guess => {
                let (guess, root) = (self.guess()?, (high - low).isqrt());
                let is_near = self.error < root / NEARER;
                self.distance = (if is_near { self.error } else { root } * 2).max(DISTANCE_MIN);
                guess
            }
            Stage::Look { guess, side: Side::NotAfter } => guess.saturating_add(self.distance),
            Stage::Look { guess, side: Side::After } => guess.saturating_sub(self.distance),
        };
        self.asked = Some(place.clamp(low, high - 1));
        self.asked
    }

    fn guess(&self) -> Option<u64> {
        let ((low, low_image), (high, high_image)) = (self.low?, self.high?);
        let (width, rise) = (high.checked_sub(low)?, high_image.checked_sub(low_image)?);
        let above = self.wanted.checked_sub(low_image)?;
        let share = (u128::from(width) * u128::from(above)).checked_div(u128::from(rise))?;
        Some(low.saturating_add(u64::try_from(share).unwrap_or(u64::MAX)))
    }

    pub(super) fn learn(&mut self, at: u64, side: Side, image: Option<u64>) {
        self.draw(at, side, image);
        if self.asked != Some(at) {
            return;
        }
        self.asked = None;
        self.stage = match self.stage {
            Stage::Guess => Stage::Look { guess: at, side },
            Stage::Look { side: first, .. } if first != side => Stage::Guess,
            Stage::Look { .. } | Stage::GivenUp => Stage::GivenUp,
        };
    }

    /// Draws the line from the nearest known blocks.
    fn draw(&mut self, at: u64, side: Side, image: Option<u64>) {
        let Some(image) = image else { return };
        match side {
            Side::NotAfter if self.low.is_none_or(|(low, _)| low < at) => {
                self.low = Some((at, image));
            }
            Side::After if self.high.is_none_or(|(high, _)| high > at) => {
                self.high = Some((at, image));
            }
            _ => {}
        }
    }
}

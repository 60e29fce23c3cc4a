//! Programs killed again and again, at moments that a seed and a clock choose: tests with processes
//! that really end.
//! That every step is met is the work of [`crate::steps`].
//!
//! `MANICULE_ROUNDS` and `MANICULE_SEED` (numbers) change the number of rounds and the moments.

use std::collections::BTreeMap;
use std::ops::Range;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::{Rng, number};

/// Kills runs of a program, and counts the states after them.
#[derive(Debug)]
pub struct Killer {
    /// Random numbers for everything else that differs between rounds.
    pub rng: Rng,
    seed: u64,
    rounds: u64,
    /// Duration of the shortest run that was not killed.
    run: Duration,
    moments: BTreeMap<String, u32>,
}

/// Something that a run does, after which it may be killed.
pub struct Landmark<'l> {
    /// Whether it is done.
    pub is_passed: &'l dyn Fn() -> bool,
    /// Maximum time after it at which the run is killed.
    pub wait_max: Duration,
}

/// Result of a run.
#[derive(Clone, Copy, Debug)]
pub struct Killed {
    /// It came to its end before it was killed.
    pub has_ended: bool,
    /// Time from its start or its landmark to the kill.
    pub wait: Duration,
}

impl Killer {
    /// Kills `kills` runs unless the environment says otherwise.
    pub fn new(kills: u64) -> Self {
        let seed = number("MANICULE_SEED").unwrap_or(0);
        let rounds = number("MANICULE_ROUNDS").unwrap_or(kills);
        let (rng, run, moments) = (Rng::new(seed), Duration::MAX, BTreeMap::new());
        Killer { rng, seed, rounds, run, moments }
    }

    /// Lets a run come to its end, to measure its duration.
    pub fn time<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let done = run();
        self.run = self.run.min(started.elapsed());
        done
    }

    /// Duration of a run.
    pub fn run(&self) -> Duration {
        self.run
    }

    /// The rounds, each with one kill.
    pub fn rounds(&self) -> Range<u64> {
        0..self.rounds
    }

    /// A round, for messages.
    pub fn what(&self, round: u64) -> String {
        format!("seed {}, round {round}", self.seed)
    }

    /// Kills a run that has just begun: at any moment, or in one of three rounds after the
    /// landmark.
    ///
    /// # Panics
    /// If it ended by itself, and in an error.
    pub fn kill(&mut self, mut child: Child, landmark: Option<Landmark<'_>>) -> Killed {
        let started = Instant::now();
        let wait_us = match landmark {
            Some(landmark) if self.rng.one_in(3) => {
                wait_until(&mut child, landmark.is_passed);
                // Often at once: the time after it may be short.
                self.rng.below(3) * self.rng.below(landmark.wait_max.as_micros() as usize / 2 + 1)
            }
            _ => self.rng.below(self.run.as_micros() as usize * 9 / 8 + 1),
        };
        let wait = Duration::from_micros(wait_us as u64);
        std::thread::sleep(wait);
        let elapsed = started.elapsed();
        child.kill().expect("it is ours");
        let status = child.wait().expect("it ends");
        let has_ended = status.code().is_some();
        assert!(!has_ended || status.success(), "{status}");
        if has_ended {
            self.run = self.run.min(elapsed);
        }
        Killed { has_ended, wait }
    }

    /// Counts the result of a kill.
    pub fn count(&mut self, moment: impl Into<String>) {
        *self.moments.entry(moment.into()).or_default() += 1;
    }

    /// Prints the results of the kills.
    pub fn print(&self) {
        eprintln!("killed {:?}", self.moments);
    }
}

/// Waits until something is done, or the run is over. Returns whether it is done.
///
/// # Panics
/// If the run can't be waited for.
pub fn wait_until(child: &mut Child, is_done: impl Fn() -> bool) -> bool {
    loop {
        if is_done() {
            return true;
        }
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
    }
}

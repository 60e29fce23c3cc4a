//! Texts tested from any thread, where the engine wants yes or no: what the pattern refuses to
//! answer is told at the end.

use std::sync::Mutex;

use grep_matcher::Matcher as _;
use manicule_store::threads::{lock, unshared};

use crate::failure::Failure;
use crate::find::matcher::{Matcher, gave_up};

/// Tests texts by a search's patterns.
#[derive(Debug)]
pub struct Texts<'m> {
    matcher: &'m Matcher,
    refused: Mutex<Result<(), Failure>>,
}

impl<'m> Texts<'m> {
    pub(super) fn new(matcher: &'m Matcher) -> Self {
        Texts { matcher, refused: Mutex::new(Ok(())) }
    }

    /// Whether a text matches; of one that the pattern gives up on, not.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.test(text).unwrap_or(false)
    }

    /// Whether a text matches, if the pattern doesn't give up on it.
    pub fn test(&self, text: &[u8]) -> Option<bool> {
        let refused = |error| *lock(&self.refused) = Err(gave_up(error));
        self.matcher.is_match(text).map_err(refused).ok()
    }

    /// The last error of the pattern.
    pub(super) fn end(self) -> Result<(), Failure> {
        unshared(self.refused)
    }
}

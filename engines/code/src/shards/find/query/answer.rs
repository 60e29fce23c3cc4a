//! Answers to a query, and the receiver that a face implements.

use std::ops::Range;

use super::super::run::Document;
use crate::tree::Flow;

/// A document that matches a query.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'d> {
    /// The document.
    pub document: &'d Document<'d>,
    /// Matches of words in its content: increasing, without overlaps.
    pub matches: &'d [Range<usize>],
    /// Matches in its name, if there is none in its content.
    pub name_matches: &'d [Range<usize>],
}

/// Receiver of answers, implemented by a face. One value works on one thread.
pub trait Hear: Send {
    /// Takes an answer.
    fn answer(&mut self, answer: &Answer<'_>) -> Flow;

    /// All answers of a range were given. Ranges are numbered from 0 in the order of shards and
    /// documents.
    fn range_end(&mut self, number: usize);
}

/// Makes a listener for one more thread.
pub type Hearers<'f, 'v> = dyn Fn() -> Box<dyn Hear + 'v> + Sync + 'f;

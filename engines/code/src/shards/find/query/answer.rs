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
    /// The matches in its content, with what they are of.
    pub found: &'d [Found],
    /// The matches in its name, also where its content has some.
    pub found_in_name: &'d [Found],
    /// The words that hold for it and whose matches are shown, and other things that were asked.
    pub(crate) leaves: &'d [Leaf],
    /// Branches: those that a `branch:` of the query asked for, else its own. Bit `i` stands for
    /// branch `i` of the repository.
    pub branches: u64,
}

/// A match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its place, in bytes.
    pub range: Range<usize>,
    /// Index of the symbol of the document in which it is, where symbols were asked for.
    pub symbol: Option<u32>,
    /// Number of the query's atom.
    pub(crate) atom: usize,
}

/// A part of a query that holds for a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Content(usize),
    Name(usize),
    Symbol(usize),
    /// A question about its branch, language or repository that isn't the same for its whole shard.
    Filter,
}

impl<'d> Answer<'d> {
    /// The names of its [`Answer::branches`].
    pub fn branch_names(&self) -> impl Iterator<Item = &'d str> + use<'d> {
        self.document.branches_of(self.branches).map(|branch| branch.name.as_str())
    }
}

/// Receiver of answers, implemented by a face. One value works on one thread.
pub trait Hear: Send {
    /// Takes an answer.
    fn answer(&mut self, answer: &Answer<'_>) -> Flow;

    /// Whether it takes no more answers of a shard: asked before each range, which is skipped then.
    fn is_done_with(&self, shard: usize) -> bool {
        let _ = shard;
        false
    }

    /// All answers of a range were given. Ranges are numbered from 0 in the order of shards and
    /// documents.
    fn range_end(&mut self, number: usize);
}

/// Makes a listener for one more thread.
pub type Hearers<'f, 'v> = dyn Fn() -> Box<dyn Hear + 'v> + Sync + 'f;

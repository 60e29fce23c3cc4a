//! Answers with scores: as zoekt weighs them, the best first.
//!
//! [`rank`] looks at every document that matches, so what a limit keeps is the best of all, not of
//! those that came first. Where scores are equal the order is that of shards and documents.
//!
//! | file | what |
//! |---|---|
//! | shape | documents, lines and chunks as they are shown |
//! | lines, chunks | from matches to those |
//! | subject | the document and its symbols |
//! | score, kinds | scores by place: words, names, declarations |
//! | bm25 | scores by frequency |
//! | scorer | all of that for one answer |
//! | order | the order of documents and lines, and limits |

mod bm25;
mod chunks;
mod kinds;
mod lines;
mod order;
mod score;
mod scorer;
mod shape;
mod subject;

use std::sync::Mutex;

use manicule_store::threads::{lock, unshared};

use super::super::open::ShardError;
use super::files::OpenShard;
use super::query::{self, Answer, Hear, Query};
use super::receipt::Receipt;
use super::run::Request;
use crate::tree::Flow;

pub use lines::{MatchedLine, Part, matched_lines};
pub use order::RankLimits;
pub use scorer::{RankOptions, Scorer, Scoring, Unit};
pub use shape::{ChunkMatch, ChunkRange, FileMatch, Fragment, LineMatch, Location, Matches};

/// All documents that match.
#[derive(Debug)]
pub struct Ranking<'s> {
    shards: &'s [OpenShard<'s>],
    /// In the order of shards and documents, with scores.
    pub files: Vec<FileMatch>,
    /// Cost of the search.
    pub receipt: Receipt,
}

/// Answers a query from shards, with scores. The request's `look` is the query's to choose.
pub fn rank<'s>(
    shards: &'s [OpenShard<'s>],
    query: &Query,
    request: &Request<'_>,
    options: &RankOptions,
) -> Result<Ranking<'s>, ShardError> {
    let (files, failure) = (Mutex::default(), Mutex::default());
    let collector = || -> Box<dyn Hear + '_> {
        let scorer = Scorer::new(query, options);
        Box::new(Collector { scorer, own: Vec::new(), files: &files, failure: &failure })
    };
    let receipt = query::search(shards, query, request, &collector)?;
    if let Some(error) = unshared(failure) {
        return Err(error);
    }
    let mut files: Vec<FileMatch> = unshared(files);
    files.sort_unstable_by_key(|file| (file.shard_number, file.document));
    Ok(Ranking { shards, files, receipt })
}

impl Ranking<'_> {
    /// Number of lines that match, or of ranges of chunks.
    pub fn match_count(&self) -> u64 {
        self.files.iter().map(|file| file.matches.count()).sum()
    }

    /// The documents by their scores, best first, up to the limits.
    pub fn best(self, limits: &RankLimits) -> Result<Vec<FileMatch>, ShardError> {
        let Ranking { shards, mut files, .. } = self;
        // Names were read when the documents were visited.
        let name_of = |file: &FileMatch| {
            shards[file.shard_number].shard().names().text(file.document).unwrap_or_default()
        };
        order::sort(&mut files, &name_of);
        order::cut(&mut files, limits);
        Ok(files)
    }
}

/// Scores the answers of one thread.
struct Collector<'c> {
    scorer: Scorer<'c>,
    own: Vec<FileMatch>,
    files: &'c Mutex<Vec<FileMatch>>,
    failure: &'c Mutex<Option<ShardError>>,
}

impl Hear for Collector<'_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        match self.scorer.file(answer) {
            Ok(file) => {
                self.own.push(file);
                Flow::Continue
            }
            Err(error) => {
                lock(self.failure).get_or_insert(error);
                Flow::Quit
            }
        }
    }

    fn range_end(&mut self, _: usize) {
        lock(self.files).append(&mut self.own);
    }
}

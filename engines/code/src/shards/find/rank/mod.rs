//! Answers with scores: as zoekt weighs them, the best first.
//!
//! [`rank`] looks at every document that matches, unless it is told to end early: so what a limit
//! of what is shown keeps is the best of all, not of those that came first. Where scores are equal
//! the order is that of shards and documents.
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
//! | until | where a search ends early |

mod bm25;
mod chunks;
mod kinds;
mod lines;
mod order;
mod score;
mod scorer;
mod shape;
mod subject;
mod until;

use std::sync::Mutex;

use manicule_store::context::{Context, Held, OverBudget};
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
pub use until::RankUntil;
use until::{Counted, keep};

/// Bytes of matches that a thread holds before it takes them of the memory of all calls.
const HELD_STEP: u64 = 1 << 20;

/// All documents that match.
#[derive(Debug)]
pub struct Ranking<'s> {
    shards: &'s [OpenShard<'s>],
    /// In the order of shards and documents, with scores.
    pub files: Vec<FileMatch>,
    /// Cost of the search.
    pub receipt: Receipt,
    /// The memory of the documents.
    _held: Held,
}

/// Answers a query from shards, with scores. The request's `look` is the query's to choose. A
/// search that its watch stops gives what was found until then.
///
/// # Errors
/// Damage, and more matches than the context has memory for.
pub fn rank<'s>(
    shards: &'s [OpenShard<'s>],
    query: &Query,
    request: &Request<'_>,
    options: &RankOptions,
    until: &RankUntil,
) -> Result<Ranking<'s>, ShardError> {
    let (files, failure) = (Mutex::default(), Mutex::default());
    let held = Mutex::new(Context::current().hold_nothing());
    let counted = Counted::new(until, shards.len());
    let collector = || -> Box<dyn Hear + '_> {
        Box::new(Collector {
            scorer: Scorer::new(query, options),
            own: Vec::new(),
            own_bytes: 0,
            files: &files,
            failure: &failure,
            held: &held,
            counted: &counted,
        })
    };
    let receipt = query::search(shards, query, request, &collector)?;
    if let Some(error) = unshared(failure) {
        return Err(error);
    }
    let mut files: Vec<FileMatch> = unshared(files);
    files.sort_unstable_by_key(|file| (file.shard_number, file.document));
    keep(until, shards, &mut files);
    Ok(Ranking { shards, files, receipt, _held: unshared(held) })
}

impl Ranking<'_> {
    /// Number of lines that match, or of ranges of chunks.
    pub fn match_count(&self) -> u64 {
        self.files.iter().map(|file| file.matches.count()).sum()
    }

    /// The documents by their scores, best first, up to the limits.
    pub fn best(mut self, limits: &RankLimits) -> Result<Vec<FileMatch>, ShardError> {
        self.cut(limits);
        Ok(self.files)
    }

    /// Sorts the documents by their scores, best first, and keeps those within the limits.
    pub fn cut(&mut self, limits: &RankLimits) {
        let shards = self.shards;
        // Names were read when the documents were visited.
        let name_of = |file: &FileMatch| {
            shards[file.shard_number].shard().names().text(file.document).unwrap_or_default()
        };
        order::sort(&mut self.files, &name_of);
        order::cut(&mut self.files, limits);
    }
}

/// Scores the answers of one thread.
struct Collector<'c> {
    scorer: Scorer<'c>,
    own: Vec<FileMatch>,
    /// Bytes of matches that are not taken of the context's memory yet.
    own_bytes: u64,
    files: &'c Mutex<Vec<FileMatch>>,
    failure: &'c Mutex<Option<ShardError>>,
    held: &'c Mutex<Held>,
    counted: &'c Counted,
}

impl Collector<'_> {
    fn take(&mut self, file: FileMatch) -> Result<(), OverBudget> {
        self.counted.add(&file);
        self.own_bytes += file.held_bytes();
        self.own.push(file);
        if self.own_bytes < HELD_STEP {
            return Ok(());
        }
        let mut held = lock(self.held);
        let bytes = held.bytes() + std::mem::take(&mut self.own_bytes);
        held.raise(bytes)
    }
}

impl Hear for Collector<'_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        let taken = self.scorer.file(answer).and_then(|file| {
            let path = || answer.document.shard.path().to_owned();
            self.take(file).map_err(|source| ShardError::Memory { path: path(), source })
        });
        match taken {
            Ok(()) => Flow::Continue,
            Err(error) => {
                lock(self.failure).get_or_insert(error);
                Flow::Quit
            }
        }
    }

    fn is_done_with(&self, shard: usize) -> bool {
        self.counted.is_reached(shard)
    }

    fn range_end(&mut self, _: usize) {
        lock(self.files).append(&mut self.own);
    }
}

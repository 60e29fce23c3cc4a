//! One answer scored: its lines or chunks, and the document.

use std::collections::BTreeSet;

use manicule_core::bytes::DecodeError;

use super::super::super::open::ShardError;
use super::super::query::{Answer, Found, Leaf, Query, Texts};
use super::lines::{Lines, line_matches, name_fragments, name_match};
use super::shape::{ChunkMatch, FileMatch, LineMatch, Matches};
use super::subject::Subject;
use super::{bm25, chunks, score};

/// How answers are scored and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankOptions {
    /// What scores go by.
    pub scoring: Scoring,
    /// What a document's matches are shown as.
    pub unit: Unit,
}

/// What scores go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    /// Where matches are: zoekt's usual one.
    Place,
    /// How often words occur: BM25.
    Frequency,
}

/// What a document's matches are shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Lines.
    Lines,
    /// Chunks of lines: each match with `context` lines before and after it.
    Chunks {
        /// Number of lines.
        context: usize,
    },
}

/// Scores answers.
#[derive(Clone, Copy, Debug)]
pub struct Scorer<'q> {
    query: &'q Query,
    options: RankOptions,
}

impl<'q> Scorer<'q> {
    /// For the answers to a query.
    pub fn new(query: &'q Query, options: &RankOptions) -> Self {
        Scorer { query, options: *options }
    }

    /// An answer with scores.
    pub fn file(&self, answer: &Answer<'_>) -> Result<FileMatch, ShardError> {
        self.scored(answer).map_err(|error| answer.document.shard.damaged(error))
    }

    fn scored(&self, answer: &Answer<'_>) -> Result<FileMatch, DecodeError> {
        let document = answer.document;
        let subject = Subject::new(document)?;
        let (matches, best) = if answer.found.is_empty() {
            self.in_name(answer)
        } else {
            self.in_content(&subject, answer)?
        };
        let score = match self.options.scoring {
            Scoring::Place => score::of_file(&subject, best, self.atom_count(answer)),
            Scoring::Frequency => {
                let mut all = bm25::Frequencies::default();
                for found in answer.found {
                    all.add(&subject, self.query, found.atom, &found.range);
                }
                for found in answer.found_in_name {
                    all.add_name(&subject, self.query, found.atom, &found.range);
                }
                all.of_file(&subject)
            }
        };
        Ok(FileMatch {
            shard_number: document.shard_number,
            document: document.number,
            score,
            branches: answer.branches,
            is_unshown: answer.found.is_empty() && answer.found_in_name.is_empty(),
            matches,
        })
    }

    /// The matches in the content, and the best score among them.
    fn in_content(
        &self,
        subject: &Subject<'_>,
        answer: &Answer<'_>,
    ) -> Result<(Matches, f64), DecodeError> {
        let content = answer.document.content;
        let mut best = 0.0;
        let matches = match self.options.unit {
            Unit::Lines => {
                let mut matches = line_matches(content, answer.found);
                match self.options.scoring {
                    Scoring::Place => best = score::lines(subject, &mut matches)?,
                    Scoring::Frequency => bm25::lines(subject, self.query, &mut matches),
                }
                Matches::Lines(matches)
            }
            Unit::Chunks { context } => {
                let mut matches = chunks::chunks(&Lines::of(content), answer.found, context);
                match self.options.scoring {
                    Scoring::Place => best = score::chunks(subject, &mut matches)?,
                    Scoring::Frequency => bm25::chunks(subject, self.query, &mut matches),
                }
                Matches::Chunks(matches)
            }
        };
        Ok((matches, best))
    }

    /// The matches in the name, or the whole of it, and their score.
    fn in_name(&self, answer: &Answer<'_>) -> (Matches, f64) {
        let name = answer.document.name;
        let whole = [Found { range: 0..name.len(), symbol: None, atom: 0 }];
        let is_whole = answer.found_in_name.is_empty();
        let found = if is_whole { &whole[..] } else { answer.found_in_name };
        let of_places = self.options.scoring == Scoring::Place;
        let best = if of_places && !is_whole {
            found.iter().map(|found| score::of_name(name, &found.range)).fold(0.0, f64::max)
        } else {
            0.0
        };
        let score = if of_places { best + score::by_order(0, 1) } else { 0.0 };
        let matches = match self.options.unit {
            Unit::Lines => {
                let fragments = name_fragments(found);
                let line = LineMatch { score, ..name_match(fragments) };
                let is_shown = !line.fragments.is_empty();
                Matches::Lines(is_shown.then_some(line).into_iter().collect())
            }
            Unit::Chunks { .. } => {
                Matches::Chunks(vec![ChunkMatch { score, ..chunks::name_chunk(name, found) }])
            }
        };
        (matches, best)
    }

    /// Number of words that match, and of other things that were asked. Of a pattern that is
    /// several texts each text that occurs counts.
    fn atom_count(&self, answer: &Answer<'_>) -> usize {
        answer.leaves.iter().map(|leaf| self.count_of(answer, *leaf)).sum()
    }

    fn count_of(&self, answer: &Answer<'_>, leaf: Leaf) -> usize {
        let (atom, found, text) = match leaf {
            Leaf::Content(atom) => (atom, answer.found, answer.document.content),
            Leaf::Name(atom) => (atom, answer.found_in_name, answer.document.name),
            Leaf::Symbol(_) | Leaf::Filter => return 1,
        };
        if *self.query.texts(atom) != Texts::Several {
            return 1;
        }
        let own = found.iter().filter(|found| found.atom == atom);
        let texts: BTreeSet<Vec<u8>> =
            own.map(|found| text[found.range.clone()].to_ascii_lowercase()).collect();
        texts.len().max(1)
    }
}

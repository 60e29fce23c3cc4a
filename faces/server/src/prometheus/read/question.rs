//! A query, as it is asked of blocks.

use manicule::series::query::{Blocks, Choice};
use manicule::series::{Interval, MatchOp, Matcher, Moment, Selector};
use manicule::{ErrorClass, Failure};

use super::request::{Asked, Query};

/// A query, ready to be asked.
pub(super) struct Question {
    pub(super) selector: Selector,
    /// Times that say which blocks are asked.
    pub(super) times: Interval,
    /// Times of the samples.
    pub(super) shown: Interval,
    /// Whether only labels are wanted.
    pub(super) is_of_labels: bool,
}

impl Question {
    /// Understands a query; the error is that of a pattern, or of a matcher of no known kind.
    pub(super) fn of(query: Query) -> Result<Question, String> {
        let mut matchers = Vec::with_capacity(query.matchers.len());
        for Asked { op, name, value } in query.matchers {
            let op = match op {
                0 => MatchOp::Equal,
                1 => MatchOp::NotEqual,
                2 => MatchOp::Regex,
                3 => MatchOp::NotRegex,
                _ => return Err("invalid matcher type".to_owned()),
            };
            let matcher = Matcher::new(name, op, value).map_err(|error| error.to_string())?;
            matchers.push(matcher);
        }
        let times = Interval { min_time: query.start, max_time: query.end };
        let shown = query
            .hints
            .as_ref()
            .map_or(times, |hints| Interval { min_time: hints.start, max_time: hints.end });
        let is_of_labels = query.hints.is_some_and(|hints| hints.function == b"series");
        Ok(Question { selector: Selector::new(matchers), times, shown, is_of_labels })
    }

    /// The blocks that it asks, of which only raw ones have samples.
    pub(super) fn blocks<'m>(&self, moment: &'m Moment) -> Result<Blocks<'m>, Failure> {
        let choice = Choice { resolution: Some(0), aggregate: None };
        let blocks = moment.within(self.times).choose(choice);
        let blocks = blocks.map_err(|error| Failure::new(error.class(), error))?;
        Ok(blocks.at(self.shown).with_samples())
    }
}

/// An answer is larger than a call may hold.
pub(super) fn too_large(what: impl std::fmt::Display) -> Failure {
    let text = format!("{what}: ask for shorter times, or accept STREAMED_XOR_CHUNKS");
    Failure::new(ErrorClass::TooMuch, text)
}

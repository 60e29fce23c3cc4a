//! Blocks opened for a table, and the arguments that say which of their series.

use std::sync::Arc;

use manicule_series::{BlockError, Interval, Selector};

use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::failure::Failure;
use crate::series::{Data, Moment, OpenCall};

/// What most tables of blocks take.
pub(super) const SELECTOR: Argument = Argument {
    name: "selector",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Series that one of these selects, as in PromQL: `up{job=\"api\"}`. Default: all.",
};
pub(super) const START: Argument = Argument {
    name: "start",
    takes: Takes::Time,
    concerns: Concerns::Question,
    about: "First time. Blocks that end before it stay closed.",
};
pub(super) const END: Argument = Argument {
    name: "end",
    takes: Takes::Time,
    concerns: Concerns::Question,
    about: "Last time, included. Blocks that begin after it stay closed.",
};
pub(super) const LABEL_COLUMNS: Argument = Argument {
    name: "labels",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Labels that are columns of their own, dictionaries of text.",
};
pub(super) const PER_BLOCK: Argument = Argument {
    name: "per_block",
    takes: Takes::Boolean,
    concerns: Concerns::Question,
    about: "Whether each block is listed for itself, with its name in a further column `block`. Default: false.",
};

/// The times of the arguments.
pub(super) fn times(arguments: &Arguments) -> Result<Option<Interval>, Failure> {
    let (start, end) = (arguments.time("start")?, arguments.time("end")?);
    let is_any = start.is_some() || end.is_some();
    let (min_time, max_time) = (start.unwrap_or(i64::MIN), end.unwrap_or(i64::MAX));
    Ok(is_any.then_some(Interval { min_time, max_time }))
}

/// Opens the blocks of all paths, for these times.
pub(super) fn opened(
    arguments: &Arguments,
    times: Option<Interval>,
) -> Result<Arc<Moment>, Failure> {
    let call = OpenCall { paths: arguments.paths.clone(), times, skip_damaged: false };
    let moment = Data::open(&call, &mut |_| {})?.moment();
    let failure = |error: &BlockError| Failure::new(error.class(), error.to_string());
    let broken = moment.broken().next().map(failure);
    broken.map_or(Ok(moment), Err)
}

/// The selectors, or none.
pub(super) fn selectors(arguments: &Arguments) -> Result<Vec<Selector>, Failure> {
    let read = |text: &str| {
        let wrong = |why: String| Failure::asked(format!("selector {text}: {why}"));
        let selector = Selector::parse(text).map_err(|error| wrong(error.to_string()))?;
        if selector.matchers().is_empty() {
            return Err(wrong("it has no matcher and would select nothing".to_owned()));
        }
        Ok(selector)
    };
    arguments.texts("selector").map(read).collect()
}

//! Occurrences of a text in an index: in names and values of labels, each looked at once.

use std::ops::ControlFlow;

use manicule_core::bytes::{DecodeError, FileBytes};
use manicule_format_prometheus::{Index, PairIndex};

use super::Work;

/// A name, or a value of one, that was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence<'i> {
    /// The label's name.
    pub name: &'i [u8],
    /// The value, if it is one that was looked for.
    pub value: Option<&'i [u8]>,
    /// Number of values of the label, or 1.
    pub value_count: u64,
    /// Number of series that have it.
    pub series_count: u64,
}

/// Whether a name matches, or a value of that name.
pub type IsMatch<'m> = dyn FnMut(&[u8], Option<&[u8]>) -> bool + 'm;

/// Hands out the names and values that match, name by name: each name before its values. `is_match`
/// is asked of a name alone, and of each value with its name. `held` is a text that every match of
/// a value holds; what lacks it is not looked at. It may be empty.
pub fn occurrences<'i, B: FileBytes>(
    index: &'i Index<B>,
    held: &[u8],
    is_match: &mut IsMatch<'_>,
    each: &mut dyn FnMut(Occurrence<'i>) -> ControlFlow<()>,
    work: &mut Work,
) -> Result<(), DecodeError> {
    work.ask(index);
    let series_count = |pair, work: &mut Work| {
        let count = work.read(index.postings(pair)?).len() as u64;
        work.series_matched += count;
        Ok::<_, DecodeError>(count)
    };
    for (name, pairs) in index.names() {
        work.names_tried += 1;
        if is_match(name, None) {
            let counts = pairs.clone().map(|pair| series_count(PairIndex(pair), work));
            let series_count = counts.sum::<Result<u64, _>>()?;
            let value_count = pairs.len() as u64;
            if each(Occurrence { name, value: None, value_count, series_count }).is_break() {
                return Ok(());
            }
        }
        // What stops the search: an error, or whoever has enough.
        let stopped = index.pairs_holding(pairs, held, &mut |pair| {
            let value = index.value(pair);
            work.values_tried += 1;
            if !is_match(name, Some(value)) {
                return Ok(());
            }
            let series_count = series_count(pair, work).map_err(Some)?;
            match each(Occurrence { name, value: Some(value), value_count: 1, series_count }) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(None),
            }
        });
        match stopped {
            Ok(()) => {}
            Err(None) => return Ok(()),
            Err(Some(error)) => return Err(error),
        }
    }
    Ok(())
}

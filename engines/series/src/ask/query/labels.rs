//! Label names and values, of all series or of those that matchers select: by posting lists only.

use manicule_core::bytes::{DecodeError, FileBytes};
use manicule_core::postings::Probe;
use manicule_format_prometheus::{Index, PairIndex};

use super::{Work, remote, select};
use crate::ask::matcher::Matcher;

/// The names of labels, sorted: of all series without matchers, else of those that satisfy all of
/// them.
pub fn label_names<'i, B: FileBytes>(
    index: &'i Index<B>,
    matchers: &[Matcher],
    work: &mut Work,
) -> Result<Vec<&'i [u8]>, DecodeError> {
    if matchers.is_empty() {
        return Ok(index.names().map(|(name, _)| name).collect());
    }
    let selection = select(index, matchers, work)?;
    work.series_matched += selection.len() as u64;
    let Some(selected) = Probe::new(selection.found()) else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    if !index.file().is_whole() {
        let all: Vec<PairIndex> = index.names().flat_map(|name| name.1.map(PairIndex)).collect();
        if remote::are_dear(index, &all, selection.len()) {
            return remote::names_of(index, &selection.into_refs(), work);
        }
        index.bring_lists(&all)?;
    }
    for (name, pairs) in index.names() {
        for pair in pairs.map(PairIndex) {
            if selected.meets(work.read(index.postings(pair)?)) {
                names.push(name);
                break;
            }
        }
    }
    Ok(names)
}

/// The values of a label, sorted: of all series without matchers, else of those that satisfy all of
/// them.
///
/// As in Prometheus, matchers on other labels are asked about series, and those on this one about
/// the values first. So without one on another label `l=""` leaves nothing, though series without
/// the label satisfy it.
pub fn label_values<'i, B: FileBytes>(
    index: &'i Index<B>,
    name: &[u8],
    matchers: &[Matcher],
    work: &mut Work,
) -> Result<Vec<&'i [u8]>, DecodeError> {
    let (own, others): (Vec<&Matcher>, Vec<&Matcher>) =
        matchers.iter().partition(|matcher| matcher.name() == name);
    let mut pairs: Vec<PairIndex> = index.pairs_of(name).map(PairIndex).collect();
    for matcher in own {
        work.values_tried += pairs.len() as u64;
        pairs.retain(|pair| matcher.matches(index.value(*pair)));
    }
    if !others.is_empty() && !pairs.is_empty() {
        let selection = select(index, matchers, work)?;
        work.series_matched += selection.len() as u64;
        let Some(selected) = Probe::new(selection.found()) else { return Ok(Vec::new()) };
        if !index.file().is_whole() {
            if remote::are_dear(index, &pairs, selection.len()) {
                let found = remote::values_of(index, name, &selection.into_refs(), work)?;
                let values = pairs.into_iter().map(|pair| index.value(pair));
                return Ok(values.filter(|value| found.contains(value)).collect());
            }
            index.bring_lists(&pairs)?;
        }
        let mut kept = Vec::with_capacity(pairs.len());
        for pair in pairs {
            if selected.meets(work.read(index.postings(pair)?)) {
                kept.push(pair);
            }
        }
        pairs = kept;
    }
    Ok(pairs.into_iter().map(|pair| index.value(pair)).collect())
}

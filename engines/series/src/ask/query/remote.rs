//! What a question reads of an index that is elsewhere: bytes are what it costs there. Lists that
//! are longer than the entries of the series that are left are not brought; the series say the
//! same, and most of them are read afterwards anyway.

use std::collections::BTreeSet;

use manicule_core::bytes::{DecodeError, FileBytes};
use manicule_format_prometheus::{Index, PairIndex, SeriesRef};

use super::Work;
use super::ahead::each_series;
use super::terms::Term;

/// Bytes that a series costs which is brought by itself: granules around its entry.
const SERIES_COST: u64 = 1 << 10;

/// Lists of fewer bytes are brought whatever is left: a series may be the first of many.
const LISTS_MIN: u64 = 64 << 10;

/// Lists of up to this number of bytes are brought in the first round: they may leave few series.
const SHORT: u64 = 256 << 10;

/// Length of what is not references in a list.
const FRAME: u64 = 12;

/// Brings the lists of terms, in one round: those of the term that leaves the fewest series, and
/// short ones. For the others it has to be known how many series are left.
pub(super) fn plan<B: FileBytes>(
    index: &Index<B>,
    terms: &mut [Term<'_>],
) -> Result<(), DecodeError> {
    let lists: Vec<Vec<PairIndex>> = terms.iter().map(|term| pairs_of(index, term)).collect();
    let lens: Vec<u64> = lists.iter().map(|pairs| len_of(index, pairs)).collect();
    let wanted = (0..terms.len()).filter(|place| terms[*place].wants);
    let Some(least) = wanted.min_by_key(|place| lens[*place]) else {
        // Something is taken away from all series.
        let all = lists.into_iter().flatten().chain(index.all_series());
        return index.bring_lists(&all.collect::<Vec<_>>());
    };
    let series_max = lens[least] / size_of::<u32>() as u64;
    let mut brought = Vec::new();
    for (place, (term, pairs)) in terms.iter_mut().zip(lists).enumerate() {
        let is_asked = term.is_asked_of(series_max);
        if place != least && (is_asked || lens[place] > SHORT) {
            term.unread_len = Some(lens[place]);
        } else {
            brought.extend(pairs);
        }
    }
    index.bring_lists(&brought)
}

/// Brings the lists of a term that were not brought yet.
pub(super) fn bring<B: FileBytes>(index: &Index<B>, term: &Term<'_>) -> Result<(), DecodeError> {
    match term.unread_len {
        Some(_) => index.bring_lists(&pairs_of(index, term)),
        None => Ok(()),
    }
}

/// Whether lists are longer than the entries of that many series.
pub(super) fn is_longer(lists_len: u64, series_count: u64) -> bool {
    lists_len > LISTS_MIN && lists_len > series_count * SERIES_COST
}

fn pairs_of<B: FileBytes>(index: &Index<B>, term: &Term<'_>) -> Vec<PairIndex> {
    let mut pairs = Vec::new();
    let push = &mut |pair, _: &mut Work| {
        pairs.push(pair);
        Ok::<_, DecodeError>(())
    };
    let pushed = term.each_pair(index, &mut Work::default(), push);
    pushed.expect("nothing that is pushed fails");
    pairs
}

fn len_of<B: FileBytes>(index: &Index<B>, pairs: &[PairIndex]) -> u64 {
    pairs.iter().map(|pair| index.list_len(*pair).saturating_sub(FRAME)).sum()
}

/// Whether the lists of pairs are longer than the entries of that many series.
pub(super) fn are_dear<B: FileBytes>(
    index: &Index<B>,
    pairs: &[PairIndex],
    series_count: usize,
) -> bool {
    is_longer(len_of(index, pairs), series_count as u64)
}

/// The names of labels of some series, sorted.
pub(super) fn names_of<'i, B: FileBytes>(
    index: &'i Index<B>,
    series: &[SeriesRef],
    work: &mut Work,
) -> Result<Vec<&'i [u8]>, DecodeError> {
    let mut found = BTreeSet::new();
    each_label(index, series, work, &mut |name, _| {
        found.insert(name);
    })?;
    Ok(found.into_iter().collect())
}

/// The values that some series have of a label.
pub(super) fn values_of<'i, B: FileBytes>(
    index: &'i Index<B>,
    label: &[u8],
    series: &[SeriesRef],
    work: &mut Work,
) -> Result<BTreeSet<&'i [u8]>, DecodeError> {
    let mut found = BTreeSet::new();
    each_label(index, series, work, &mut |name, value| {
        if name == label {
            found.insert(value);
        }
    })?;
    Ok(found)
}

fn each_label<'i, B: FileBytes>(
    index: &'i Index<B>,
    series: &[SeriesRef],
    work: &mut Work,
    each: &mut dyn FnMut(&'i [u8], &'i [u8]),
) -> Result<(), DecodeError> {
    work.series_decoded += series.len() as u64;
    each_series(index, series, &mut |series| {
        for label in index.series(series)?.labels() {
            let (name, value) = label?;
            let text = |symbol| index.symbol(symbol).unwrap_or_default();
            each(text(name), text(value));
        }
        Ok(())
    })
}

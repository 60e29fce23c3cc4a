//! What is brought of packs before it is read, where each question costs a round.
//!
//! A wave of trees is one round, whatever number of packs it lies in. With them comes what lies
//! before and behind: restic writes a tree after those below it, so that the next wave has often
//! been brought with this one.

use std::ops::Range;

use manicule_format_restic::{BlobKind, Id};

use super::runs::{Run, runs_of};
use crate::index::{Found, Index};
use crate::repository::Repository;
use crate::storage::{Soon, batches};

/// Bytes that are brought along with a wave of trees: 5 ms at 100 MB/s, where a round takes 30.
const ALONG_LEN: u64 = 512 << 10;

/// Bytes of contents that are brought at once.
const CONTENTS_LEN: u64 = 32 << 20;

/// Length of what is brought at most: what an index claims beyond that is not asked memory for.
const PART_LEN_MAX: u64 = 64 << 20;

/// Stretches of runs that are read one after the other. Each is brought in one round, where a round
/// has a price.
pub(crate) fn brought<'r>(
    repository: &'r Repository,
    index: &'r Index,
    runs: &'r [Run],
) -> impl Iterator<Item = &'r [Run]> {
    let stretches = batches(repository.storage(), runs, |run| run.range.end - run.range.start);
    stretches.inspect(move |runs| {
        if repository.storage().is_far() {
            bring_along(repository, index, runs);
        }
    })
}

/// Brings trees that are going to be read.
pub(crate) fn bring_trees(
    repository: &Repository,
    index: &Index,
    trees: impl IntoIterator<Item = Id>,
) {
    if repository.storage().is_far() {
        let entries = index.of(BlobKind::Tree);
        let numbers = trees.into_iter().filter_map(|tree| entries.number(&tree)).collect();
        bring_along(repository, index, &runs_of(repository, index, BlobKind::Tree, numbers));
    }
}

/// Brings runs, those of trees with what lies around them; nothing if all is there.
fn bring_along(repository: &Repository, index: &Index, runs: &[Run]) {
    let share = ALONG_LEN / (runs.len() as u64).max(1);
    let exact = |run: &Run| Soon::Shared(index.pack(run.pack).id, run.range.clone());
    let is_missing = |run: &&Run| {
        run.range.end - run.range.start <= PART_LEN_MAX
            && !repository.storage().has_brought(&exact(run))
    };
    let missing: Vec<&Run> = runs.iter().filter(is_missing).collect();
    let wide = |run: &&Run| {
        let pack = index.pack(run.pack);
        let range = if run.kind == BlobKind::Tree {
            widened(&run.range, share, pack.len.saturating_sub(pack.header_len))
        } else {
            run.range.clone()
        };
        (pack.id, range)
    };
    let mut parts: Vec<(Id, Range<u64>)> = Vec::with_capacity(missing.len());
    // Of a pack, runs follow each other.
    for (pack, range) in missing.iter().map(wide) {
        match parts.last_mut() {
            Some((last, before)) if *last == pack && range.start <= before.end => {
                before.end = before.end.max(range.end);
            }
            _ => parts.push((pack, range)),
        }
    }
    let soon: Vec<Soon> =
        parts.into_iter().map(|(pack, range)| Soon::Shared(pack, range)).collect();
    repository.storage().bring(&soon);
}

/// A range with as many bytes around it as it may have, three of four before it; `end` is that of
/// the blobs of its pack.
fn widened(range: &Range<u64>, share: u64, end: u64) -> Range<u64> {
    if end <= share {
        return 0..end.max(range.end);
    }
    let start = range.start.saturating_sub(share / 4 * 3);
    start..(range.end + share / 4).min(end.max(range.end))
}

/// Brings the first blobs of contents, as many as may be in memory at once. Returns their number.
pub(crate) fn bring_contents(
    repository: &Repository,
    index: &Index,
    blobs: impl IntoIterator<Item = Id>,
) -> usize {
    let (mut soon, mut len, mut count) = (Vec::new(), 0, 0);
    for blob in blobs {
        let found = index.places(BlobKind::Data, &blob).next();
        let is_short = |found: &Found| u64::from(found.place.len) <= PART_LEN_MAX;
        if let Some(Found { pack, place }) = found.filter(is_short) {
            len += u64::from(place.len);
            if len > CONTENTS_LEN && count > 0 {
                break;
            }
            let range = u64::from(place.offset)..place.end();
            soon.push(Soon::Part(index.pack(pack).id, range));
        }
        count += 1;
    }
    repository.storage().bring(&soon);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_widened_within_the_blobs_of_its_pack() {
        assert_eq!(widened(&(10..20), 1000, 900), 0..900);
        assert_eq!(widened(&(10_000..10_010), 400, 50_000), 9_700..10_110);
        assert_eq!(widened(&(100..110), 400, 50_000), 0..210);
        assert_eq!(widened(&(49_990..50_000), 400, 50_000), 49_690..50_000);
        // A place that the index has beyond the end stays as it is: reading it says so.
        assert_eq!(widened(&(60_000..60_010), 400, 50_000), 59_700..60_010);
        assert_eq!(widened(&(1_000..1_010), 400, 100), 0..1_010);
    }
}

//! Ranges of packs that hold several blobs, each read by one request.

use std::ops::Range;

use manicule_format_restic::BlobKind;

use crate::index::{Index, PackNo};
use crate::repository::Repository;

/// Maximum number of bytes between two blobs that are read together.
const GAP_LEN_MAX: u64 = 1 << 20;
/// The same where requests go out side by side: those between are what costs.
const FAR_GAP_LEN_MAX: u64 = 32 << 10;
/// Maximum length of what is read together.
const RUN_LEN_MAX: u64 = 4 << 20;
/// Maximum number of blobs that are read together: so that threads share a pack of thousands.
const RUN_COUNT_MAX: usize = 256;

/// Blobs of a pack that lie near each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) kind: BlobKind,
    pub(crate) pack: PackNo,
    pub(crate) range: Range<u64>,
    /// Numbers of the blobs' entries, in the order of their offsets.
    pub(crate) numbers: Vec<u32>,
}

impl Run {
    /// Number of blobs.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// The runs of some entries, in the order of packs and offsets.
pub(crate) fn runs_of(
    repository: &Repository,
    index: &Index,
    kind: BlobKind,
    numbers: Vec<u32>,
) -> Vec<Run> {
    let gap_len = if repository.storage().is_far() { FAR_GAP_LEN_MAX } else { GAP_LEN_MAX };
    let entries = index.of(kind);
    let mut places: Vec<(PackNo, u32, u64, u32)> = numbers
        .into_iter()
        .map(|number| {
            let stored = entries.entry(number).1;
            (stored.pack, stored.place.offset, stored.place.end(), number)
        })
        .collect();
    places.sort_unstable();
    let mut runs: Vec<Run> = Vec::new();
    for (pack, offset, end, number) in places {
        let start = u64::from(offset);
        match runs.last_mut().filter(|run| run.takes(pack, start, end, gap_len)) {
            Some(run) => {
                run.range.end = run.range.end.max(end);
                run.numbers.push(number);
            }
            None => runs.push(Run { kind, pack, range: start..end, numbers: vec![number] }),
        }
    }
    runs
}

impl Run {
    fn takes(&self, pack: PackNo, start: u64, end: u64, gap_len: u64) -> bool {
        self.pack == pack
            && start <= self.range.end + gap_len
            && end.max(self.range.end) - self.range.start <= RUN_LEN_MAX
            && self.len() < RUN_COUNT_MAX
    }
}

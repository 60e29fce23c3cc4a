//! Blocks in a store that is not local: the answers of the folder, an error whatever fails, and a
//! counted number of rounds and bytes.

mod catalogue;
mod damaged;
mod questions;
mod rounds;

use std::path::Path;
use std::sync::Arc;

use manicule_series::query::{Blocks, Work};
use manicule_series::{Block, BlockError, Interval, Opened, Selector, open_within, open_within_in};
use manicule_store::Disk;
use manicule_store::store::{FetchLimits, Fetched, MemoryStore, Store};
use manicule_testkit::{fail_at_every_operation, golden_folder, in_memory};

pub(crate) const LIMITS: FetchLimits =
    FetchLimits { file_bytes_max: 1 << 30, kept_bytes_max: 1 << 30 };

pub(crate) fn fetched(store: impl Store + 'static, kept: &Path) -> Fetched {
    Fetched::through(Arc::new(store), kept, Disk::shared(), LIMITS)
}

/// Each selected series of some blocks with its chunks and samples.
pub(crate) fn samples_of(
    blocks: &[Block],
    selectors: &[Selector],
) -> Result<Vec<String>, BlockError> {
    let always = Interval { min_time: i64::MIN, max_time: i64::MAX };
    let blocks = Blocks::new(blocks, None).with_samples();
    let mut series = blocks.series(selectors, &mut Work::default())?;
    let mut shown = Vec::new();
    while let Some(row) = series.next()? {
        let (mut samples, mut of_row) = (row.samples(always)?, Vec::new());
        while let Some(sample) = samples.next()? {
            of_row.push(sample);
        }
        let parts = row.parts.iter().map(|part| (part.series, &part.chunks));
        shown.push(format!("{:?} {:?} {of_row:?}", row.labels, parts.collect::<Vec<_>>()));
    }
    Ok(shown)
}

/// All series of some blocks.
pub(crate) fn all_of(blocks: &[Block]) -> Result<Vec<String>, BlockError> {
    samples_of(blocks, &[Selector::everything()])
}

fn all(opened: Result<Opened, BlockError>) -> Result<Vec<String>, String> {
    opened.and_then(|opened| all_of(&opened.blocks)).map_err(|error| error.to_string())
}

fn ask(store: &MemoryStore) -> Result<Vec<String>, String> {
    let kept = tempfile::tempdir().expect("a folder");
    all(open_within_in(&fetched(store.clone(), kept.path()), None))
}

#[test]
fn blocks_in_memory_are_those_of_their_folder_and_a_failure_is_an_error() {
    let golden = golden_folder("series", "golden");
    for name in ["tiny", "gaps", "api"] {
        let folder = golden.path().join("blocks").join(name);
        let (store, want) = (in_memory(&folder), all(open_within(&folder, None, None)));
        assert!(want.as_ref().is_ok_and(|series| !series.is_empty()), "{name}: {want:?}");
        assert!(ask(&store) == want, "{name}");
        fail_at_every_operation(&store, ask);
    }
    let none = open_within_in(&Fetched::local(golden.path()), None).unwrap_err();
    assert!(none.is_missing(), "{none}");
}

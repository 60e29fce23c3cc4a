//! Blocks in a store that is not local: the answers of the folder, an error whatever fails, and a
//! counted number of rounds.

use std::path::Path;
use std::sync::Arc;

use manicule_format_prometheus::Interval;
use manicule_series::{Block, BlockError, ChunkMeta, Opened, open_within, open_within_in};
use manicule_store::Disk;
use manicule_store::store::{FetchLimits, Fetched, MemoryStore, Name, Store};
use manicule_testkit::{
    Rounds, SlowStore, fail_at_every_operation, golden_folder, in_memory, round_of_environment,
};

const LIMITS: FetchLimits = FetchLimits { file_bytes_max: 1 << 30, kept_bytes_max: 1 << 30 };

fn fetched(store: impl Store + 'static, kept: &Path) -> Fetched {
    Fetched::through(Arc::new(store), kept, Disk::shared(), LIMITS)
}

/// Each series of a block with its chunks and samples.
fn all_of(block: &Block) -> Vec<String> {
    let index = block.index();
    let series = index.all_postings().unwrap();
    let shown = |series| {
        let entry = index.series(series).unwrap();
        let chunks: Vec<ChunkMeta> = entry.chunks().unwrap().map(Result::unwrap).collect();
        let samples = |chunk: &ChunkMeta| {
            let chunk = block.chunk(chunk.reference).unwrap().open().unwrap();
            format!("{:?}", chunk.samples().unwrap().map(Result::unwrap).collect::<Vec<_>>())
        };
        let samples: Vec<String> = chunks.iter().map(samples).collect();
        format!("{chunks:?} {samples:?} {:?}", block.deleted(series))
    };
    series.iter().map(shown).collect()
}

fn all(opened: Result<Opened, BlockError>) -> Result<Vec<Vec<String>>, String> {
    let opened = opened.map_err(|error| error.to_string())?;
    Ok(opened.blocks.iter().map(all_of).collect())
}

fn ask(store: &MemoryStore) -> Result<Vec<Vec<String>>, String> {
    let kept = tempfile::tempdir().expect("a folder");
    all(open_within_in(&fetched(store.clone(), kept.path()), None))
}

#[test]
fn blocks_in_memory_are_those_of_their_folder_and_a_failure_is_an_error() {
    let golden = golden_folder("series", "golden");
    for name in ["tiny", "gaps", "api"] {
        let folder = golden.path().join("blocks").join(name);
        let (store, want) = (in_memory(&folder), all(open_within(&folder, None, None)));
        assert!(want.as_ref().is_ok_and(|blocks| !blocks.is_empty()) && ask(&store) == want);
        fail_at_every_operation(&store, ask);
    }
    let none = open_within_in(&Fetched::local(golden.path()), None).unwrap_err();
    assert!(none.is_missing(), "{none}");
}

#[test]
fn calls_take_these_rounds() {
    let golden = golden_folder("series", "golden");
    let memory = in_memory(&golden.path().join("blocks/api"));
    let name = Name::new(&memory.list(&Name::root()).unwrap()[0].name).expect("a block");
    let slow = Arc::new(SlowStore::new(Arc::new(memory), round_of_environment()));
    let kept = tempfile::tempdir().expect("a folder");
    let files = || Fetched::through(slow.clone(), kept.path(), Disk::shared(), LIMITS);
    let within = |min_time, max_time| {
        let times = Some(Interval { min_time, max_time });
        move |files: &Fetched| open_within_in(files, times).unwrap().blocks
    };
    let mut rounds = Rounds::over(&slow);
    let first = within(i64::MIN, 1_700_006_360_000);
    rounds.call("open those of times, nothing kept", || first(&files()));
    rounds.call("open those of times, as another process has", || first(&files()));
    rounds.call("open those of other times", || within(i64::MAX - 1, i64::MAX)(&files()));
    let blocks = rounds.call("open all", || within(i64::MIN, i64::MAX)(&files()));
    rounds.call("open all again", || within(i64::MIN, i64::MAX)(&files()));
    let one = rounds.call("open one", || Block::open_in(&files(), &name)).unwrap();
    let index = one.index();
    rounds.call("all series", || index.all_postings().map(|all| all.len())).unwrap();
    rounds.call("series count", || index.series_count()).unwrap();
    rounds.call("all samples", || all_of(&one));
    rounds.call("samples of all blocks", || blocks.iter().map(all_of).collect::<Vec<_>>());
    // The folder, and of each block its meta file; of one that is wanted the listing and the file
    // of chunks, the index, tombstones: a look and a read where it is new.
    rounds.check(&[
        ("open those of times, nothing kept", 9),
        ("open those of times, as another process has", 6),
        ("open those of other times", 3),
        ("open all", 12),
        ("open all again", 9),
        ("open one", 4),
        ("all series", 0),
        ("series count", 0),
        ("all samples", 0),
        ("samples of all blocks", 0),
    ]);
}

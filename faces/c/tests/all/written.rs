//! The label store and the index writer joined: the bytes of Prometheus's writer in each state of
//! the store.

use std::fs;

use manicule_core::watch::Watch;
use manicule_labels::{Label, LabelStore, Selected, SeriesId, State, StoreInput};
use manicule_series::write::{
    ChunksBy, IndexWriter, Joined, Outputs, Part, SymbolChoice, WriteOptions, write_index_with,
};
use manicule_series::{ChunkMeta, ChunkRef};
use manicule_testkit::{check_sections, golden_chunks, golden_folder, unpacked, whole_golden_set};

/// Much memory, no legacy sections.
const PLAIN: WriteOptions =
    WriteOptions { memory: 300 << 20, symbols: SymbolChoice::All, label_indices: false };

/// So little memory that every window has the smallest length.
const TINY: WriteOptions = WriteOptions { memory: 1, ..PLAIN };

/// The label sets of a file, in the order of the index.
fn lines(text: &[u8]) -> Vec<Vec<Label<'_>>> {
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(labels).collect()
}

fn labels(line: &[u8]) -> Vec<Label<'_>> {
    let fields: Vec<&[u8]> = line.split(|&byte| byte == b'\t').collect();
    fields.chunks_exact(2).map(|label| (label[0], label[1])).collect()
}

/// A store of these series in a state. Not in order; before `Normal` is left, half of the series
/// are mixed with others whose strings nobody else has, and which die.
fn store_of(lines: &[Vec<Label<'_>>], state: State) -> LabelStore {
    let mut store = LabelStore::new();
    let mixed = |at: usize| &lines[at * 7919 % lines.len()];
    let half = if state == State::Normal { lines.len() } else { lines.len() / 2 };
    for at in 0..half {
        store.find_or_insert(mixed(at)).unwrap();
        if state != State::Normal {
            let junk = format!("junk-{at}");
            let mut others = mixed(at).clone();
            others[at % mixed(at).len()].1 = junk.as_bytes();
            store.find_or_insert(&others).unwrap();
        }
    }
    if state != State::Normal {
        store.begin_generation();
        for at in 0..half {
            let id = store.find(mixed(at)).unwrap();
            assert!(store.touch(id));
        }
        let frozen = store.freeze(store.next_id()).unwrap();
        if state == State::Shrunk {
            store.finish(frozen.copy()).unwrap();
        }
        (half..lines.len()).for_each(|at| assert!(store.find_or_insert(mixed(at)).is_ok()));
    }
    assert_eq!((store.state(), store.len() as usize), (state, lines.len()));
    store
}

const STATES: [State; 3] = [State::Normal, State::Fixed, State::Shrunk];

/// The chunks of the golden indexes.
fn chunks() -> ChunksBy<impl FnMut(u64, &mut Vec<ChunkMeta>)> {
    let mut rule = golden_chunks();
    ChunksBy::new(move |place, chunks| {
        chunks.extend(rule(place).map(|chunk| ChunkMeta {
            min_time: chunk.min_time,
            max_time: chunk.max_time,
            reference: ChunkRef(chunk.reference),
        }));
    })
}

/// The index of all or some series, in steps of `budget` bytes.
fn index(store: &mut LabelStore, ids: Selected, options: WriteOptions, budget: usize) -> Vec<u8> {
    store.settle();
    let StoreInput { strings, pairs, series } = StoreInput::new(&*store, ids);
    let source = Joined { labels: series, chunks: chunks() };
    let mut writer = IndexWriter::new(strings, pairs, source, options);
    let mut file = Vec::new();
    while writer.part() != Part::Done {
        writer.step(&mut file, budget).unwrap();
    }
    file
}

/// The index of all series, from `threads` threads.
fn index_from(store: &mut LabelStore, threads: usize) -> Vec<u8> {
    store.settle();
    let StoreInput { strings, pairs, series } = StoreInput::new(&*store, Selected::All);
    let source = Joined { labels: series, chunks: chunks() };
    let mut file = Vec::new();
    let outputs = Outputs { index: &mut file, index_header: None, sparse_header: None };
    write_index_with(strings, pairs, source, PLAIN, outputs, threads, &Watch::none().silent())
        .unwrap();
    file
}

#[test]
fn each_state_of_the_store_writes_the_golden_bytes() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("index/1000");
    let text = fs::read(folder.join("series.tsv")).unwrap();
    let want = fs::read(folder.join("index")).unwrap();
    let legacy = fs::read(folder.join("index-with-label-indices")).unwrap();
    for state in STATES {
        let mut store = store_of(&lines(&text), state);
        for budget in [1, 1000, usize::MAX] {
            assert!(index(&mut store, Selected::All, PLAIN, budget) == want, "{state:?} {budget}");
            assert!(index(&mut store, Selected::All, TINY, budget) == want, "{state:?} {budget}");
        }
        for threads in [1, 2] {
            assert!(index_from(&mut store, threads) == want, "{state:?}, {threads} threads");
        }
        let options = WriteOptions { label_indices: true, ..PLAIN };
        assert!(index(&mut store, Selected::All, options, 64 << 10) == legacy, "{state:?}");
    }
}

#[test]
fn a_selection_is_written_as_if_nothing_else_was_there() {
    let golden = golden_folder("series", "golden");
    let text = fs::read(golden.path().join("index/1000/series.tsv")).unwrap();
    let lines = lines(&text);
    let some: Vec<Vec<Label<'_>>> = lines.iter().step_by(3).cloned().collect();
    let options = WriteOptions { symbols: SymbolChoice::Used, ..PLAIN };
    let want = index(&mut store_of(&some, State::Normal), Selected::All, PLAIN, usize::MAX);
    for state in STATES {
        let mut store = store_of(&lines, state);
        let wanted: Vec<SeriesId> = some.iter().map(|line| store.find(line).unwrap()).collect();
        let ids = store.view().select(|id| wanted.contains(&id));
        assert!(index(&mut store, ids, options, usize::MAX) == want, "{state:?}");
    }
}

#[test]
fn larger_stores_have_the_recorded_hashes_in_each_state() {
    let Some(golden) = whole_golden_set("stores of 33,333 series and more") else { return };
    for count in ["33333", "100000", "1200000"] {
        let folder = golden.join("index").join(count);
        let text = unpacked(&folder.join("series.tsv.zst"));
        let lines = lines(&text);
        for state in STATES {
            let index = index(&mut store_of(&lines, state), Selected::All, PLAIN, 256 << 10);
            check_sections(&index, &folder.join("sections.json"), &format!("{count} {state:?}"));
        }
    }
}

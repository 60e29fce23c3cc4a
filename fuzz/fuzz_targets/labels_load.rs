//! Decoding and loading any bytes as a label store's file gives a store or an error, in memory that
//! the bytes can back; and a loaded store is like any other: each series is found by its labels and
//! in the lists of its pairs, an index of them is sound, it can be changed further, and it can be
//! written again.
//!
//! Five ways in: the bytes as they are; with correct checksums; sections; a file with numbers of
//! its own; and one that a store wrote after a few random changes, with a few bytes changed under
//! correct checksums.
//!
//! Seed:
//! `mkdir -p corpus/labels_load && sed -n 's/^0000\(....  .*\)  |.*/\1/p' ../docs/formats/labels.md | xxd -r > corpus/labels_load/example`

#![no_main]

#[path = "../../proof/bench/src/allocations.rs"]
#[expect(dead_code, reason = "the bench asks it for more")]
mod allocations;

use std::borrow::Cow;
use std::collections::BTreeSet;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_core::watch::Watch;
use manicule_format_labels::{Ids, LabelFile, Part, decode, encode, outline, put_row};
use manicule_format_prometheus::{Index, verify_index};
use manicule_labels::{Frozen, Label, LabelStore, Selected, SeriesId, StoreInput};
use manicule_series::write::{ChunksBy, Joined, SymbolChoice, WriteOptions, write_index};
use manicule_series::{ChunkMeta, ChunkRef};

/// Maximum memory of loading at a time: bytes for each byte of the file, plus a few tables.
const HELD_PER_BYTE_MAX: u64 = 200;
const HELD_MAX: u64 = 1 << 14;

#[derive(Arbitrary, Debug)]
enum Input<'a> {
    Signed(&'a [u8]),
    Sections(Vec<(u8, &'a [u8])>),
    File(Draft<'a>),
    Changed { life: Vec<Step>, changes: Vec<(u16, u8)>, at: u16, more: &'a [u8] },
}

/// A file with arbitrary numbers.
#[derive(Arbitrary, Debug)]
struct Draft<'a> {
    is_fixed: bool,
    boundary: u32,
    alive: Vec<u64>,
    hidden: Vec<u64>,
    parts: Vec<DraftPart<'a>>,
}

#[derive(Arbitrary, Debug)]
struct DraftPart<'a> {
    first: Option<u32>,
    kept: Vec<u64>,
    names: Vec<(&'a [u8], Vec<&'a [u8]>)>,
    sets: Vec<Vec<u8>>,
    rows: Vec<(u8, Vec<u8>)>,
    /// The number of rows, or another one.
    row_count: Option<u32>,
}

#[derive(Arbitrary, Debug)]
enum Step {
    /// Numbers of names and values.
    Insert(Vec<(u8, u8)>),
    Touch(u8),
    Generation,
    Freeze(u8),
    Finish,
}

fuzz_target!(|bytes: &[u8]| {
    look(bytes);
    let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) else { return };
    match input {
        Input::Signed(bytes) => look(&signed(bytes.to_vec())),
        Input::Sections(sections) => look(&framed(&sections)),
        Input::File(draft) if draft.parts.is_empty() => {}
        Input::File(draft) => {
            let mut bytes = Vec::new();
            encode(&file(&draft), &mut bytes);
            look(&bytes);
        }
        Input::Changed { life, changes, at, more } => {
            let mut store = LabelStore::new();
            let mut frozen = None;
            life.iter().for_each(|step| step.take(&mut store, &mut frozen));
            let mut bytes = Vec::new();
            store.save(&mut bytes);
            let len = bytes.len();
            changes.iter().for_each(|(at, byte)| bytes[usize::from(*at) % len] = *byte);
            let at = usize::from(at) % len;
            bytes.splice(at..at, more.iter().copied());
            look(&signed(bytes));
        }
    }
});

impl Step {
    fn take(&self, store: &mut LabelStore, frozen: &mut Option<Frozen>) {
        match self {
            Step::Insert(numbers) => {
                let strings: Vec<_> = numbers
                    .iter()
                    .map(|(name, value)| ([b'a' + name % 5], value.to_string()))
                    .collect();
                let labels: Vec<Label<'_>> =
                    strings.iter().map(|(name, value)| (&name[..], value.as_bytes())).collect();
                // Anything but a label set is refused.
                let _ = store.find_or_insert(&labels);
            }
            Step::Touch(id) => drop(store.touch(SeriesId((*id).into()))),
            Step::Generation => store.begin_generation(),
            Step::Freeze(below) => {
                let boundary = store.next_id().0.saturating_sub((*below).into());
                *frozen = Some(store.freeze(SeriesId(boundary)).expect("a boundary of the store"));
            }
            Step::Finish => {
                if let Some(frozen) = frozen.take() {
                    store.finish(frozen.copy()).expect("nothing was frozen since");
                }
            }
        }
    }
}

/// Corrects the checksums of the sections, as far as these can be found.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 8;
    while let Some(len) = bytes.get(at + 1..at + 9) {
        let len = u64::from_le_bytes(len.try_into().expect("eight bytes"));
        let Some(end) = usize::try_from(len).ok().and_then(|len| len.checked_add(at + 9)) else {
            break;
        };
        if end.saturating_add(4) > bytes.len() {
            break;
        }
        let sum = crc32c::crc32c(&bytes[at..end]).to_le_bytes();
        bytes[end..end + 4].copy_from_slice(&sum);
        at = end + 4;
    }
    bytes
}

fn framed(sections: &[(u8, &[u8])]) -> Vec<u8> {
    let mut bytes = b"MANL\x01\0\0\0".to_vec();
    for (kind, section) in sections {
        bytes.push(kind % 10);
        bytes.extend_from_slice(&(section.len() as u64).to_le_bytes());
        bytes.extend_from_slice(section);
        bytes.extend_from_slice(&[0; 4]);
    }
    signed(bytes)
}

fn file<'a>(draft: &Draft<'a>) -> LabelFile<'a> {
    let part = |part: &DraftPart<'a>| {
        let mut rows = Vec::new();
        for (set, values) in &part.rows {
            put_row((*set).into(), values.iter().map(|value| (*value).into()), &mut rows);
        }
        Part {
            ids: part.first.map_or_else(|| Ids::Kept(part.kept.clone()), Ids::From),
            names: part.names.iter().map(|name| name.0).collect(),
            values: part.names.iter().map(|name| name.1.clone()).collect(),
            sets: part
                .sets
                .iter()
                .map(|set| set.iter().map(|name| (*name).into()).collect())
                .collect(),
            row_count: part.row_count.unwrap_or(part.rows.len() as u32),
            rows: Cow::Owned(rows),
        }
    };
    LabelFile {
        is_fixed: draft.is_fixed,
        boundary: draft.boundary,
        alive: draft.alive.clone(),
        hidden: draft.hidden.clone(),
        parts: draft.parts.iter().map(part).collect(),
    }
}

fn look(bytes: &[u8]) {
    let decoded = decode(bytes);
    let outline = outline(bytes);
    assert_eq!(decoded.is_ok(), outline.is_ok());
    if let (Ok(file), Ok(outline)) = (&decoded, &outline) {
        let mut again = Vec::new();
        encode(file, &mut again);
        assert_eq!(decode(&again).as_ref(), Ok(file), "what was decoded is the same when encoded");
        assert_eq!(outline.rows.last().map(|row| row.bytes.end), Some(bytes.len() as u64));
    }
    let (loaded, asked) = allocations::counted(|| LabelStore::load(bytes));
    let held_max = bytes.len() as u64 * HELD_PER_BYTE_MAX + HELD_MAX;
    assert!(asked.peak <= held_max, "{asked:?} for {} bytes", bytes.len());
    let Ok(mut store) = loaded else { return };
    assert!(decoded.is_ok(), "what can be loaded can be decoded");
    let saved = saved(&store);
    answers(&mut store);
    let again = LabelStore::load(&saved).expect("what was loaded can be written and loaded again");
    assert!(saved == self::saved(&again), "and says the same");
    live_on(store);
}

fn saved(store: &LabelStore) -> Vec<u8> {
    let mut bytes = Vec::new();
    store.save(&mut bytes);
    bytes
}

/// Reads everything.
fn answers(store: &mut LabelStore) {
    let (len, view) = (store.len(), store.view());
    let series: Vec<SeriesId> = view.sorted().collect();
    assert_eq!(series.len() as u32, len);
    let labels = |id: SeriesId| view.labels(id).collect::<Vec<Label<'_>>>();
    assert!(series.is_sorted_by(|left, right| labels(*left) < labels(*right)));
    let (mut names, mut pairs) = (BTreeSet::new(), BTreeSet::new());
    for &id in &series {
        assert!(view.contains(id));
        let labels = labels(id);
        assert!(!labels.is_empty() && labels.is_sorted_by(|left, right| left.0 < right.0));
        assert!(view.pairs(id).map(|pair| view.pair(pair)).eq(labels.iter().copied()));
        for (name, value) in labels {
            assert!(!name.is_empty() && !value.is_empty());
            assert!(view.with_value(name, value).any(|other| other == id));
            names.insert(name);
            pairs.insert((name, value));
        }
    }
    assert!(view.names().eq(names.iter().copied()), "names are those that series have");
    let values = names.iter().flat_map(|name| view.values(name, b"").map(|value| (*name, value)));
    assert!(values.eq(pairs.iter().copied()), "values are those that series have");
    assert_eq!(view.pair_count() as usize, pairs.len());
    for name in &names {
        let ids = view.with_name(name);
        assert!(ids.is_sorted_by(|left, right| left < right));
        assert_eq!(view.with_values(name, b"", |_| true), ids);
    }
    let mut sorted = series.clone();
    sorted.sort_unstable();
    view.sort(&mut sorted);
    assert_eq!(sorted, series);
    for id in series {
        let owned: Vec<(Vec<u8>, Vec<u8>)> =
            store.labels(id).map(|label| (label.0.to_vec(), label.1.to_vec())).collect();
        let labels: Vec<Label<'_>> = owned.iter().map(|label| (&*label.0, &*label.1)).collect();
        assert_eq!(store.find(&labels), Some(id));
    }
    index(store);
}

/// Writes an index of all series, which is sound and has them all.
fn index(store: &LabelStore) {
    let chunks = ChunksBy::new(|place, chunks: &mut Vec<ChunkMeta>| {
        let reference = ChunkRef(8 * (place + 1));
        chunks.push(ChunkMeta { min_time: 0, max_time: 1, reference });
    });
    let StoreInput { strings, pairs, series } = StoreInput::new(store, Selected::All);
    let source = Joined { labels: series, chunks };
    let options =
        WriteOptions { memory: 1 << 20, symbols: SymbolChoice::All, label_indices: false };
    let mut bytes = Vec::new();
    let written = write_index(strings, pairs.clone(), source, options, &mut bytes, &Watch::none().silent());
    assert_eq!(written.expect("a store's index can be written").series, store.len());
    let verified = verify_index(&bytes[..], 5, &mut |_| ());
    assert_eq!(verified.report.findings.count, 0, "{:?}", verified.report.findings.list);
    assert_eq!(verified.series_count, u64::from(store.len()));
    let index = Index::open(&bytes[..]).expect("it is sound");
    assert_eq!(index.pair_count(), pairs.len() as u32 + 1);
}

/// A store that was loaded takes a new series, is frozen and shrunk: living series stay as they
/// were.
fn live_on(mut store: LabelStore) {
    // Marks are kept up to the largest id.
    if store.next_id().0 > 1 << 20 {
        return;
    }
    let view = store.view();
    let alive = view.sorted().filter(|id| view.store().is_alive(*id));
    let mut wanted: Vec<(SeriesId, Vec<(Vec<u8>, Vec<u8>)>)> = alive
        .map(|id| (id, view.labels(id).map(|label| (label.0.to_vec(), label.1.to_vec())).collect()))
        .collect();
    let new: [Label<'_>; 1] = [(b"\xffnew", b"1")];
    if store.find(&new).is_none() {
        let next = store.next_id();
        assert_eq!(store.find_or_insert(&new), Ok(next));
        wanted.push((next, new.map(|label| (label.0.to_vec(), label.1.to_vec())).to_vec()));
    }
    let frozen = store.freeze(store.next_id()).expect("a boundary of the store");
    answers(&mut store);
    store.finish(frozen.copy()).expect("nothing was frozen since");
    assert_eq!(store.len() as usize, wanted.len());
    for (id, labels) in wanted {
        let labels: Vec<Label<'_>> = labels.iter().map(|label| (&*label.0, &*label.1)).collect();
        assert!(store.labels(id).eq(labels.iter().copied()), "{id:?}");
    }
    answers(&mut store);
}

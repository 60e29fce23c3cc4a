//! Tables damaged in each component at many places: what is not damaged is printed and written as
//! of the sound table, and what is lost is named.

use std::fs;
use std::ops::Range;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_format_sstable::{Component, CompressionInfo, DumpForm};
use manicule_rows::RowsError;
use manicule_rows::scan::{
    Loss, LossKind, PartitionOptions, RankedBy, Selection, partitions, print_damaged,
};
use manicule_rows::table::{Access, Listed, Sstable, list, list_all};
use manicule_rows::verify::{Depth, verify};
use manicule_rows::write::{Codec, Compress, SalvageOptions, Target, Written, salvage};
use manicule_store::Disk;
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading, SystemCache};
use serde_json::Value;

use crate::golden::support::{Golden, dump_text, open, options};

const NOW: i64 = 1_794_000_000;
const MEMORY_BYTES_MAX: u64 = 8 << 20;

/// What is done to a file at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Damage {
    Flip,
    Zeros,
    Cut,
}

impl Damage {
    /// The bytes of a file after it, and which of them differ.
    fn of(self, bytes: &[u8], at: usize) -> (Vec<u8>, Range<u64>) {
        let mut damaged = bytes.to_vec();
        let len = match self {
            Damage::Flip => {
                damaged[at] ^= 0x10;
                1
            }
            Damage::Zeros => {
                let len = (bytes.len() - at).min(16);
                damaged[at..at + len].fill(0);
                len
            }
            Damage::Cut => {
                damaged.truncate(at);
                bytes.len() - at
            }
        };
        (damaged, at as u64..(at + len) as u64)
    }
}

/// A sound table, and its partitions as they are printed and where they lie.
struct Sound {
    listed: Listed,
    partitions: Vec<(Value, Range<u64>)>,
}

impl Sound {
    fn new(listed: Listed, sstable: &Sstable) -> Sound {
        let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
        let mut reading = Reading { counts: &mut counts, budget: &budget };
        let text = dump_text(sstable, DumpForm::of(sstable.version(), NOW), &Selection::All);
        let all = PartitionOptions {
            listed_count_max: usize::MAX,
            by: RankedBy::Size,
            min: 0,
            counted: None,
        };
        let sizes = std::slice::from_ref(sstable);
        let sizes = partitions(sizes, &all, &mut reading, &Watch::none()).unwrap();
        let mut places: Vec<_> = sizes
            .largest
            .iter()
            .map(|size| size.parts[0].position..size.parts[0].position + size.len)
            .collect();
        places.sort_by_key(|place| place.start);
        let printed: Vec<Value> = serde_json::from_str(&text).expect("a dump");
        assert_eq!(printed.len(), places.len());
        Sound { listed, partitions: printed.into_iter().zip(places).collect() }
    }

    /// Bytes of the uncompressed data that differ where these of a component do; `None` if more may
    /// depend on them than that.
    fn touched(&self, component: &Component, differ: &Range<u64>) -> Option<Range<u64>> {
        let info = fs::read(self.listed.path(&Component::CompressionInfo)).ok();
        match component {
            Component::Statistics => None,
            Component::Data => match &info {
                None => Some(differ.clone()),
                Some(info) => {
                    let info = CompressionInfo::open(info, self.listed.descriptor.version).unwrap();
                    let file_len = fs::metadata(self.listed.path(&Component::Data)).unwrap().len();
                    let chunk_len = u64::from(info.chunk_len);
                    let hit = (0..info.chunk_count()).filter(|index| {
                        let stored = info.chunk(*index, file_len).unwrap().stored;
                        stored.start < differ.end && differ.start < stored.end + 4
                    });
                    let hit: Vec<u64> = hit.map(|index| index as u64).collect();
                    Some(hit[0] * chunk_len..(hit[hit.len() - 1] + 1) * chunk_len)
                }
            },
            Component::CompressionInfo => None,
            _ => Some(0..0),
        }
    }
}

/// What is left of a table, and what was lost; `None` if it can't be opened.
fn salvaged(folder: &Path) -> Option<(Vec<Value>, Vec<Loss>)> {
    let listed = list_all(folder).expect("a folder");
    assert_eq!(listed.len(), 1);
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let access = Access::Positioned(SystemCache::Used);
    let sstable = Sstable::open_damaged(&listed[0], &options(access), &mut reading).ok()?;
    let form = DumpForm::of(sstable.version(), NOW);
    let (mut text, mut losses) = (String::new(), Vec::new());
    print_damaged(
        &sstable,
        form,
        &mut reading,
        &Watch::none(),
        &mut |part| {
            text.push_str(part);
            Ok::<(), RowsError>(())
        },
        &mut |loss| losses.push(loss),
    )
    .expect("damage is no error");
    let printed = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    Some((printed, losses))
}

/// A sound table of what is left of one, and what was lost; `None` if it can't be opened.
fn written(
    from: &Listed,
    folder: &Path,
    compress: Option<Compress>,
) -> Option<(Option<Written>, Vec<Loss>)> {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let target = Target {
        files: Disk::shared(),
        folder: folder.to_owned(),
        generation: Some(1),
        is_dry: false,
    };
    let (wanted, mut losses) = (SalvageOptions { compress, block_len: 64 << 10 }, Vec::new());
    let options = options(Access::Positioned(SystemCache::Used));
    let mut lose = |loss: Loss, _: &Sstable| losses.push(loss);
    let done = salvage(from, &target, &wanted, &options, &mut reading, &Watch::none(), &mut lose);
    match done {
        Ok(written) => Some((written, losses)),
        Err(RowsError::Unwritable { why }) => panic!("{why}"),
        Err(_) => None,
    }
}

/// A dump without the offsets of what it shows.
fn without_places(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.remove("position");
            fields.values_mut().for_each(|it| *it = without_places(it.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|it| *it = without_places(it.take())),
        _ => {}
    }
    value
}

/// What is written of a damaged table is sound, has all that is not damaged, and nothing else.
fn check_written(sound: &Sound, folder: &Path, touched: Option<&Range<u64>>, shown: &str) {
    let (listed, target) = (list_all(folder).unwrap().remove(0), tempfile::tempdir().unwrap());
    let Some((table, losses)) = written(&listed, target.path(), None) else {
        assert!(touched.is_none(), "{shown}: not salvaged");
        return;
    };
    let is_touched =
        |place: &Range<u64>| touched.is_none_or(|it| place.start < it.end && it.start < place.end);
    let mut left = Vec::new();
    if table.is_some() {
        let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
        let mut reading = Reading { counts: &mut counts, budget: &budget };
        let (listed, _) = list(target.path()).unwrap();
        let options = options(Access::Mapped);
        let verified = verify(&listed[0], Depth::Whole, &options, &mut reading, &Watch::none());
        let findings = verified.unwrap().verdict.findings.list;
        assert!(findings.is_empty(), "{shown}: {findings:?}, {losses:?}");
        let sstable = &open(target.path(), Access::Mapped)[0];
        let text = dump_text(sstable, DumpForm::of(sstable.version(), NOW), &Selection::All);
        left = serde_json::from_str(&text).expect("a dump");
        left.iter_mut().for_each(|it: &mut Value| *it = without_places(it.take()));
    }
    let mut same = 0;
    for (partition, place) in &sound.partitions {
        let is_left = left.contains(&without_places(partition.clone()));
        same += usize::from(is_left);
        let key = &partition["partition"]["key"];
        assert!(is_left || is_touched(place), "{shown}: no {key}: {losses:?}");
    }
    let touched_count = sound.partitions.iter().filter(|(_, place)| is_touched(place)).count();
    assert!(left.len() - same <= touched_count, "{shown}: {losses:?}");
}

/// Damages each component of the only SSTable of a folder at some places.
fn check(folder: &Path, place_count: usize, damages: &[Damage]) {
    let (listed, _) = list(folder).unwrap();
    let sound = Sound::new(listed[0].clone(), &open(folder, Access::Mapped)[0]);
    let copy = tempfile::tempdir().unwrap();
    let paths = |component: &Component| {
        let name = sound.listed.descriptor.file_name(component);
        (folder.join(&name), copy.path().join(name))
    };
    for component in &sound.listed.components {
        fs::copy(paths(component).0, paths(component).1).unwrap();
    }
    let all: Vec<Value> = sound.partitions.iter().map(|partition| partition.0.clone()).collect();
    let (printed, losses) = salvaged(copy.path()).expect("a sound table");
    assert!(printed == all && losses.is_empty(), "{folder:?}: {losses:?}");
    for component in &sound.listed.components {
        let (from, to) = paths(component);
        let bytes = fs::read(&from).unwrap();
        let step = (bytes.len() / place_count).max(1);
        for at in (0..bytes.len()).step_by(step) {
            for damage in damages {
                let (damaged, differ) = damage.of(&bytes, at);
                fs::write(&to, damaged).unwrap();
                let shown = format!("{folder:?} {component} {damage:?} at {at}");
                check_salvaged(&sound, copy.path(), (component, &differ), &shown);
            }
        }
        fs::copy(from, to).unwrap();
    }
}

fn check_salvaged(
    sound: &Sound,
    folder: &Path,
    (component, differ): (&Component, &Range<u64>),
    shown: &str,
) {
    let touched = sound.touched(component, differ);
    let version = sound.listed.descriptor.version;
    if !version.has_trie_index() && !version.has_covered_slice() {
        check_written(sound, folder, touched.as_ref(), shown);
    }
    let Some((printed, losses)) = salvaged(folder) else {
        assert!(touched.is_none(), "{shown}: not opened");
        return;
    };
    let Some(touched) = touched else { return };
    for (partition, place) in &sound.partitions {
        let is_touched = place.start < touched.end && touched.start < place.end;
        let key = &partition["partition"]["key"];
        assert!(is_touched || printed.contains(partition), "{shown}: no {key}: {losses:?}");
    }
    let is_new = |partition: &&Value| sound.partitions.iter().all(|(other, _)| other != *partition);
    let new: Vec<_> = printed.iter().filter(is_new).collect();
    let touched_count = sound
        .partitions
        .iter()
        .filter(|(_, place)| place.start < touched.end && touched.start < place.end)
        .count();
    assert!(new.len() <= touched_count, "{shown}: {new:?}");
    assert!(*component != Component::Data || !losses.is_empty(), "{shown}: nothing is said");
    if !touched.is_empty() && touched_count < sound.partitions.len() {
        let lost = losses.iter().filter(|loss| !loss.kind.is_printed());
        let far = lost.filter(|loss| {
            let partition =
                sound.partitions.iter().find(|(_, place)| place.contains(&loss.range.start));
            partition
                .is_some_and(|(_, place)| place.end <= touched.start || touched.end <= place.start)
        });
        assert_eq!(far.count(), 0, "{shown}: {losses:?}");
    }
}

#[test]
fn what_is_not_damaged_is_there() {
    use Damage::{Cut, Flip, Zeros};
    let golden = Golden::new();
    let check = |version: &str, table: &str, places: usize, damages: &[Damage]| {
        golden.table(version, table).iter().for_each(|folder| check(folder, places, damages));
    };
    check("me", "comp", 60, &[Flip]);
    check("ea", "comp", 60, &[Flip]);
    check("me", "comp", 12, &[Zeros, Cut]);
    check("ea", "comp", 12, &[Zeros, Cut]);
    for version in ["me", "pa", "na"] {
        check(version, "mixed", 6, &[Flip, Zeros, Cut]);
    }
    check("me", "wide", 4, &[Flip, Cut]);
    check("ea", "wide", 4, &[Flip]);
    check("me", "small_lz", 6, &[Flip, Zeros]);
}

#[test]
fn chunks_are_found_where_their_places_are_lost() {
    let golden = Golden::new();
    let (from, _) = list(&golden.table("me", "small").unwrap()).unwrap();
    for codec in [Codec::Lz4, Codec::Snappy, Codec::Deflate, Codec::Zstd] {
        let folder = tempfile::tempdir().unwrap();
        let compress = Some(Compress { codec, chunk_len: 1024, level: 3 });
        written(&from[0], folder.path(), compress).expect("a sound table");
        check_found(folder.path(), codec);
    }
}

/// Cuts CompressionInfo.db of a compressed table, and damages a chunk of its data.
fn check_found(folder: &Path, codec: Codec) {
    let (listed, _) = list(folder).unwrap();
    let sound = Sound::new(listed[0].clone(), &open(folder, Access::Mapped)[0]);
    let [info_path, data_path] =
        [Component::CompressionInfo, Component::Data].map(|it| listed[0].path(&it));
    let [info, data] = [&info_path, &data_path].map(|path| fs::read(path).unwrap());
    let read = CompressionInfo::open(&info, listed[0].descriptor.version).unwrap();
    let (first, count) = (read.offsets_at() as usize, read.chunk_count());
    assert!(count > 20, "{count}");
    let all: Vec<Value> = sound.partitions.iter().map(|partition| partition.0.clone()).collect();
    let damaged = count / 2;
    let mut bad_data = data.clone();
    bad_data[read.chunk(damaged, data.len() as u64).unwrap().stored.end as usize - 1] ^= 1;
    let touched = damaged as u64 * 1024..(damaged as u64 + 1) * 1024;
    for cut in [first - 4, first - 1, first, first + 7, first + 80, info.len() - 8, info.len() - 1]
    {
        fs::write(&info_path, &info[..cut]).unwrap();
        let (printed, losses) = salvaged(folder).expect("its chunks are found");
        assert!(printed == all, "{codec:?} {cut}: {losses:?}");
        let [Loss { kind: LossKind::Index, why, .. }] = &losses[..] else { panic!("{losses:?}") };
        assert!(why.ends_with("by their checksums, and 0 are lost"), "{why}");
        fs::write(&data_path, &bad_data).unwrap();
        let (printed, losses) = salvaged(folder).expect("its chunks are found");
        for (partition, place) in &sound.partitions {
            let is_touched = place.start < touched.end && touched.start < place.end;
            assert!(is_touched || printed.contains(partition), "{codec:?} {cut}: {losses:?}");
        }
        assert!(losses.iter().any(|loss| !loss.kind.is_printed()), "{codec:?} {cut}");
        fs::write(&data_path, &data).unwrap();
    }
    // How chunks are compressed, and how many there are, is said nowhere else.
    fs::write(&info_path, &info[..first - 5]).unwrap();
    assert!(salvaged(folder).is_none());
}

#[test]
fn a_row_that_is_lost_takes_no_other_with_it() {
    let golden = Golden::new();
    let folder = golden.table("me", "wide").unwrap();
    let (listed, _) = list(&folder).unwrap();
    let sound = Sound::new(listed[0].clone(), &open(&folder, Access::Mapped)[0]);
    let copy = tempfile::tempdir().unwrap();
    for component in &sound.listed.components {
        let name = sound.listed.descriptor.file_name(component);
        fs::copy(folder.join(&name), copy.path().join(name)).unwrap();
    }
    let data = copy.path().join(sound.listed.descriptor.file_name(&Component::Data));
    let mut bytes = fs::read(&data).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&data, bytes).unwrap();
    let (printed, losses) = salvaged(copy.path()).unwrap();
    // One chunk is lost: the walk goes on at the next block of 64 KiB at the latest.
    let rows = |partitions: &[Value]| -> usize {
        let rows = partitions.iter().map(|partition| partition["rows"].as_array().unwrap().len());
        rows.sum()
    };
    let all: Vec<Value> = sound.partitions.iter().map(|partition| partition.0.clone()).collect();
    let lost_bytes: u64 = losses.iter().map(|loss| loss.range.end - loss.range.start).sum();
    assert!(lost_bytes <= 2 << 16, "{losses:?}");
    assert!(rows(&printed) < rows(&all) && printed.len() == all.len());
    let share = rows(&printed) as f64 / rows(&all) as f64;
    assert!(share > 0.8, "{share}: {losses:?}");
    assert!(losses.iter().all(|loss| loss.key.is_some()), "{losses:?}");
}

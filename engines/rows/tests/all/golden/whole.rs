//! Damaged tables: each command gives what it gives of the sound one, or an error. Never other
//! rows, and no table of a part of them.

use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_format_sstable::{Component, DumpForm, DumpLayout, IndexEntry};
use manicule_rows::RowsError;
use manicule_rows::export::{LiveOptions, facts, live_rows};
use manicule_rows::merge::open_live;
use manicule_rows::scan::{
    Chosen, FindCall, FindCounts, Meant, PartitionOptions, RankedBy, Selection, Taken, Times,
    TombstoneOptions, dump, find, partitions, tombstones,
};
use manicule_rows::slice::{Bounds, Direction, Edge, SliceOptions};
use manicule_rows::table::{Access, Listed, Sstable, TableOptions, list};
use manicule_rows::write::{
    ExtractOptions, MergeOptions, Purge, RebuildOptions, Target, Written, extract, merge, rebuild,
};
use manicule_store::Disk;
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading, SystemCache};
use tempfile::TempDir;

use crate::golden::support::{Golden, SEEKS, options};

const TIMES: Times = Times { now: 0, gc_grace_s: 0 };
const BLOCK_LEN: u64 = 64 << 10;
const ALL_ROWS: LiveOptions<'_> = LiveOptions { chosen: &Chosen::ALL, bounds: None, now: 0 };

/// A table that is asked, the keys that are asked for, and what a reading may hold.
pub(crate) struct Asked<'a, 'r> {
    listed: &'a Listed,
    /// The first partition, one of the middle, the last, and one that isn't there.
    keys: &'a [Vec<u8>],
    options: TableOptions,
    reading: Reading<'r>,
}

type Answer = Result<String, RowsError>;

/// A command, and whether checksums or the index prove each byte that it shows.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    run: fn(&mut Asked<'_, '_>) -> Answer,
}

pub(crate) const COMMANDS: [Command; 12] = [
    Command { name: "dump", run: |asked| dumped(asked, DumpLayout::Json, &Selection::All) },
    Command { name: "keys", run: |asked| dumped(asked, DumpLayout::Keys, &Selection::All) },
    Command {
        name: "dump -k",
        run: |asked| {
            let keys = Selection::Only(asked.keys.to_vec());
            dumped(asked, DumpLayout::Json, &keys)
        },
    },
    Command {
        name: "dump -x",
        run: |asked| {
            let keys = Selection::Without(asked.keys.to_vec());
            dumped(asked, DumpLayout::Json, &keys)
        },
    },
    Command { name: "live", run: live },
    Command { name: "facts", run: raw },
    Command { name: "partitions", run: largest },
    Command { name: "tombstones", run: counted },
    Command { name: "find", run: found },
    Command { name: "slice", run: sliced },
    Command { name: "merge", run: |asked| written(asked, merged) },
    Command { name: "extract", run: |asked| written(asked, extracted) },
];

const REBUILD: Command = Command { name: "rebuild", run: |asked| written(asked, rebuilt) };

fn opened(asked: &mut Asked<'_, '_>) -> Result<Sstable, RowsError> {
    Sstable::open(asked.listed, &asked.options, &mut asked.reading)
}

fn dumped(asked: &mut Asked<'_, '_>, layout: DumpLayout, selection: &Selection) -> Answer {
    let sstable = opened(asked)?;
    let form = DumpForm { layout, ..DumpForm::of(sstable.version(), 0) };
    let mut text = String::new();
    dump(&sstable, form, selection, &mut asked.reading, &Watch::none(), |part| {
        text.push_str(part);
        Ok::<(), RowsError>(())
    })?;
    Ok(text)
}

fn live(asked: &mut Asked<'_, '_>) -> Answer {
    let sstables = [opened(asked)?];
    let mut text = String::new();
    live_rows(&sstables, &ALL_ROWS, &mut asked.reading, &Watch::none(), |row| {
        text.push_str(&format!("{:?} {:?} {:?}\n", row.key, row.statics, row.row));
        Ok::<(), RowsError>(())
    })?;
    Ok(text)
}

fn raw(asked: &mut Asked<'_, '_>) -> Answer {
    let sstables = [opened(asked)?];
    let mut text = String::new();
    facts(&sstables, &Chosen::ALL, &mut asked.reading, &Watch::none(), |fact| {
        text.push_str(&format!("{fact:?}\n"));
        Ok::<(), RowsError>(())
    })?;
    Ok(text)
}

fn largest(asked: &mut Asked<'_, '_>) -> Answer {
    let sstables = [opened(asked)?];
    let (by, counted) = (RankedBy::Size, Some(TIMES));
    let wanted = PartitionOptions { listed_count_max: 5, by, min: 0, counted };
    let found = partitions(&sstables, &wanted, &mut asked.reading, &Watch::none())?;
    Ok(format!("{found:?}"))
}

fn counted(asked: &mut Asked<'_, '_>) -> Answer {
    let sstables = [opened(asked)?];
    let age_limits_s = Vec::new();
    let wanted = TombstoneOptions { times: TIMES, age_limits_s, listed_count_max: 5 };
    let found = tombstones(&sstables, &wanted, &mut asked.reading, &Watch::none())?;
    Ok(format!("{found:?}"))
}

fn found(asked: &mut Asked<'_, '_>) -> Answer {
    let sstable = opened(asked)?;
    let call = FindCall { is_match: &|_| true, is_inverted: false };
    let (mut text, mut counts) = (String::new(), FindCounts::default());
    find(&sstable, &call, &mut counts, &mut asked.reading, &Watch::none(), &mut |found| {
        text.push_str(&format!("{found:?}\n"));
        std::ops::ControlFlow::Continue(())
    })?;
    Ok(text)
}

fn sliced(asked: &mut Asked<'_, '_>) -> Answer {
    let sstable = opened(asked)?;
    let whole = Bounds::new(&[], Edge::Open, Edge::Open)?;
    let wanted = SliceOptions {
        direction: Direction::Forward,
        row_count_max: None,
        seek: SEEKS[0],
        read_bytes_max: 1 << 20,
    };
    let mut text = String::new();
    for key in asked.keys {
        let reading = &mut asked.reading;
        let Some(mut slice) = open_live(&[&sstable], key, &whole, &wanted, 0, reading)? else {
            text.push_str("none\n");
            continue;
        };
        while let Some(row) = slice.next(reading)? {
            text.push_str(&format!("{row:?}\n"));
        }
    }
    Ok(text)
}

type Make = fn(&mut Asked<'_, '_>, &Target) -> Result<Option<Written>, RowsError>;

/// The data of the SSTable that is made; nothing is left of one that isn't.
fn written(asked: &mut Asked<'_, '_>, make: Make) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let files = Disk::shared();
    let target =
        Target { files, folder: folder.path().to_owned(), generation: None, is_dry: false };
    match make(asked, &target) {
        Ok(written) => {
            let data = written.map(|written| fs::read(written.path).unwrap());
            Ok(format!("{data:?}"))
        }
        Err(error) => {
            let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
            assert!(left.is_empty(), "{left:?} {error}");
            Err(error)
        }
    }
}

fn merged(asked: &mut Asked<'_, '_>, target: &Target) -> Result<Option<Written>, RowsError> {
    let purge = Purge { now: 0, before: None };
    let wanted = MergeOptions { purge, version: None, compress: None, block_len: BLOCK_LEN };
    let (listed, table) = (std::slice::from_ref(asked.listed), &asked.options);
    merge(listed, target, &wanted, table, &mut asked.reading, &Watch::none()).map(|it| it.written)
}

fn extracted(asked: &mut Asked<'_, '_>, target: &Target) -> Result<Option<Written>, RowsError> {
    let meant = Meant::Keys(vec![asked.keys[1].clone()]);
    let chosen = Chosen { meant, taken: Taken::Others };
    let wanted = ExtractOptions { chosen, compress: None, block_len: BLOCK_LEN };
    let (listed, table) = (asked.listed, &asked.options);
    extract(listed, target, &wanted, table, &mut asked.reading, &Watch::none())
}

fn rebuilt(asked: &mut Asked<'_, '_>, target: &Target) -> Result<Option<Written>, RowsError> {
    let wanted = RebuildOptions { filter_chance: None, block_len: BLOCK_LEN, index_interval: None };
    let (listed, table) = (asked.listed, &asked.options);
    rebuild(listed, target, &wanted, table, &mut asked.reading, &Watch::none()).map(Some)
}

/// What a command says of the table in a folder.
fn answer(folder: &Path, keys: &[Vec<u8>], command: &Command) -> Result<String, String> {
    let (listed, left_out) = list(folder).map_err(|error| error.to_string())?;
    let Some(listed) = listed.first() else { return Err(left_out[0].why.clone()) };
    answer_of(listed, keys, command)
}

/// What a command says of a table.
pub(crate) fn answer_of(
    listed: &Listed,
    keys: &[Vec<u8>],
    command: &Command,
) -> Result<String, String> {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(8 << 20));
    let reading = Reading { counts: &mut counts, budget: &budget };
    let options = options(Access::Positioned(SystemCache::Used));
    let mut asked = Asked { listed, keys, options, reading };
    (command.run)(&mut asked).map_err(|error| error.to_string())
}

/// Keys of the first partition, one of the middle and the last; one that isn't there.
pub(crate) fn keys_of(folder: &Path) -> Vec<Vec<u8>> {
    let (listed, _) = list(folder).unwrap();
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(8 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let options = options(Access::Positioned(SystemCache::Used));
    let sstables = [Sstable::open(&listed[0], &options, &mut reading).unwrap()];
    let mut keys: Vec<Vec<u8>> = Vec::new();
    live_rows(&sstables, &ALL_ROWS, &mut reading, &Watch::none(), |row| {
        if keys.last().is_none_or(|last| last != row.key) {
            keys.push(row.key.to_vec());
        }
        Ok::<(), RowsError>(())
    })
    .unwrap();
    let last = keys.len() - 1;
    let absent = vec![0x7f, 0xff, 0xff, 0xf1];
    assert!(!keys.contains(&absent));
    vec![keys[0].clone(), keys[last / 2].clone(), keys[last].clone(), absent]
}

/// What is done to a file, in words, and the bytes after it; `None`: it is removed.
fn damages(component: &Component, sound: &[u8]) -> Vec<(String, Option<Vec<u8>>)> {
    let mut damages = vec![
        ("absent".to_owned(), None),
        ("empty".to_owned(), Some(Vec::new())),
        ("one byte more".to_owned(), Some([sound, &[0]].concat())),
        ("the same bytes again".to_owned(), Some([sound, sound].concat())),
    ];
    for twentieth in (1..20).step_by(4) {
        let at = sound.len() * twentieth / 20;
        if at > 0 {
            damages.push((format!("cut at {at}"), Some(sound[..at].to_vec())));
        }
        if let Some(byte) = sound.get(at) {
            let mut flipped = sound.to_vec();
            flipped[at] = byte ^ 0x10;
            damages.push((format!("flipped at {at}"), Some(flipped)));
        }
    }
    if *component == Component::Index {
        let borders = entry_ends(sound);
        for number in [0, 1, borders.len() / 2, borders.len().saturating_sub(2)] {
            let Some(end) = borders.get(number) else { continue };
            let start = if number == 0 { 0 } else { borders[number - 1] };
            damages.push((format!("cut after entry {number}"), Some(sound[..*end].to_vec())));
            let without = [&sound[..start], &sound[*end..]].concat();
            damages.push((format!("without entry {number}"), Some(without)));
        }
    }
    damages
}

/// Where the entries of Index.db end.
fn entry_ends(index: &[u8]) -> Vec<usize> {
    let (mut ends, mut at) = (Vec::new(), 0);
    while at < index.len() {
        let window = &index[at..];
        let entry = IndexEntry::read(window, at as u64).unwrap().last("entry", 0, window).unwrap();
        at = entry.end() as usize;
        ends.push(at);
    }
    ends
}

/// What no file proves: Statistics.db up to me, which has no checksum; bits of Filter.db, which is
/// asked first; and of data that aren't compressed a slice reads less than the 64 KiB that a
/// checksum is of.
fn is_unproven(component: &Component, damage: &str, command: &str, listed: &Listed) -> bool {
    let is_flip = damage.starts_with("flipped");
    let by_filter = ["slice", "dump -k", "dump -x"].contains(&command);
    match component {
        Component::Statistics => is_flip && !listed.descriptor.version.has_section_checksums(),
        Component::Filter => is_flip && by_filter,
        Component::Data => {
            is_flip && command == "slice" && listed.components.contains(&Component::Crc)
        }
        _ => false,
    }
}

fn copied(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    copy
}

/// Returns how many answers were right, and how many were errors; what is wrong is noted.
fn check(folder: &Path, wrong: &mut Vec<String>) -> (usize, usize) {
    let copy = copied(folder);
    let listed = list(copy.path()).unwrap().0.remove(0);
    let keys = keys_of(copy.path());
    let is_rewritten = !listed.descriptor.version.has_short_deletions();
    let is_asked = |name: &str| is_rewritten || !["merge", "extract"].contains(&name);
    let mut commands: Vec<&Command> = COMMANDS.iter().filter(|it| is_asked(it.name)).collect();
    commands.extend(is_rewritten.then_some(&REBUILD));
    let wanted: Vec<_> = commands
        .iter()
        .map(|command| answer(copy.path(), &keys, command).expect("it is sound"))
        .collect();
    let (mut right, mut refused) = (0, 0);
    for component in &listed.components {
        let path = listed.path(component);
        let sound = fs::read(&path).unwrap();
        for (damage, bytes) in damages(component, &sound) {
            match bytes {
                Some(bytes) => fs::write(&path, bytes).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            for (command, want) in commands.iter().zip(&wanted) {
                if is_unproven(component, &damage, command.name, &listed) {
                    continue;
                }
                match answer(copy.path(), &keys, command) {
                    Err(error) => {
                        refused += 1;
                        if error.contains("wanted 0, got 0") {
                            wrong.push(error);
                        }
                    }
                    Ok(got) => {
                        right += 1;
                        let shown = format!("{} {component} {damage}", folder.display());
                        if got != *want {
                            wrong.push(format!("{shown}: other rows by {}", command.name));
                        }
                    }
                }
            }
        }
        fs::write(&path, &sound).unwrap();
    }
    (right, refused)
}

#[test]
fn a_damaged_table_gives_the_same_rows_or_an_error() {
    let golden = Golden::new();
    let (mut tables, mut wrong) = (0, Vec::new());
    for (version, table) in [
        ("me", "small"),
        ("me", "mixed"),
        ("me", "small_lz"),
        ("me", "wide"),
        ("nb", "plain"),
        ("ea", "small"),
        ("ea", "wide"),
        ("da", "lz4"),
    ] {
        let Some(folder) = golden.table(version, table) else { continue };
        println!("{version}/{table}: {:?}", check(&folder, &mut wrong));
        tables += 1;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(tables >= 3);
}

#[test]
fn data_that_end_between_two_partitions_are_no_shorter_table() {
    let golden = Golden::new();
    let Some(folder) = golden.table("me", "small") else { return };
    let copy = copied(&folder);
    let listed = list(copy.path()).unwrap().0.remove(0);
    let keys = keys_of(copy.path());
    let sound = fs::read(listed.path(&Component::Data)).unwrap();
    let index = fs::read(listed.path(&Component::Index)).unwrap();
    let positions: Vec<usize> = {
        let starts = std::iter::once(0).chain(entry_ends(&index));
        let starts = starts.filter(|start| *start < index.len());
        let entry = |start: usize| IndexEntry::read(&index[start..], 0).unwrap();
        let position = |start| entry(start).last("entry", 0, &index[start..]).unwrap().position;
        starts.map(|start| position(start) as usize).collect()
    };
    let beside = [Component::Crc, Component::Digest, Component::Summary, Component::Index];
    for at in [0, positions[1], positions[500], positions[999]] {
        fs::write(listed.path(&Component::Data), &sound[..at]).unwrap();
        // With fewer and fewer others to ask.
        for gone in 0..=beside.len() {
            let copy = copied(copy.path());
            for component in &beside[..gone] {
                fs::remove_file(copy.path().join(listed.descriptor.file_name(component))).unwrap();
            }
            let named: Vec<&str> = listed
                .components
                .iter()
                .filter(|component| !beside[..gone].contains(component))
                .map(Component::name)
                .collect();
            let toc = copy.path().join(listed.descriptor.file_name(&Component::Toc));
            fs::write(toc, named.join("\n")).unwrap();
            for command in COMMANDS.iter().chain([&REBUILD]) {
                let is_right = ["slice", "dump -k"].contains(&command.name);
                let answer = answer(copy.path(), &keys[..2], command);
                let is_ok = answer.is_ok();
                assert!(!is_ok || (is_right && at > 0), "{at} {gone}: {}", command.name);
            }
        }
    }
}

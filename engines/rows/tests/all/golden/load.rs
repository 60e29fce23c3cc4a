//! Rows loaded: the files of Cassandra for the rows of its golden partition; random rows beside a
//! plain model of what is left of them, whatever the memory, sorted or not.

mod model;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_format_sstable::{Deletion, Header, NO_LOCAL_TIME, Value, Version, read_schema};
use manicule_rows::export::{Fact, facts};
use manicule_rows::merge::CellPath;
use manicule_rows::scan::Chosen;
use manicule_rows::table::{Access, list};
use manicule_rows::verify::{Depth, verify};
use manicule_rows::write::{LoadOptions, Loaded, NewRow, NewValue, Stamp, Target, load};
use manicule_rows::{FactKind, RowsError};
use manicule_store::Disk;
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading};
use manicule_testkit::Rng;
use sha2::{Digest, Sha256};

use self::model::{CQL, Own, compare, model_lines, place, random_rows};
use crate::golden::support::{hex, open, options};

fn header(cql: &str, version: Version) -> Header {
    read_schema(cql).expect("CQL")[0].header(version).expect("a header")
}

fn load_options(header: Header) -> LoadOptions {
    LoadOptions {
        header,
        filter_chance: 0.01,
        index_interval: 128,
        compress: None,
        block_len: 64 << 10,
        host: None,
        is_sorted: false,
        memory: 256 << 20,
    }
}

fn loaded(
    folder: &Path,
    wanted: LoadOptions,
    rows: impl FnOnce(&mut dyn FnMut(&NewRow<'_>) -> Result<(), RowsError>) -> Result<(), RowsError>,
) -> Result<Loaded, RowsError> {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(256 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let (files, folder) = (Disk::shared(), folder.to_owned());
    let target = Target { files, folder, generation: Some(1), is_dry: false };
    let table = options(Access::Mapped);
    load(&target, wanted, &table, &mut reading, &Watch::none(), |take| rows(take))
}

/// The value of a row of the golden partition: splitmix64, chained from the row's number.
fn value(row: u64, value: &mut [u8]) {
    let mut word = row;
    for bytes in value.chunks_mut(8) {
        word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
    }
}

/// The hashes are those of the files that Cassandra 3.11.3 wrote.
#[test]
fn the_golden_partition_has_the_files_of_cassandra() {
    let cql = "CREATE TABLE ks.t (pk int, ck int, value blob, PRIMARY KEY (pk, ck))";
    for is_sorted in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let wanted = LoadOptions { is_sorted, ..load_options(header(cql, Version::Mc)) };
        let written = loaded(folder.path(), wanted, |take| {
            let mut bytes = [0; 200];
            for row in 0..1_000_000 {
                value(row, &mut bytes);
                let ck = (2 * row as i32 + 1).to_be_bytes();
                let timestamp = 1_600_000_000_000_000 + row as i64;
                let stamp = Stamp { timestamp, ttl: 0, expires: NO_LOCAL_TIME, now: 0 };
                take(&NewRow {
                    key: &[0; 4],
                    clustering: Some(&[Some(&ck)]),
                    stamp,
                    has_liveness: false,
                    deletion: Deletion::LIVE,
                    statics: &[],
                    regulars: &[(0, NewValue::Set(&bytes))],
                })?;
            }
            Ok(())
        });
        let written = written.unwrap();
        assert_eq!((written.given_count, written.run_count), (1_000_000, 0));
        for (name, want) in [
            ("Data.db", "e6ca3f4c62b6c67b7cb8141b5f6725e69c8c6b90fb25099beaf2a04ce02f4de0"),
            ("Index.db", "19f5fe5f8bce14fc9e18b26b1b7450a8dda72473605fdb163dbcf1d354f5fc4f"),
            ("Filter.db", "7aa9dce46f9fad26af370d081c8a2c54240954dd9175ac17aee5bb7c8c2dd2c6"),
            ("Summary.db", "b46525e94ef8046afa9cc9bab04a2ecb2088c36c650939c6e9f3ef5ef6bf6d9d"),
        ] {
            let bytes = fs::read(folder.path().join(format!("mc-1-big-{name}"))).unwrap();
            assert_eq!(hex(Sha256::digest(&bytes)), want, "{name}, sorted: {is_sorted}");
        }
        let digest = fs::read(folder.path().join("mc-1-big-Digest.crc32")).unwrap();
        assert_eq!(digest, b"3597157811");
    }
}

fn line(header: &Header, fact: &Fact<'_>) -> String {
    let values: Option<Vec<Value<'_>>> =
        fact.place.map(|place| place.values(&header.clustering).collect());
    let at = place(header, fact.key, values.as_deref());
    let Fact { kind, timestamp, ttl, local_time, .. } = fact;
    let name =
        fact.column.map_or(String::new(), |it| String::from_utf8_lossy(&it.name).into_owned());
    let mut line = format!("{at} {kind:?} {name} {timestamp} {ttl} {local_time}");
    assert_eq!(matches!(fact.path(), CellPath::None), fact.path.is_none());
    if matches!(kind, FactKind::Cell | FactKind::CellDeletion) {
        let [path, value] = [fact.path, fact.value].map(|it| hex(it.unwrap_or_default()));
        line.push_str(&format!(" {path} {value}"));
    }
    assert_ne!(*kind, FactKind::PartitionDeletion);
    line
}

/// The facts of a folder's only SSTable, which is sound.
fn read_back(folder: &Path, header: &Header) -> Vec<String> {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(16 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let (listed, left_out) = list(folder).unwrap();
    assert!(listed.len() == 1 && left_out.is_empty(), "{left_out:?}");
    let table = options(Access::Mapped);
    let verified = verify(&listed[0], Depth::Whole, &table, &mut reading, &Watch::none()).unwrap();
    assert_eq!(verified.verdict.findings.count, 0, "{:?}", verified.verdict);
    let sstables = open(folder, Access::Mapped);
    let mut lines = Vec::new();
    let read = facts(&sstables, &Chosen::ALL, &mut reading, &Watch::none(), |fact| {
        lines.push(line(header, fact));
        Ok::<(), RowsError>(())
    });
    assert_eq!(read.unwrap().rows, lines.len() as u64);
    lines
}

/// Names the first line that differs.
fn check_lines(got: &[String], want: &[String], what: &str) {
    let first = got.iter().zip(want).find(|(got, want)| got != want);
    assert!(first.is_none(), "{what}: {first:?}");
    assert_eq!(got.len(), want.len(), "{what}");
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn random_rows_are_what_a_plain_model_leaves_of_them() {
    let seed = std::env::var("MANICULE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let rounds = std::env::var("MANICULE_ROUNDS").ok().and_then(|it| it.parse().ok()).unwrap_or(40);
    let (mut run_count, mut merged_count) = (0, 0);
    for round in 0..rounds {
        let mut random = Rng::new(seed + round);
        let version = [Version::Mc, Version::Md, Version::Me, Version::Na, Version::Nb];
        let header = header(CQL, version[round as usize % version.len()]);
        let count = 1 + random.below(300);
        let rows = random_rows(&header, &mut random, count);
        let want = model_lines(&header, &rows);
        let wanted = |memory, is_sorted| LoadOptions {
            memory,
            is_sorted,
            block_len: 200,
            ..load_options(header.clone())
        };
        let give = |rows: &[Own], wanted: LoadOptions| {
            let folder = tempfile::tempdir().unwrap();
            let loaded = loaded(folder.path(), wanted, |take| {
                rows.iter().try_for_each(|row| row.give(take))
            });
            (folder, loaded.unwrap())
        };
        let (whole, of_whole) = give(&rows, wanted(1 << 30, false));
        check_lines(&read_back(whole.path(), &header), &want, &format!("round {round}"));
        assert_eq!(of_whole.run_count, 0);
        // In less memory: the same files.
        for memory in [100, 1000, 10_000] {
            // So many runs that some are merged before all are.
            if memory == 100 && round % 10 != 0 {
                continue;
            }
            let (runs, of_runs) = give(&rows, wanted(memory, false));
            assert!(files(runs.path()) == files(whole.path()), "round {round}, memory {memory}");
            run_count += of_runs.run_count;
            merged_count += u64::from(of_runs.run_count > 64);
        }
        // In the order of the table: static values first, and those of a partition in one row.
        let mut sorted: Vec<Own> = rows.clone();
        sorted
            .iter_mut()
            .filter(|row| row.clustering.is_some())
            .for_each(|row| row.statics.clear());
        sorted.sort_by(|left, right| compare(&header, left, right));
        let (streamed, _) = give(&sorted, wanted(0, true));
        let want = model_lines(&header, &sorted);
        check_lines(&read_back(streamed.path(), &header), &want, &format!("round {round}, sorted"));
    }
    println!("{run_count} runs, {merged_count} tables of more than 64");
    assert!(run_count > 500 && merged_count > 1 || rounds < 40, "{run_count} {merged_count}");
}

#[test]
fn rows_that_have_no_place_are_refused() {
    let header = header(CQL, Version::Me);
    let mut random = Rng::new(9);
    let rows = loop {
        let rows = random_rows(&header, &mut random, 50);
        if rows.iter().filter(|row| row.clustering.is_some()).count() > 10 {
            break rows;
        }
    };
    let row = rows.iter().find(|row| row.clustering.is_some()).expect("a row");
    let check = |change: &dyn Fn(&mut Own), want: &str| {
        let mut row = row.clone();
        change(&mut row);
        let folder = tempfile::tempdir().unwrap();
        let refused = loaded(folder.path(), load_options(header.clone()), |take| row.give(take));
        let error = refused.expect_err(want).to_string();
        assert!(error.contains(want), "{error}");
        assert!(files(folder.path()).is_empty());
    };
    check(&|row| row.key.clear(), "the partition key is empty");
    check(&|row| row.key = vec![0; 70_000], "a partition key has 70000 bytes");
    check(&|row| row.clustering = Some(Vec::new()), "a row has 0 clustering values: wanted 2");
    check(&|row| row.clustering.as_mut().unwrap()[1] = vec![1], "none of the type int");
    check(&|row| row.clustering.as_mut().unwrap()[0] = vec![b'x'; 70_000], "65,535 at most fit");
    check(
        &|row| row.regulars = vec![(1, Some(vec![1, 2]))],
        "a value of 2 bytes is none of the type",
    );
    check(&|row| row.stamp = Stamp { ttl: 1, expires: 1 << 40, ..row.stamp }, "deletion time");
    // Out of order.
    let mut sorted: Vec<Own> =
        rows.iter().filter(|row| row.clustering.is_some()).cloned().collect();
    sorted.iter_mut().for_each(|row| row.statics.clear());
    sorted.sort_by(|left, right| compare(&header, right, left));
    let folder = tempfile::tempdir().unwrap();
    let wanted = LoadOptions { is_sorted: true, ..load_options(header.clone()) };
    let refused =
        loaded(folder.path(), wanted, |take| sorted.iter().try_for_each(|row| row.give(take)));
    assert!(refused.expect_err("order").to_string().contains("rows are not sorted"));
    assert!(files(folder.path()).is_empty());
    // Nothing at all.
    let none = loaded(folder.path(), load_options(header), |_| Ok(())).unwrap();
    assert_eq!((none.given_count, none.written), (0, None));
}

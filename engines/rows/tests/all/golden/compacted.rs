//! Golden tables merged into one SSTable: slices of it are those of the several.

use std::fs;

use manicule_core::watch::Watch;
use manicule_format_sstable::Version;
use manicule_rows::RowsError;
use manicule_rows::merge::{MergedItem, MergedRow, open_merged};
use manicule_rows::slice::{Bounds, Direction, Edge, SliceOptions};
use manicule_rows::table::{Access, Listed, Sstable, list_all};
use manicule_rows::verify::{Depth, verify};
use manicule_rows::write::{MergeOptions, Purge, Target, Written, merge};
use manicule_store::Disk;
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading};
use tempfile::TempDir;

use crate::golden::support::{Golden, SEEKS, open, options};

/// Before anything in the golden tables expires, so that nothing becomes a tombstone.
const KEEP: Purge = Purge { now: 0, before: None };

fn reading<T>(job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(16 << 20));
    job(&mut Reading { counts: &mut counts, budget: &budget })
}

fn merged(
    listed: &[Listed],
    purge: Purge,
    version: Option<Version>,
) -> Result<(TempDir, Option<Written>), RowsError> {
    let folder = tempfile::tempdir().unwrap();
    let (files, generation) = (Disk::shared(), None);
    let target = Target { files, folder: folder.path().to_owned(), generation, is_dry: false };
    let wanted = MergeOptions { purge, version, compress: None, block_len: 64 << 10 };
    let merged = reading(|reading| {
        merge(listed, &target, &wanted, &options(Access::Mapped), reading, &Watch::none())
    })?;
    Ok((folder, merged.written))
}

/// Everything that SSTables have of a partition, in lines.
fn shown(sstables: &[Sstable], key: &[u8]) -> Vec<String> {
    let all: Vec<&Sstable> = sstables.iter().collect();
    let whole = Bounds::new(&[], Edge::Open, Edge::Open).unwrap();
    let wanted = SliceOptions {
        direction: Direction::Forward,
        row_count_max: None,
        seek: SEEKS[0],
        read_bytes_max: 1 << 20,
    };
    reading(|reading| {
        let opened = open_merged(&all, key, &whole, &wanted, reading).unwrap();
        let Some(mut slice) = opened else { return Vec::new() };
        let columns = slice.columns().clone();
        let row = |row: &MergedRow, is_static: bool| {
            let mut row = row.clone();
            let mut text = String::new();
            for column in &mut row.columns {
                let of = &columns.list(is_static)[column.column];
                column.cells.iter_mut().for_each(|cell| cell.source = 0);
                text += &format!("{:?} {:?} {:?};", of.name, column.deletion, column.cells);
            }
            let (deletion, clustering) = (row.deletion, row.clustering);
            format!("{clustering:?} {:?} {deletion:?} {text}", row.liveness)
        };
        let mut lines = vec![format!("{:?}", slice.deletion())];
        lines.extend(slice.static_row().map(|statics| row(statics, true)));
        while let Some(item) = slice.next(reading).unwrap() {
            lines.push(match item {
                MergedItem::Row(found) => row(&found, false),
                MergedItem::Marker(marker) => format!("{marker:?}"),
            });
        }
        lines
    })
}

fn keys(sstables: &[Sstable]) -> Vec<Vec<u8>> {
    let mut keys: Vec<Vec<u8>> =
        sstables.iter().flat_map(|sstable| manicule_sstables::keys(sstable).unwrap()).collect();
    keys.sort();
    keys.dedup();
    keys
}

#[test]
fn merged_tables_hold_what_several_hold_together() {
    let golden = Golden::new();
    let (mut tables, mut lines) = (0, 0);
    for folder in golden.folders() {
        let listed = list_all(&folder).unwrap();
        let newest =
            listed.iter().map(|listed| listed.descriptor.version).max_by_key(|it| it.age());
        // Later versions are written as nb, if no time is after 2038.
        let version = newest.filter(|it| it.has_covered_slice()).map(|_| Version::Nb);
        let title = folder.display();
        let (target, written) = match merged(&listed, KEEP, version) {
            Err(RowsError::Unwritable { why }) if folder.ends_with("late") => {
                assert!(why.contains("is after 2147483646"), "{why}");
                continue;
            }
            done => done.unwrap_or_else(|error| panic!("{title}: {error}")),
        };
        let (several, one) = (open(&folder, Access::Mapped), open(target.path(), Access::Mapped));
        assert_eq!(one.len(), 1, "{title}");
        let keys = keys(&several);
        assert!(written.is_some_and(|it| it.partition_count <= keys.len() as u64), "{title}");
        for key in &keys {
            let (got, want) = (shown(&one, key), shown(&several, key));
            // A partition of which nothing is left is not there.
            let is_nothing =
                want.len() == 1 && want[0] == format!("{:?}", manicule_rows::Deletion::LIVE);
            assert!(
                got == want || got.is_empty() && is_nothing,
                "{title} {key:x?}:\n{got:#?}\n{want:#?}"
            );
            lines += got.len();
        }
        for listed in list_all(target.path()).unwrap() {
            let verified = reading(|reading| {
                let options = options(Access::Mapped);
                verify(&listed, Depth::Whole, &options, reading, &Watch::none()).unwrap()
            });
            assert_eq!(verified.verdict.findings.count, 0, "{title}: {:?}", verified.verdict);
            assert_eq!(verified.verdict.warnings.count, 0, "{title}: {:?}", verified.verdict);
        }
        tables += 1;
    }
    println!("{tables} tables, {lines} lines");
    assert!(tables > 30 && lines > 1_000);
}

#[test]
fn tombstones_are_dropped_when_they_are_old_enough() {
    let golden = Golden::new();
    let folder = golden.table("me", "mixed").expect("it is kept with the project");
    let listed = list_all(&folder).unwrap();
    let now = 1_800_000_000;
    let counts = |purge| {
        let (_folder, written) = merged(&listed, purge, None).unwrap();
        written.map_or((0, 0), |written| (written.partition_count, written.cell_count))
    };
    let (all, kept) = (counts(KEEP), counts(Purge { now, before: None }));
    let dropped = counts(Purge { now, before: Some(now) });
    assert_eq!(all, kept);
    assert!(dropped.0 < kept.0 && dropped.1 < kept.1, "{dropped:?} of {kept:?}");
    // The partitions that are deleted, and a second time nothing more.
    let (once, _) = merged(&listed, Purge { now, before: Some(now) }, None).unwrap();
    let again = list_all(once.path()).unwrap();
    let (twice, _) = merged(&again, Purge { now, before: Some(now) }, None).unwrap();
    let data = |folder: &TempDir| fs::read(folder.path().join("me-1-big-Data.db")).unwrap();
    assert_eq!(data(&once), data(&twice));
}

#[test]
fn tables_of_other_columns_are_not_merged() {
    let golden = Golden::new();
    let mut listed = list_all(&golden.table("me", "mixed").unwrap()).unwrap();
    listed.extend(list_all(&golden.table("me", "comp").unwrap()).unwrap());
    assert!(matches!(merged(&listed, KEEP, None), Err(RowsError::Unsupported { .. })));
    let listed = list_all(&golden.table("me", "comp").unwrap()).unwrap();
    let refused = merged(&listed, KEEP, Some(Version::Oa));
    assert!(matches!(refused, Err(RowsError::Unsupported { .. })));
}

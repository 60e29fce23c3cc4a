//! Random facts of random tables, written and read back as bytes; exported in every format and
//! written again, raw and as rows.

use std::fs;
use std::path::Path;

use manicule::rows::{self, ExportFormat, WriteCall};
use manicule::tables::TableFormat;
use manicule_core::watch::Watch;
use manicule_format_sstable::Version;
use manicule_rows::RowsError;
use manicule_rows::export::facts;
use manicule_rows::scan::Chosen;
use manicule_rows::table::{Access, list_all};
use manicule_rows::verify::{Depth, verify};
use manicule_sstables::{FactsOf, OwnFact, RandomFacts, open, random_facts};
use manicule_testkit::{Rng, number};

use crate::support::{Wanted, exported, options, reading, write_call, write_drawn};

/// Number of tables, unless MANICULE_ROUNDS says another.
const TABLE_COUNT: u64 = 60;
/// The present, by which some of what expires is alive and some is not.
const NOW: i64 = 1_600_000_000;

/// Checks the SSTable whole, and reads its facts.
fn read_back(data: &Path, drawn: &RandomFacts) -> Vec<OwnFact> {
    let listed = &list_all(data).expect("an SSTable")[0];
    let verified =
        reading(|reading| verify(listed, Depth::Whole, &options(), reading, &Watch::none()));
    let verdict = verified.expect("it is read").verdict;
    assert_eq!(verdict.findings.count, 0, "{data:?}: {verdict:?}");
    let sstables = open(data, Access::Mapped).expect("it is opened");
    let mut found = Vec::new();
    reading(|reading| {
        facts(&sstables, &Chosen::ALL, reading, &Watch::none(), |fact| {
            found.push(OwnFact::of(fact, &drawn.header));
            Ok::<(), RowsError>(())
        })
    })
    .expect("facts");
    found
}

/// The exports of a table.
const FORMATS: [(ExportFormat, &str); 3] = [
    (ExportFormat::Csv, "csv"),
    (ExportFormat::JsonLines, "jsonl"),
    (ExportFormat::Table(TableFormat::Parquet), "parquet"),
];

/// Writes what was exported; the bytes of its Data.db, or of none if there was no row.
fn again(
    folder: &Path,
    schema: &Path,
    (bytes, name): (&[u8], &str),
    is_raw: bool,
    (wanted, version): (Wanted, Version),
) -> Result<Vec<u8>, rows::Error> {
    let what = if is_raw { "facts" } else { "rows" };
    let input = folder.join(format!("{what}.{name}"));
    fs::write(&input, bytes).expect("a file");
    let call = WriteCall {
        is_raw,
        is_sorted: is_raw,
        version,
        compress: Some(wanted.compress),
        block_len: wanted.block_len,
        filter_chance: Some(0.01),
        ..write_call(schema, input, folder.join(what).join(name), NOW)
    };
    let loaded = rows::write(&call, &Watch::none())?;
    Ok(loaded.written.map_or_else(Vec::new, |written| fs::read(&written.path).expect("its data")))
}

/// Facts in an order that is the same each time.
fn listed(facts: &[OwnFact]) -> Vec<String> {
    let mut lines: Vec<String> = facts.iter().map(|fact| format!("{fact:?}")).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn random_facts_are_written_and_read_back_in_every_format() {
    let seed = number("MANICULE_SEED").unwrap_or(1);
    let count = number("MANICULE_ROUNDS").unwrap_or(TABLE_COUNT);
    let (mut fact_count, mut row_bytes) = (0, 0);
    for seed in seed..seed + count {
        let mut rng = Rng::new(seed);
        let version = rng.pick(&[Version::Mc, Version::Md, Version::Me, Version::Na, Version::Nb]);
        let wanted = Wanted::draw(&mut rng, version);
        let drawn = random_facts(seed, version, FactsOf::Anyone);
        if drawn.facts.is_empty() {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let data = write_drawn(&drawn, &folder.path().join("first"), wanted);
        let (found, given) = (listed(&read_back(&data, &drawn)), listed(&drawn.facts));
        let differs = found.iter().zip(&given).find(|(found, given)| found != given);
        assert_eq!(differs, None, "seed {seed}: {}", drawn.cql);
        assert_eq!(found.len(), given.len(), "seed {seed}: {}", drawn.cql);
        fact_count += found.len();

        let schema = folder.path().join("schema.cql");
        fs::write(&schema, &drawn.cql).expect("a file");
        let bytes = fs::read(&data).expect("its data");
        let first = &data.parent().expect("a folder").to_owned();
        let mut rows: Option<Vec<u8>> = None;
        for (format, name) in FORMATS {
            let export = |is_raw| exported(first, &schema, format, (is_raw, NOW)).expect("exports");
            let same =
                again(folder.path(), &schema, (&export(true), name), true, (wanted, version));
            match same {
                Ok(same) => assert!(same == bytes, "seed {seed}, {name}: {}", drawn.cql),
                Err(error) => panic!("seed {seed}, {name}: {error}\n{}", drawn.cql),
            }
            let is_table = matches!(format, ExportFormat::Table(_));
            if drawn.has_counters() || is_table && drawn.has_empty_values {
                continue;
            }
            let same =
                again(folder.path(), &schema, (&export(false), name), false, (wanted, version));
            let same = same.unwrap_or_else(|error| panic!("seed {seed}, rows, {name}: {error}"));
            row_bytes += same.len();
            let first = rows.get_or_insert_with(|| same.clone());
            assert!(*first == same, "seed {seed}, rows, {name}: {}", drawn.cql);
        }
    }
    println!("{count} tables of {fact_count} facts, {row_bytes} bytes of rows");
    assert!(count < TABLE_COUNT || fact_count > 10_000 && row_bytes > 100_000);
}

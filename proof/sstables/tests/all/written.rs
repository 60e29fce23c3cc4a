//! Random tables that Cassandra has written, written again by us: rebuilt, copied and salvaged byte
//! by byte, merged row by row as its own compaction merges them, loaded of the rows that a reader
//! sees; and its tools read what we write, merged and of damaged tables too.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use manicule::rows::{self, ExportFormat, WriteCall};
use manicule_core::watch::Watch;
use manicule_format_sstable::{Component, Version, read_toc};
use manicule_rows::RowsError;
use manicule_rows::scan::Chosen;
use manicule_rows::table::{Access, Listed, list_all};
use manicule_rows::write::{
    ExtractOptions, MergeOptions, Purge, RebuildOptions, SalvageOptions, extract, merge, rebuild,
    salvage,
};
use manicule_sstables::{
    Cassandra, FactsOf, RandomTable, Tool, Written, check_statistics, data_files, dump,
    first_difference, is_same_but_for_digits, is_same_but_for_versions, now, open, random_facts,
    sibling,
};
use manicule_testkit::{Rng, number};

use crate::support::{Wanted, exported, options, reading, target, write_call, write_drawn};

/// Number of tables that each version is written with, unless MANICULE_ROUNDS says another.
const TABLE_COUNT: u64 = 40;
/// Folder of what is left of damaged tables.
const LEFT: &str = "left";
/// Time at which the statements of the tables were executed.
const CLOCK: i64 = 1_700_000_000;
/// Times of merges: one drops no tombstone, two drop what is a thousand seconds old.
const PURGES: [Purge; 3] = [
    Purge { now: CLOCK - 1, before: None },
    Purge { now: CLOCK + 500, before: Some(CLOCK - 500) },
    Purge { now: CLOCK + 2_000_000, before: Some(CLOCK + 1_999_000) },
];

/// Length of the index's blocks of a table, as its script says.
fn block_len(script: &str) -> u64 {
    let kib = script.split(' ').nth(3).and_then(|word| word.parse::<u64>().ok());
    kib.expect("the script begins with the table") << 10
}

/// The first component that differs between two SSTables; chunks, and what follows from them, are
/// left out where `is_whole` is not.
fn difference(got: &Path, want: &Path, is_whole: bool) -> Option<String> {
    let toc = read_toc(&fs::read(sibling(want, &Component::Toc)).ok()?).ok()?;
    let of_chunks =
        [Component::Data, Component::Digest, Component::Statistics, Component::CompressionInfo];
    toc.into_iter().find_map(|component| {
        let is_left_out = !is_whole && of_chunks.contains(&component);
        if component == Component::Toc || is_left_out {
            return None;
        }
        let (got, want) =
            (fs::read(sibling(got, &component)).ok(), fs::read(sibling(want, &component)).ok());
        (got != want).then(|| format!("{component} differs"))
    })
}

fn only(path: &Path) -> Listed {
    list_all(path).expect("an SSTable").remove(0)
}

/// Salvages an SSTable; the Data.db, if anything is left.
fn salvaged(listed: &Listed, into: &Path, block_len: u64) -> Result<Option<PathBuf>, RowsError> {
    let (target, wanted) = (
        target(into, listed.descriptor.generation_number()),
        SalvageOptions { compress: None, block_len },
    );
    let lose = &mut |_, _: &_| ();
    let written = reading(|reading| {
        salvage(listed, &target, &wanted, &options(), reading, &Watch::none(), lose)
    })?;
    Ok(written.map(|written| written.path))
}

/// Salvages a copy of an SSTable with damage in the middle of its data.
fn left_of_damaged(
    listed: &Listed,
    into: &Path,
    block_len: u64,
) -> Result<Option<PathBuf>, RowsError> {
    let copy = tempfile::tempdir().expect("a folder");
    for component in &listed.components {
        let to = copy.path().join(listed.descriptor.file_name(component));
        fs::copy(listed.path(component), to).expect("a copy");
    }
    let data = copy.path().join(listed.descriptor.file_name(&Component::Data));
    let mut bytes = fs::read(&data).expect("its data");
    let middle = bytes.len() / 2;
    bytes[middle..].iter_mut().take(3).for_each(|byte| *byte ^= 0x15);
    fs::write(&data, bytes).expect("it is damaged");
    salvaged(&only(&data), into, block_len)
}

fn check_again(
    written: &Written,
    folder: &Path,
    faults: &mut Vec<String>,
) -> (Vec<PathBuf>, usize) {
    let (mut files, mut same) = (Vec::new(), 0);
    for table in &written.tables {
        let block_len = block_len(&table.script);
        for data in data_files(&written.table_folder(table)) {
            let listed = only(&data);
            let generation = listed.descriptor.generation_number();
            let place = |kind: &str| folder.join(kind).join("ks").join(&table.name);
            let is_compressed = listed.components.contains(&Component::CompressionInfo);
            let wanted = RebuildOptions { filter_chance: None, block_len, index_interval: None };
            let rebuilt = reading(|reading| {
                let target = target(&place("rebuilt"), generation);
                rebuild(&listed, &target, &wanted, &options(), reading, &Watch::none())
            });
            let wanted = ExtractOptions { chosen: Chosen::ALL, compress: None, block_len };
            let copied = reading(|reading| {
                let target = target(&place("copied"), generation);
                extract(&listed, &target, &wanted, &options(), reading, &Watch::none())
            });
            let salvaged = salvaged(&listed, &place("salvaged"), block_len);
            let paths = rebuilt.map(|it| it.path).and_then(|rebuilt| {
                let copied = copied?.ok_or(RowsError::EmptySlice)?;
                let salvaged = salvaged?.ok_or(RowsError::EmptySlice)?;
                Ok([(rebuilt, true), (copied.path, !is_compressed), (salvaged, !is_compressed)])
            });
            match left_of_damaged(&listed, &place(LEFT), block_len) {
                Ok(path) => files.extend(path),
                Err(error) => faults.push(format!("{data:?}, damaged: {error}")),
            }
            match paths {
                Err(error) => faults.push(format!("{data:?}: {error}")),
                Ok(paths) => {
                    for (path, is_whole) in paths {
                        match difference(&path, &data, is_whole) {
                            Some(differs) => faults.push(format!("{path:?}: {differs}")),
                            None => same += 1,
                        }
                        files.push(path);
                    }
                }
            }
        }
    }
    (files, same)
}

/// The rows of a table that a reader sees, as CSV.
fn rows_of(path: &Path, schema: &Path) -> Result<Vec<u8>, rows::Error> {
    exported(path, schema, ExportFormat::Csv, (false, CLOCK))
}

/// Loads the rows of a table that a reader sees; the Data.db, unless there is no row or its kind
/// isn't written.
fn loaded(
    table: &RandomTable,
    folder: &Path,
    into: &Path,
    version: Version,
    faults: &mut Vec<String>,
) -> Option<PathBuf> {
    fs::create_dir_all(into).expect("a folder");
    let (schema, input) = (into.join("schema.cql"), into.join("rows.csv"));
    fs::write(&schema, table.cql()).expect("a file");
    let wrote = rows_of(folder, &schema).expect("rows");
    fs::write(&input, &wrote).expect("a file");
    let call = WriteCall {
        version,
        block_len: block_len(&table.script),
        ..write_call(&schema, input, into.to_owned(), CLOCK)
    };
    match rows::write(&call, &Watch::none()) {
        Err(rows::Error::Rows(RowsError::Unsupported { .. } | RowsError::Schema { .. })) => None,
        Err(error) => {
            faults.push(format!("{into:?}: {error}"));
            None
        }
        Ok(loaded) => {
            let path = loaded.written?.path;
            let read = rows_of(&path, &schema).expect("rows");
            if read != wrote {
                let [read, wrote] = [&read, &wrote].map(|text| String::from_utf8_lossy(text));
                faults.push(format!("{path:?}: {}", first_difference(&read, &wrote)));
            }
            Some(path)
        }
    }
}

/// Merges the SSTables of a table; the Data.db, if anything is left.
fn merged(
    table: &RandomTable,
    folder: &Path,
    into: &Path,
    version: Version,
    purge: Purge,
) -> Result<Option<PathBuf>, RowsError> {
    let (listed, block_len) = (list_all(folder)?, block_len(&table.script));
    let wanted = MergeOptions { purge, version: Some(version), compress: None, block_len };
    let merged = reading(|reading| {
        merge(&listed, &target(into, Some(1)), &wanted, &options(), reading, &Watch::none())
    })?;
    Ok(merged.written.map(|written| written.path))
}

/// Merges all SSTables of each table, for each purge; those of which something is left.
fn merge_all(written: &Written, folder: &Path, faults: &mut Vec<String>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for table in &written.tables {
        let from = written.table_folder(table);
        if data_files(&from).is_empty() {
            continue;
        }
        for (number, purge) in PURGES.into_iter().enumerate() {
            let into = folder.join(format!("merged-{number}")).join("ks").join(&table.name);
            match merged(table, &from, &into, written.version, purge) {
                Ok(path) => files.extend(path),
                Err(error) => faults.push(format!("{into:?}: {error}")),
            }
        }
    }
    files
}

/// What Cassandra's tools print of what we wrote.
fn check_tools(judge: &Cassandra, files: &[PathBuf], scratch: &Path, faults: &mut Vec<String>) {
    let said = judge.tool(Tool::Dump, files, scratch).expect("dumps");
    let (mut same, mut failed) = (0, 0);
    for (file, said) in files.iter().zip(said) {
        let opened = open(file, Access::Mapped).expect("an SSTable");
        // The day of the tool: nothing of the tables expires near it.
        match (dump(&opened[0], now()), said) {
            (Ok(got), Ok(want)) if got == want || is_same_but_for_digits(&got, &want) => same += 1,
            (Ok(got), Ok(want)) if is_left(file) && is_same_but_for_versions(&got, &want) => {
                same += 1;
            }
            (Ok(got), Ok(want)) => {
                faults.push(format!("{file:?}: {}", first_difference(&got, &want)));
            }
            (Err(error), _) => faults.push(format!("{file:?}: {error}")),
            (Ok(_), Err(_)) => failed += 1,
        }
    }
    println!("{same} dumps of {} equal, {failed} that sstabledump can't print", files.len());
}

/// Whether it is what is left of a damaged table.
fn is_left(file: &Path) -> bool {
    file.iter().any(|part| part == LEFT)
}

/// Lines of `Verified` for SSTables of random tables. Of damaged tables no value is scrubbed:
/// damage within one is kept.
fn to_be_verified(written: &Written, files: &[PathBuf]) -> Vec<String> {
    let line = |file: &PathBuf| {
        let folder = file.parent().and_then(Path::file_name).expect("a table's folder");
        let is_of = |table: &&RandomTable| folder == OsStr::new(&table.name);
        let table = written.tables.iter().find(is_of).expect("its table");
        let scrub = if is_left(file) { "" } else { "\tscrub" };
        format!("{}\t{}{scrub}\n", file.display(), table.schema)
    };
    files.iter().map(line).collect()
}

/// What Cassandra's verifier and scrubber find in what we wrote, of the releases before 5.0.
fn check_verified(
    judge: &Cassandra,
    version: Version,
    (lines, scratch): (&[String], &Path),
    faults: &mut Vec<String>,
) {
    let script = scratch.join("verified");
    fs::write(&script, lines.concat()).expect("a file");
    let said = judge.answer("Verified", [&script]).expect("a verifier");
    let is_valid = |line: &&str| line.ends_with("\tvalid");
    let valid = said.lines().filter(is_valid).count();
    println!("{version}: {valid} SSTables of {} valid", lines.len());
    faults.extend(said.lines().filter(|line| !is_valid(line)).map(str::to_owned));
}

/// Writes the random facts of some seeds; what they are written to, and the lines of `Verified` for
/// them.
fn write_facts_of(
    version: Version,
    seeds: std::ops::Range<u64>,
    folder: &Path,
) -> (Vec<PathBuf>, Vec<String>) {
    let drawn = seeds.map(|seed| (random_facts(seed, version, FactsOf::Cassandra), Rng::new(seed)));
    let some = drawn.filter(|(drawn, _)| !drawn.facts.is_empty());
    some.map(|(drawn, mut rng)| {
        let into = folder.join("facts").join("ks").join(&drawn.name);
        let path = write_drawn(&drawn, &into, Wanted::draw(&mut rng, version));
        let line = format!("{}\t{}\tscrub\n", path.display(), drawn.schema);
        (path, line)
    })
    .unzip()
}

#[test]
#[ignore = "needs Cassandra, and minutes"]
fn tables_of_cassandra_are_written_again_byte_by_byte() {
    let all = Cassandra::all_for_test("random tables");
    let seed = number("MANICULE_SEED").unwrap_or(1);
    let count = number("MANICULE_ROUNDS").unwrap_or(TABLE_COUNT);
    let mut faults = Vec::new();
    for cassandra in &all {
        let is_written = |version: &&Version| !version.has_covered_slice();
        for version in cassandra.writes().iter().filter(is_written) {
            let judge = Cassandra::judge(&all, *version).expect("itself at least");
            let written = Written::new(cassandra, *version, seed, count);
            let folder = tempfile::tempdir().expect("a folder");
            let mut own = Vec::new();
            let (mut files, same) = check_again(&written, folder.path(), &mut own);
            println!("{version}: {same} SSTables of {} byte for byte equal", files.len());
            let before = files.len();
            for table in &written.tables {
                let into = folder.path().join("loaded").join("ks").join(&table.name);
                let from = written.table_folder(table);
                if !data_files(&from).is_empty() {
                    files.extend(loaded(table, &from, &into, *version, &mut own));
                }
            }
            println!("{version}: {} tables loaded", files.len() - before);
            let merged = merge_all(&written, folder.path(), &mut own);
            println!("{version}: {} merges with something left", merged.len());
            files.extend(merged);
            let mut lines = to_be_verified(&written, &files);
            let (of_facts, lines_of_facts) =
                write_facts_of(*version, seed..seed + count, folder.path());
            println!("{version}: {} tables of facts", of_facts.len());
            files.extend(of_facts);
            lines.extend(lines_of_facts);
            let scratch = written.scratch.path();
            check_tools(judge, &files, scratch, &mut own);
            check_statistics(judge, *version, &files, scratch, &mut own);
            check_verified(judge, *version, (&lines, scratch), &mut own);
            if !own.is_empty() {
                println!("{version}: kept in {:?}, {:?}", written.folder.keep(), folder.keep());
            }
            faults.extend(own);
        }
    }
    assert!(faults.is_empty(), "seed {seed}: {} faults:\n{}", faults.len(), faults.join("\n"));
}

/// A dump without positions, which depend on the bases of times.
fn without_positions(path: &Path) -> String {
    let opened = open(path, Access::Mapped).expect("an SSTable");
    let text = dump(&opened[0], CLOCK).expect("sound rows");
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("\"position\""));
    lines.fold(String::new(), |text, line| text + line.trim_end_matches(',') + "\n")
}

#[test]
#[ignore = "needs Cassandra, and minutes"]
fn tables_are_merged_as_cassandra_compacts_them() {
    let all = Cassandra::all_for_test("compactions of random tables");
    let seed = number("MANICULE_SEED").unwrap_or(1);
    let count = number("MANICULE_ROUNDS").unwrap_or(TABLE_COUNT * 4);
    let (mut faults, mut same, mut nothing) = (Vec::new(), 0, 0);
    for cassandra in all.iter().filter(|it| it.major() == 4) {
        let written = Written::new(cassandra, Version::Nb, seed, count);
        let several = |folder: &PathBuf| data_files(folder).len() > 1;
        let folders = written.tables.iter().map(|table| (table, written.table_folder(table)));
        let (mut script, mut pairs) = (String::new(), Vec::new());
        let targets = tempfile::tempdir().expect("a folder");
        for (table, folder) in folders.filter(|(_, folder)| several(folder)) {
            for (number, purge) in PURGES.into_iter().enumerate() {
                let Purge { now, before } = purge;
                let target = |whose: &str| {
                    targets.path().join(whose).join(number.to_string()).join("ks").join(&table.name)
                };
                let (theirs, ours) = (target("theirs"), target("ours"));
                let gc_before = before.unwrap_or(i64::from(i32::MIN));
                let (source, theirs_shown, schema) =
                    (folder.display(), theirs.display(), &table.schema);
                script += &format!("{source}\t{theirs_shown}\t1\t{now}\t{gc_before}\t{schema}\n");
                match merged(table, &folder, &ours, written.version, purge) {
                    Ok(path) => pairs.push((path, theirs)),
                    Err(error) => faults.push(format!("{source}: {error}")),
                }
            }
        }
        let path = written.folder.path().join("merges");
        fs::write(&path, script).expect("a file");
        cassandra.answer("Compact", [&path]).expect("compactions");
        for (ours, theirs) in pairs {
            match (ours, data_files(&theirs).pop()) {
                (None, None) => nothing += 1,
                (Some(ours), Some(theirs)) => {
                    let (got, want) = (without_positions(&ours), without_positions(&theirs));
                    if got == want {
                        same += 1
                    } else {
                        let differs = first_difference(&got, &want);
                        faults.push(format!("{ours:?} {theirs:?}: {differs}"));
                    }
                }
                (ours, theirs) => faults.push(format!("only one is there: {ours:?} {theirs:?}")),
            }
        }
        if !faults.is_empty() {
            println!("kept in {:?}, {:?}", written.folder.keep(), targets.keep());
        }
    }
    println!("{same} merges equal, {nothing} of which nothing is left");
    assert!(faults.is_empty(), "seed {seed}: {} faults:\n{}", faults.len(), faults.join("\n"));
}

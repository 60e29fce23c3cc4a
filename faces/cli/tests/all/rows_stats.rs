//! `manicule rows stats` against what sstablemetadata printed, field by field, of the golden tables
//! of every version.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use manicule_testkit::golden_folder;
use serde_json::Value;

fn stats(words: &[&str], path: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["rows", "stats"]).args(words).arg(path).output().expect("manicule runs")
}

fn text(output: Output) -> String {
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What sstablemetadata printed of an SSTable of a folder.
fn printed(folder: &Path, generation: &str) -> Option<String> {
    let names = [format!("metadata-{generation}.txt"), "metadata.txt".to_owned()];
    names.iter().find_map(|name| {
        if let Ok(text) = fs::read_to_string(folder.join(name)) {
            return Some(text);
        }
        let packed = fs::File::open(folder.join(format!("{name}.gz"))).ok()?;
        let mut text = String::new();
        GzDecoder::new(packed).read_to_string(&mut text).expect("gzip");
        Some(text)
    })
}

/// The lines `name: value` of a text.
fn fields(text: &str) -> BTreeMap<&str, &str> {
    let lines = text.lines().filter(|line| !line.starts_with(' '));
    lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name, value.trim()))
        .collect()
}

/// The name of a field in later versions.
fn name_of(name: &str) -> &str {
    match name {
        "minClustringValues" => "minClusteringValues",
        "maxClustringValues" => "maxClusteringValues",
        name => name,
    }
}

/// The parts of a value that all versions print: no times in words, no braces around columns, no
/// `key=`.
fn plain(name: &str, value: &str) -> String {
    let value = value.strip_prefix('{').and_then(|value| value.strip_suffix('}')).unwrap_or(value);
    match name {
        "StaticColumns" | "RegularColumns" => {
            // Their order is that of a hash map.
            let mut columns: Vec<&str> = value.split(", ").collect();
            columns.sort_unstable();
            columns.join(", ")
        }
        "First token" | "Last token" => value.replace("(key=", "("),
        "Originating host id" if value == "null" => "--".to_owned(),
        "Bloom Filter FP chance" => value.parse::<f64>().expect("a number").to_string(),
        _ if name.ends_with("imestamp") || name.ends_with("eletion time") => number_of(value),
        _ if name.starts_with("TTL") || name.starts_with("EncodingStats") => number_of(value),
        _ => value.to_owned(),
    }
}

/// The number of a value that may have words before or after it, in brackets.
fn number_of(value: &str) -> String {
    let (first, rest) = value.split_once(" (").unwrap_or((value, ""));
    let number = if first.parse::<i64>().is_ok() { first } else { rest.trim_end_matches(')') };
    assert!(number.parse::<i64>().is_ok(), "{value}");
    number.to_owned()
}

/// Bounds and counts below a title: `   1916 (1.9 kB) |     3 (100) OOO`, none of those that are empty.
fn buckets(text: &str, title: &str) -> Vec<(i64, u64)> {
    let below = text.lines().skip_while(|line| !line.starts_with(title)).skip(1);
    let below = below.take_while(|line| line.starts_with(' '));
    let number = |text: &str| text.split_whitespace().next()?.parse().ok();
    let rows = below.filter_map(|line| {
        let (bound, count) = line.split_once('|')?;
        Some((number(bound)?, number(count)? as u64))
    });
    rows.collect()
}

/// 3.11 prints both histograms side by side, `bound partitions cells`, and drop times as
/// `time: count`.
fn old_buckets(text: &str) -> [Vec<(i64, u64)>; 3] {
    let numbers = |line: &str| -> Option<Vec<i64>> {
        line.split_whitespace().map(|word| word.parse().ok()).collect()
    };
    let rows = text.lines().skip_while(|line| !line.starts_with("Count ")).skip(1);
    let rows: Vec<Vec<i64>> = rows.map_while(numbers).collect();
    let column = |place: usize| -> Vec<(i64, u64)> {
        let counts = rows.iter().filter_map(|row| Some((row[0], *row.get(place)? as u64)));
        counts.filter(|(_, count)| *count > 0).collect()
    };
    let drops =
        text.lines().skip_while(|line| !line.starts_with("Estimated tombstone drop")).skip(1);
    let drops = drops.map_while(|line| {
        let (time, count) = line.split_once(':')?;
        Some((time.trim().parse().ok()?, count.trim().parse().ok()?))
    });
    [drops.collect(), column(1), column(2)]
}

/// Compares an SSTable; returns the number of fields.
fn check(data: &Path, want: &str) -> usize {
    let shown = data.display();
    let got = text(stats(&["--now", "1795000000"], data));
    let (ours, theirs) = (fields(&got), fields(want));
    let is_old = want.contains("\nCount  ");
    let titles = ["Estimated tombstone drop times", "Partition Size", "Column Count"];
    for (name, value) in &theirs {
        let is_table = titles.contains(name) || name.parse::<i64>().is_ok();
        // Of the time at which the tool ran.
        if is_table || *name == "Estimated droppable tombstones" {
            continue;
        }
        let own = ours.get(name_of(name)).unwrap_or_else(|| panic!("{shown}: no {name}\n{got}"));
        assert_eq!(plain(name, own), plain(name, value), "{shown}: {name}");
    }
    let own = titles.map(|title| buckets(&got, title));
    if is_old {
        assert_eq!(own, old_buckets(want), "{shown}");
    } else if theirs.contains_key("KeyType") {
        assert_eq!(own, titles.map(|title| buckets(want, title)), "{shown}");
        let below = |text: &str, title: &str| -> Vec<String> {
            let lines = text.lines().skip_while(|line| !line.starts_with(title)).skip(1);
            let lines = lines.take_while(|line| line.starts_with(' '));
            let words = lines.filter(|line| !line.contains('|') && !line.contains("Percentiles"));
            words
                .map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
                .collect()
        };
        for title in &titles[1..] {
            assert_eq!(below(&got, title), below(want, title), "{shown}: {title}");
        }
    }
    theirs.len()
}

#[test]
fn fields_are_those_of_sstablemetadata() {
    let (mut tables, mut field_count) = (0, 0);
    for archive in ["me", "old", "cassandra4", "cassandra5", "tries"] {
        let golden = golden_folder("rows", archive);
        for version in fs::read_dir(golden.path()).unwrap().map(|entry| entry.unwrap().path()) {
            for folder in fs::read_dir(version).unwrap().map(|entry| entry.unwrap().path()) {
                for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                    let name = file.file_name().unwrap().to_str().unwrap().to_owned();
                    let Some(generation) = name.split('-').nth(1) else { continue };
                    let Some(want) = printed(&folder, generation) else { continue };
                    if name.ends_with("-Data.db")
                        && folder.join(name.replace("Data", "Statistics")).exists()
                    {
                        field_count += check(&file, &want);
                        tables += 1;
                    }
                }
            }
        }
    }
    println!("{field_count} fields of {tables} SSTables compared");
    assert!(tables > 40 && field_count > 1000, "{field_count} fields of {tables} SSTables");
}

#[test]
fn sstables_of_a_folder_come_one_after_the_other() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me/multi");
    let said = text(stats(&[], &folder));
    let names: Vec<&str> = said.lines().filter(|line| line.starts_with("SSTable: ")).collect();
    assert_eq!(names, ["SSTable: me-1-big", "SSTable: me-2-big", "SSTable: me-3-big"]);
    let rows: Vec<Value> = text(stats(&["--json"], &folder))
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    assert_eq!(rows.len(), 3);
    for row in &rows {
        assert_eq!(row["type"], "sstable");
        assert_eq!(row["compression"]["class"], "org.apache.cassandra.io.compress.LZ4Compressor");
        assert!(row["rows"].as_u64() > Some(0) && row["first"]["token"].is_i64(), "{row}");
    }
    // A broken one doesn't hide the others.
    fs::write(folder.join("me-2-big-Statistics.db"), "no").unwrap();
    let said = stats(&[], &folder);
    let (shown, why) =
        (String::from_utf8(said.stdout).unwrap(), String::from_utf8(said.stderr).unwrap());
    assert_eq!(said.status.code(), Some(2));
    assert!(shown.contains("me-1-big") && shown.contains("me-3-big"), "{shown}");
    assert!(why.contains("me-2-big-Statistics.db") && why.contains("offset"), "{why}");
}

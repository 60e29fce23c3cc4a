//! `manicule rows export`, as it is called. The guide's example is the current output.
//! `UPDATE=1 cargo test` rewrites it.

use std::fs;

use manicule_testkit::{Examples, golden_folder};

use super::rows_write::{manicule, refusal, tables, text};

#[test]
fn an_export_has_the_rows_of_all_slices() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let (now, mut rows) = ("1700000100", 0);
    for table in ["mixed", "multi", "udt", "types", "comp", "edge", "counters", "compact"] {
        // The keys of all partitions, as slices take them.
        let listed = text(&folder, &["rows", "partitions", table, "--json", "-n", "1000"]);
        let keys = listed.lines().filter_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).expect("an object");
            line["key"].as_str().map(str::to_owned)
        });
        let mut want = Vec::new();
        for key in keys {
            let words = ["rows", "slice", table, &key, "--json", "--now", now];
            let said = manicule(&folder, &words);
            let said = String::from_utf8(said.stdout).expect("UTF-8");
            want.extend(said.lines().map(str::to_owned));
            let words = ["rows", "export", table, "-k", &key, "--now", now];
            let one = String::from_utf8(manicule(&folder, &words).stdout).expect("UTF-8");
            assert_eq!(one, said, "{table} {key}");
        }
        let words = ["rows", "export", table, "--now", now];
        let said = String::from_utf8(manicule(&folder, &words).stdout).expect("UTF-8");
        let mut got: Vec<String> = said.lines().map(str::to_owned).collect();
        got.sort();
        want.sort();
        assert_eq!(got, want, "{table}");
        rows += got.len();
    }
    assert!(rows > 500, "{rows}");
}

#[test]
fn csv_has_a_line_of_names_and_a_field_for_each() {
    let copy = tables();
    let folder = copy.path();
    let mut page = Examples::of("docs/guide/one-sstable-of-several.md");
    let (now, file) = ("1700000100", folder.join("rows.csv"));
    let words = ["rows", "export", "multi", "-k", "1", "--format", "csv", "--now", now];
    let said = text(folder, &words);
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some("pk,ck,s,v,m"));
    let all: Vec<&str> = lines.collect();
    assert!(all.contains(&"1,30,g2,v2_30,\"{'all': '2', 'g2': 'x', 'g3': 'x'}\""), "{all:?}");
    assert!(all.contains(&"1,1001,g2,,"), "{all:?}");
    let first: String = said.lines().take(8).flat_map(|line| [line, "\n"]).collect();
    page.hold("csv", &first);
    let by_name = ["rows", "export", "multi", "-k", "1", "--now", now, "-o"];
    text(folder, &[&by_name[..], &["rows.csv"]].concat());
    assert_eq!(fs::read_to_string(file).unwrap(), said);
    assert_eq!(refusal(folder, &[&by_name[..], &["rows.xlsx"]].concat()).0, Some(2));
    let output = manicule(folder, &["rows", "export", "multi", "-k", "999", "--format", "csv"]);
    assert_eq!((output.status.code(), output.stdout), (Some(1), Vec::new()));
}

#[test]
fn an_exported_slice_has_the_times_that_a_slice_shows() {
    let copy = tables();
    let folder = copy.path();
    let lines = |words: &[&str]| -> Vec<serde_json::Value> {
        let said = text(folder, words);
        said.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
    };
    let now = ["--times", "--now", "1700000005"];
    let bounds: [&[&str]; 4] =
        [&[], &["--from", "3"], &["--after", "2", "--to", "8"], &["--from", "4", "--before", "9"]];
    let (mut count, mut with_ttl) = (0, 0);
    for (table, key) in [("multi", "1"), ("multi", "3"), ("mixed", "5")] {
        for bounds in bounds {
            let slice = [&["rows", "slice", table, key, "--json"], bounds, &now[..]].concat();
            let output = manicule(folder, &slice);
            if output.status.code() != Some(0) {
                continue;
            }
            let export = [&["rows", "export", table, "-k", key], bounds, &now[..]].concat();
            let rows = lines(&export);
            assert_eq!(rows, lines(&slice), "{table} {key} {bounds:?}");
            with_ttl += rows.iter().filter(|row| row.to_string().contains("\"ttl(")).count();
            count += rows.len();
        }
    }
    assert!(count > 100 && with_ttl > 5, "{count} {with_ttl}");
    let words = ["rows", "export", "multi", "-k", "1", "--to", "3", "--format", "csv"];
    let csv = text(folder, &[&words[..], &now[..]].concat());
    let head = "pk,ck,s,v,m,writetime(s),ttl(s),writetime(v),ttl(v),writetime(m),ttl(m)\n";
    assert!(csv.starts_with(head), "{csv}");
    text(folder, &[&["rows", "export", "mixed", "-o", "t.parquet"], &now[..]].concat());
    assert!(fs::read(folder.join("t.parquet")).unwrap().starts_with(b"PAR1"), "by its name");
    for wrong in [&["--raw", "--times"][..], &["--raw", "--to", "3"], &["--to", "'x'"]] {
        let words = ["rows", "export", "multi", "-k", "1"];
        assert_eq!(refusal(folder, &[&words[..], wrong].concat()).0, Some(2), "{wrong:?}");
    }
}

//! Queries of blocks on the command line: growth, space, counts, files of a block by themselves,
//! and messages about anything else that is given.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use manicule_testkit::golden_folder;
use serde_json::Value as Json;

fn run(folder: &Path, words: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_manicule");
    Command::new(program).current_dir(folder).args(words).output().expect("the program runs")
}

/// Standard output of a call that ends with a code.
#[track_caller]
fn out(folder: &Path, words: &[&str], code: i32) -> String {
    let output = run(folder, words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    String::from_utf8(output.stdout).expect("text")
}

/// Standard error of a call that fails.
#[track_caller]
fn err(folder: &Path, words: &[&str], code: i32) -> String {
    let output = run(folder, words);
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    said
}

const OLD: &str = "01M7YV9DA539J3RD3VS93JZGWY";
const NEW: &str = "01M7YV9DAM3X224G2MX8AC07VK";

/// The golden blocks, copied where they can be changed.
fn blocks() -> (tempfile::TempDir, PathBuf) {
    let golden = golden_folder("series", "golden");
    let blocks = golden.path().join("blocks");
    (golden, blocks)
}

/// Builds the blocks of a text into a folder.
fn build(folder: &Path, output: &str, text: &str) {
    let file = folder.join("text.om");
    fs::write(&file, text).unwrap();
    out(folder, &["series", "build", "-o", output, "text.om"], 0);
}

#[test]
fn what_grew_is_told_by_metric_and_label() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        |metric: &str, pod: u32| format!("{metric}{{job=\"a\",pod=\"p{pod}\"}} 1 1700000000\n");
    let text = |metrics: &[(&str, std::ops::Range<u32>)]| {
        let rows =
            metrics.iter().flat_map(|(metric, pods)| pods.clone().map(|pod| line(metric, pod)));
        rows.collect::<String>() + "# EOF\n"
    };
    build(folder.path(), "old", &text(&[("up", 0..3), ("gone", 0..2), ("same", 0..1)]));
    build(folder.path(), "new", &text(&[("up", 1..9), ("fresh", 0..4), ("same", 0..1)]));
    let grew = ["series", "analyze", "new", "--against", "old"];
    let told = out(folder.path(), &grew, 0);
    for want in [
        "Series: 13 (+7, from 6; 10 came, 3 went)\n",
        "Metrics that grew or changed (2 of 2):\n+5 up: 8 series, 3 before (6 came, 1 went), samples",
        "\n+4 fresh: new, 4 series, 0 before, samples +",
        "Metrics that shrank (1 of 1):\n-2 gone: gone, 0 series, 2 before, samples -",
        "Labels that grew or changed (3 of 3):\n",
        "+7 pod: 13 series, 6 before (10 came, 3 went), 9 values, 3 before, samples",
        "\n+2 pod=p3: new, 2 series, 0 before",
    ] {
        assert!(told.contains(want), "{want}: {told}");
    }
    assert!(!told.contains("same"), "what is the same is no growth: {told}");
    let json = out(folder.path(), &[&grew[..], &["--json", "--limit", "1"]].concat(), 0);
    let json: Json = serde_json::from_str(&json).unwrap();
    let first = &json["metrics"]["grew"][0];
    assert_eq!((&first["value"], &first["state"]), (&"up".into(), &"changed".into()));
    assert_eq!(
        first["series"],
        serde_json::json!({
            "before": 3, "now": 8, "growth": 5, "added": 6, "removed": 1,
        })
    );
    assert_eq!(
        (json["metrics"]["grew"].as_array().unwrap().len(), &json["metrics"]["grew_count"]),
        (1, &2.into())
    );
    assert_eq!(json["metrics"]["shrank"][0]["state"], "gone");
    let bars = out(folder.path(), &[&grew[..], &["--bars", "always"]].concat(), 0);
    assert!(bars.contains(&format!("\n+5 {} up: ", "█".repeat(30))), "{bars}");
    let said = err(folder.path(), &["series", "analyze", "new", "--against", "new"], 2);
    assert!(said.contains("nothing grows against itself"), "{said}");
    let said = err(folder.path(), &[&grew[..], &["--matrix"]].concat(), 2);
    assert!(said.contains("leave out --by, --bytes, --matrix"), "{said}");
    assert_eq!(
        out(folder.path(), &[&grew[..], &["--match", "nothing"]].concat(), 1).lines().count(),
        8
    );
}

/// In a data folder the newest block is compared with one that is named.
#[test]
fn blocks_of_a_folder_are_compared_by_their_names() {
    let (_golden, blocks) = blocks();
    let told = out(&blocks, &["series", "analyze", "api", "--against", OLD], 0);
    assert!(
        told.starts_with(&format!("Block ID: {NEW}\nFolder: api (2 blocks; --block names one)\n")),
        "{told}"
    );
    assert!(told.contains(&format!("Against Block ID: {OLD}\n")), "{told}");
    assert!(told.contains("The blocks don't last equally long"), "{told}");
    assert!(told.contains("\nSeries: 96 (+0, from 96)\n"), "{told}");
    let other = out(
        &blocks,
        &["series", "analyze", "api", "--block", OLD, "--against", &format!("api/{NEW}")],
        0,
    );
    assert!(other.starts_with(&format!("Block ID: {OLD}\n")), "{other}");
}

#[test]
fn bytes_of_samples_and_series_by_a_label_are_told() {
    let (_golden, blocks) = blocks();
    let told =
        out(&blocks, &["series", "analyze", "k5k", "--bytes", "--by", "job", "--limit", "2"], 0);
    for want in [
        "Bytes of samples by metric (of 522.3 KB in all):\n",
        "Bytes of samples by label pair (of 522.3 KB in all):\n",
        "Series by job, and by metric:\n1250 app (",
        " of samples)\n    250 go_goroutines (",
        "    and 3 more metrics\n",
    ] {
        assert!(told.contains(want), "{want}: {told}");
    }
    let json = out(&blocks, &["series", "analyze", "k5k", "--by", "job", "--json"], 0);
    let json: Json = serde_json::from_str(&json).unwrap();
    let series = json["by"].as_array().unwrap().iter().map(|row| row["series"].as_u64().unwrap());
    assert_eq!(series.sum::<u64>(), 5000);
    assert_eq!((&json["by"][0]["bytes"], &json["sample_bytes"]), (&Json::Null, &Json::Null));
    let without = out(&blocks, &["series", "analyze", "k5k", "--by", "extra"], 0);
    assert!(without.contains("\n4000 (without extra)\n"), "{without}");
}

/// The limit holds for the labels of a metric too, and people read bytes in their units.
#[test]
fn the_lists_of_an_analysis_keep_to_the_limit() {
    let (_golden, blocks) = blocks();
    let told = out(&blocks, &["series", "analyze", "k5k", "--matrix", "--limit", "1"], 0);
    let matrix = &told[told.find("Labels of the largest metrics").unwrap()..];
    assert_eq!(matrix.lines().count(), 4, "{matrix}");
    assert!(matrix.contains("\n    1000 instance (1000)\n    and 5 more labels\n"), "{matrix}");
    let costs = |told: &str| {
        let start = told.find("Bytes of the index by label name").unwrap();
        told[start..].lines().nth(1).unwrap().to_owned()
    };
    assert!(costs(&told).starts_with("76120 instance ("), "{told}");
    let told = out(&blocks, &["series", "analyze", "k5k", "--limit", "1", "--bars", "always"], 0);
    assert!(costs(&told).starts_with("  76.1 KB █"), "{told}");
    assert!(told.contains("\nTimes: 2023-11-14T22:13:20Z to 2023-11-14T22:24:20.001Z\n"), "{told}");
}

#[test]
fn a_damaged_older_block_is_no_hindrance_to_the_newest() {
    let (_golden, blocks) = blocks();
    fs::write(blocks.join("api").join(OLD).join("index"), "damaged").unwrap();
    let told = out(&blocks, &["series", "analyze", "api"], 0);
    assert!(told.starts_with(&format!("Block ID: {NEW}\n")), "{told}");
    // One that can't be dated may be the newest: no other answers for it, unless it is named.
    fs::write(blocks.join("api").join(OLD).join("meta.json"), "{").unwrap();
    let output = run(&blocks, &["series", "analyze", "api"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{told}");
    assert!(told.contains(&format!("{OLD}/meta.json: ")) && told.contains("--block"), "{told}");
    out(&blocks, &["series", "analyze", "api", "--block", NEW], 0);
}

#[test]
fn an_index_by_itself_has_no_samples() {
    let (_golden, blocks) = blocks();
    let index = format!("api/{OLD}/index");
    for words in [
        &["select", "--samples", "up"][..],
        &["select", "-c", "--samples", "up"],
        &["dump"],
        &["analyze", "--extended"],
        &["analyze", "--bytes"],
    ] {
        let said = err(&blocks, &[&["series"], words, &[&index]].concat(), 2);
        let want =
            format!("{index}: an index has no samples: give the block's folder, api/{OLD}\n");
        assert!(said.ends_with(&want), "{words:?}: {said}");
    }
    out(&blocks, &["series", "select", "up", &index], 0);
    out(&blocks, &["series", "analyze", &index], 0);
}

#[test]
fn where_one_block_is_wanted_a_folder_of_one_is_it_and_others_name_theirs() {
    let (_golden, blocks) = blocks();
    for words in [
        &["rewrite", "-o", "out", "api"][..],
        &["split", "-o", "out", "--parts", "2", "api"],
        &["index", "-o", "out", "api"],
    ] {
        let said = err(&blocks, &[&["series"], words].concat(), 2);
        let want = format!("api: a data folder of 2 blocks, give one: api/{OLD}, api/{NEW}\n");
        assert!(said.ends_with(&want), "{words:?}: {said}");
    }
    for words in [
        &["rewrite", "-o", "out", "k5k"][..],
        &["split", "-o", "out", "--parts", "2", "k5k"],
        &["index", "-o", "out", "k5k"],
    ] {
        out(&blocks, &[&["series"], words].concat(), 0);
    }
}

/// A folder is its blocks taken as one, and so the same as the block made of them.
#[test]
fn data_folders_are_compared() {
    let (_golden, blocks) = blocks();
    out(&blocks, &["series", "merge", "-o", "merged", "api"], 0);
    assert_eq!(
        out(&blocks, &["series", "diff", "api", "merged"], 0),
        "the blocks are the same: 96 series\n"
    );
    assert_eq!(
        out(&blocks, &["series", "diff", "api", "api"], 0),
        "the blocks are the same: 96 series\n"
    );
    let less = format!("api/{OLD}");
    let told = out(&blocks, &["series", "diff", "--summary", "api", &less], 1);
    assert_eq!(
        told,
        "0 series the same, 0 only in A, 0 only in B, 96 with other samples, 0 in other chunks\n"
    );
    let told = out(&blocks, &["series", "diff", "api", &less], 1);
    assert!(
        told.lines().next().unwrap().contains(" only in A, 0 only in B, 0 other, first at "),
        "{told}"
    );
}

#[test]
fn the_other_files_of_a_block_are_inspected_and_verified() {
    let (_golden, blocks) = blocks();
    let block = format!("api/{OLD}");
    let [segment, meta, deleted] =
        ["chunks/000001", "meta.json", "tombstones"].map(|name| format!("{block}/{name}"));
    for command in [&["inspect"][..], &["series", "inspect"]] {
        let told = out(&blocks, &[command, &[&segment]].concat(), 0);
        assert_eq!(told.lines().count(), 98, "{told}");
        assert!(
            told.starts_with("    offset     bytes encoding samples  times\n         8 "),
            "{told}"
        );
        assert!(
            told.contains(" xor ") && told.contains("2023-11-14T22:13:20Z to 2023-11-14T23:59:20Z"),
            "{told}"
        );
        assert!(
            told.ends_with("96 chunks, 34.1 KB: 9636 samples\n") || told.contains("9636 samples"),
            "{told}"
        );
        let told = out(&blocks, &[command, &[&meta]].concat(), 0);
        assert!(told.contains(OLD) && told.contains("\nnumSamples   9636\n"), "{told}");
        let told = out(&blocks, &[command, &[&deleted]].concat(), 0);
        assert_eq!(told, "deleted: 0 times of 0 series\n");
    }
    let json = out(&blocks, &["inspect", "--json", &segment], 0);
    let rows: Vec<Json> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let samples: u64 = rows[..96].iter().map(|row| row["samples"].as_u64().unwrap()).sum();
    let lens: u64 = rows[..96].iter().map(|row| row["len"].as_u64().unwrap()).sum();
    assert_eq!((samples, lens + 8), (9636, fs::metadata(blocks.join(&segment)).unwrap().len()));
    for file in [&segment, &meta, &deleted] {
        for command in [&["verify"][..], &["series", "verify"]] {
            let told = out(&blocks, &[command, &[file]].concat(), 0);
            assert!(told.starts_with("ok: a file of a block by itself ("), "{told}");
        }
    }
    let with = fs::read_dir(blocks.join("tombstones")).unwrap().next().unwrap().unwrap().path();
    let told = out(&with, &["inspect", "tombstones"], 0);
    assert!(
        told.starts_with("series ") && told.lines().last().unwrap().starts_with("deleted: "),
        "{told}"
    );
    // A damaged chunk is reported with its place, and those after it are shown.
    let second = rows[1]["offset"].as_u64().unwrap() as usize;
    let mut bytes = fs::read(blocks.join(&segment)).unwrap();
    bytes[second + 10] ^= 1;
    fs::write(blocks.join(&segment), bytes).unwrap();
    let told = out(&blocks, &["inspect", &segment], 1);
    assert!(
        told.lines().nth(2).unwrap().contains("damaged: checksum of a chunk at offset"),
        "{told}"
    );
    assert!(told.lines().count() == 98 && told.ends_with("; 1 damaged\n"), "{told}");
    assert!(out(&blocks, &["verify", &segment], 1).contains("95 chunks with "));
}

#[test]
fn sections_have_short_names() {
    let (_golden, blocks) = blocks();
    let index = format!("api/{OLD}/index");
    for (short, long) in [("toc", "table of contents"), ("table", "postings offset table")] {
        let told = out(&blocks, &["inspect", &index, "--hex", short], 0);
        assert!(!told.is_empty());
        assert_eq!(told, out(&blocks, &["inspect", &index, "--hex", long], 0));
    }
    let said = err(&blocks, &["inspect", &index, "--hex", "x"], 2);
    assert!(said.contains("header, symbols, series, postings, table, toc"), "{said}");
}

#[test]
fn words_of_help_and_errors_name_what_was_given() {
    let (_golden, blocks) = blocks();
    let help = out(&blocks, &["series", "verify", "--help"], 0);
    assert!(help.starts_with("manicule series verify BLOCK|INDEX|FOLDER"), "{help}");
    assert!(out(&blocks, &["series", "--help"], 0).contains("manicule series inspect "));
    for (words, want) in [
        (&["verify", "--threads", "x"][..], "--threads \"x\" is no number"),
        (&["series", "inspect", "--key", "7"], "there is no option --key"),
        (&["series", "select", "sum(x)"], "and no more of PromQL"),
        (&["series", "select", "x[5m]"], "and no more of PromQL"),
        (&["series", "select", "x offset 5m"], "and no more of PromQL"),
        (&["series", "select", "1 + x"], "and no more of PromQL"),
        (&["series", "select", "up", "--start", "2h"], "a date such as 2024-04-05, now, -2h"),
    ] {
        let said = err(&blocks, words, 2);
        assert!(said.contains(want), "{words:?}: {said}");
    }
    // An error within braces is not about PromQL.
    assert!(!err(&blocks, &["series", "select", "up{a}"], 2).contains("PromQL"));
}

#[test]
fn dates_and_times_told_from_now_are_taken() {
    let (_golden, blocks) = blocks();
    for (words, count) in [
        (&["--start", "2023-11-14"][..], "12\n"),
        (&["--end", "2023-11-14"], "0\n"),
        (&["--start", "2023-11-14T22:13:20", "--end", "now"], "12\n"),
        (&["--start", "-2h"], "0\n"),
        (&["--end", "now-1d"], "12\n"),
    ] {
        let output = run(&blocks, &[&["series", "select", "-c", "up", "api"], words].concat());
        assert_eq!(String::from_utf8_lossy(&output.stdout), count, "{words:?}");
        assert_ne!(output.status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn samples_are_counted_where_they_are_asked_for() {
    let (_golden, blocks) = blocks();
    let block = format!("api/{OLD}");
    let lines = out(&blocks, &["series", "select", "--samples", "up", &block], 0).lines().count();
    let count = out(&blocks, &["series", "select", "-c", "--samples", "up", &block], 0);
    assert_eq!(count, format!("{lines}\n"));
    let json = out(&blocks, &["series", "select", "-c", "--samples", "--json", "up", &block], 0);
    assert_eq!(json, format!("{{\"samples\":{lines},\"series\":12}}\n"));
}

#[test]
fn values_are_listed_with_their_series_and_escaped() {
    let (_golden, blocks) = blocks();
    let told = out(&blocks, &["series", "labels", "__name__", "api", "--counts"], 0);
    assert_eq!(told, "72 http_requests_total\n12 http.size\n12 up\n");
    assert_eq!(
        out(&blocks, &["series", "labels", "__name__", "api", "--counts", "--limit", "1"], 0),
        "72 http_requests_total\n"
    );
    let json =
        out(&blocks, &["series", "labels", "job", "api", "--counts", "--json", "--match", "up"], 0);
    assert_eq!(json, "[{\"series\":6,\"value\":\"api\"},{\"series\":6,\"value\":\"web\"}]\n");
    let names = out(&blocks, &["series", "labels", "./api", "--counts"], 0);
    assert!(names.starts_with("96 __name__\n"), "{names}");
    build(
        &blocks,
        "odd",
        "m{a=\"one\\ntwo\"} 1 1700000000\nm{a=\"\u{1b}[31mred\"} 1 1700000000\n# EOF\n",
    );
    let told = out(&blocks, &["series", "labels", "a", "odd"], 0);
    assert_eq!(told, "\\u{1b}[31mred\none\\ntwo\n");
    assert_eq!(
        out(&blocks, &["series", "labels", "a", "odd", "--null"], 0),
        "\u{1b}[31mred\0one\ntwo\0"
    );
}

#[test]
fn one_is_not_many() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "one", "m 1 1700000000\n# EOF\n");
    let block = fs::read_dir(folder.path().join("one")).unwrap().flatten();
    let block = block.map(|entry| entry.path()).find(|path| path.join("index").exists()).unwrap();
    let told = out(&block, &["inspect", "."], 0);
    for want in ["holds     1 sample in 1 chunk of 1 series\n", "1 label name, 1 label pair, "] {
        assert!(told.contains(want), "{want}: {told}");
    }
    let told = out(folder.path(), &["inspect", "one"], 0);
    assert!(told.contains("1 series, 1 sample, level 1\n"), "{told}");
}

/// A segment that is missing is one line and one row, with the number of its chunks.
#[test]
fn chunks_of_a_missing_file_are_told_once() {
    let (_golden, blocks) = blocks();
    fs::remove_file(blocks.join("api").join(OLD).join("chunks/000001")).unwrap();
    let words = ["series", "dump", "--skip-damaged", "api"];
    let told = err(&blocks, &words, 0);
    let want = "left out 96 chunks of chunks/000001, which is missing\n";
    assert_eq!((told.matches(want).count(), told.lines().count()), (1, 2), "{told}");
    let words = ["series", "select", "--skip-damaged", "--samples", "--json", "up", "api"];
    let rows = out(&blocks, &words, 0);
    let last: Json = serde_json::from_str(rows.lines().last().unwrap()).unwrap();
    let list = last["skipped"]["list"].as_array().unwrap();
    assert!(
        list.len() == 1 && list[0]["what"] == "segment" && list[0]["segment"] == "000001",
        "{last}"
    );
}

/// Each tenant has a data folder of its own: a folder of them is none, and names them.
#[test]
fn tenants_are_named_or_taken_together() {
    let (_golden, blocks) = blocks();
    let tenants = blocks.join("tenants");
    fs::create_dir(&tenants).unwrap();
    for name in ["api", "tiny"] {
        fs::rename(blocks.join(name), tenants.join(name)).unwrap();
    }
    for words in [
        &["select", "up", "tenants"][..],
        &["labels", "job", "tenants"],
        &["dump", "tenants"],
        &["analyze", "tenants"],
        &["verify", "tenants"],
        &["inspect", "tenants"],
    ] {
        let told = err(&blocks, &[&["series"], words].concat(), 2);
        assert!(told.contains("tenants/api") && told.contains("tenants/tiny"), "{words:?}: {told}");
    }
    let count = |words: &[&str]| out(&blocks, &[&["series"], words].concat(), 0);
    let everything = "{__name__=~\".*\"}";
    let each: u64 = ["tenants/api", "tenants/tiny"]
        .map(|path| count(&["select", "-c", everything, path]).trim().parse::<u64>().unwrap())
        .iter()
        .sum();
    assert_eq!(count(&["select", "-c", "-r", everything, "tenants"]).trim(), each.to_string());
    let verified = count(&["verify", "-r", "tenants"]);
    assert_eq!(verified.matches("ok: ").count(), 2, "{verified}");
}

/// What `meta.json` says wrongly is not passed on.
#[test]
fn nothing_is_made_of_a_block_whose_meta_file_is_not_true() {
    let (_golden, blocks) = blocks();
    let path = blocks.join("tiny/01M7YV9D4RCH84S6NS9PC6AJ27/meta.json");
    let sound = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"minTime\": 1700000000000", "\"minTime\": 1700000000004"),
        ("\"maxTime\": 1700000045001", "\"maxTime\": 1700000045000"),
        ("\"numChunks\": 3", "\"numChunks\": 2"),
        ("\"numSamples\": 12", "\"numSamples\": 13"),
    ] {
        assert!(sound.contains(from), "{sound}");
        fs::write(&path, sound.replace(from, to)).unwrap();
        let block = "tiny/01M7YV9D4RCH84S6NS9PC6AJ27";
        for words in [&["merge", "-o", "made", "tiny"][..], &["rewrite", "-o", "made", block]] {
            let told = err(&blocks, &[&["series"], words].concat(), 2);
            assert!(told.contains("meta.json: "), "{from} {words:?}: {told}");
        }
        let made = fs::read_dir(blocks.join("made")).map_or(0, Iterator::count);
        assert_eq!(made, 0, "{from}");
    }
}

//! `manicule rows rebuild`, `salvage`, `extract`, `split`, `merge` and `mark`, as they are called.
//! The guide's examples are the current output. `UPDATE=1 cargo test` rewrites them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use manicule_testkit::{Examples, golden_folder, names};

pub(super) fn manicule(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.current_dir(folder).args(words).output().expect("manicule runs")
}

pub(super) fn text(folder: &Path, words: &[&str]) -> String {
    let output = manicule(folder, words);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{words:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The code and the first line of standard error.
pub(super) fn refusal(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = manicule(folder, words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said.lines().next().unwrap_or_default().to_owned())
}

/// A copy of golden tables that may be damaged.
pub(super) fn tables() -> tempfile::TempDir {
    let (golden, copy) = (golden_folder("rows", "me"), tempfile::tempdir().unwrap());
    for table in ["mixed", "multi", "small"] {
        let (from, to) = (golden.path().join("me").join(table), copy.path().join(table));
        fs::create_dir(&to).unwrap();
        for name in names(&from) {
            fs::write(to.join(&name), fs::read(from.join(&name)).unwrap()).unwrap();
        }
    }
    copy
}

#[test]
fn the_guide_shows_what_is_printed() {
    let copy = tables();
    let folder = copy.path();
    fs::remove_file(folder.join("small/me-1-big-Summary.db")).unwrap();
    fs::write(folder.join("small/me-1-big-Index.db"), b"damaged").unwrap();
    let mut page = Examples::of("docs/guide/an-index-is-broken.md");
    let output = manicule(folder, &["rows", "verify", "small"]);
    let mut said = String::from_utf8(output.stdout).unwrap();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    page.hold("broken", &said);
    let rebuilt = text(folder, &["rows", "rebuild", "small", "-o", "sound"]);
    page.hold("rebuilt", &rebuilt);
    page.hold("sound", &text(folder, &["rows", "verify", "sound"]));
    let one = ["rows", "extract", "mixed", "-k", "5", "-o", "part"];
    page.hold("one", &text(folder, &one));
    page.hold("others", &text(folder, &[&one[..5], &["--others", "-o", "rest"]].concat()));
}

#[test]
fn a_rebuilt_table_has_the_files_of_the_sound_one() {
    let copy = tables();
    let folder = copy.path();
    for name in ["Index.db", "Filter.db", "Summary.db", "Digest.crc32", "CRC.db", "TOC.txt"] {
        fs::remove_file(folder.join(format!("small/me-1-big-{name}"))).unwrap();
    }
    let said = text(folder, &["rows", "rebuild", "small", "-o", "new", "--generation", "1"]);
    assert!(said.starts_with("new/me-1-big-Data.db\n1000 partitions, "), "{said}");
    let golden = golden_folder("rows", "me");
    let sound = golden.path().join("me/small");
    for name in names(&folder.join("new")).iter().filter(|name| !name.ends_with("TOC.txt")) {
        let got = fs::read(folder.join("new").join(name)).unwrap();
        assert!(got == fs::read(sound.join(name)).unwrap(), "{name}");
    }
    // The next generation, and one that is taken.
    let said = text(folder, &["rows", "rebuild", "small", "-o", "new"]);
    assert!(said.starts_with("new/me-2-big-Data.db\n"), "{said}");
    let words = ["rows", "rebuild", "small", "-o", "new", "--generation", "1"];
    let (code, why) = refusal(folder, &words);
    assert_eq!(code, Some(2));
    assert!(why.contains("generation 1 is taken by me-1-big-"), "{why}");
}

#[test]
fn data_that_are_not_sound_are_not_rebuilt() {
    let copy = tables();
    let (folder, data) = (copy.path(), "small/me-1-big-Data.db");
    let mut bytes = fs::read(folder.join(data)).unwrap();
    bytes.truncate(bytes.len() - 3);
    fs::write(folder.join(data), bytes).unwrap();
    let (code, why) = refusal(folder, &["rows", "rebuild", "small", "-o", "new"]);
    assert_eq!(code, Some(2));
    assert!(why.contains("me-1-big-Data.db"), "{why}");
    assert_eq!(names(&folder.join("new")), [""; 0]);
}

/// Changes the flags of a row in the second partition.
fn damage(folder: &Path) {
    let data = folder.join("mixed/me-1-big-Data.db");
    let mut bytes = fs::read(&data).unwrap();
    bytes[2098 + 2 + 4 + 12] ^= 0x03;
    fs::write(&data, bytes).unwrap();
}

#[test]
fn the_page_of_a_broken_table_shows_what_is_printed() {
    let copy = tables();
    let folder = copy.path();
    damage(folder);
    let mut page = Examples::of("docs/guide/a-table-is-broken.md");
    let said = |words: &[&str]| manicule(folder, &[&["rows"], words].concat());
    let lost = said(&["dump", "--salvage", "mixed"]).stderr;
    page.hold("lost", &String::from_utf8(lost.clone()).unwrap());
    let left = said(&["salvage", "mixed", "-o", "left"]);
    assert_eq!((left.status.code(), left.stderr), (Some(1), lost));
    page.hold("left", &String::from_utf8(left.stdout).unwrap());
    page.hold("sound", &text(folder, &["rows", "verify", "left"]));
}

#[test]
fn what_is_left_of_a_damaged_table_is_a_sound_one() {
    let copy = tables();
    let folder = copy.path();
    let dump = |table: &str| text(folder, &["rows", "dump", table]);
    // Of a sound table all is left.
    text(folder, &["rows", "salvage", "mixed", "-o", "whole", "--generation", "1"]);
    assert_eq!(dump("whole"), dump("mixed"));
    damage(folder);
    fs::remove_file(folder.join("mixed/me-1-big-TOC.txt")).unwrap();
    let output = manicule(folder, &["rows", "salvage", "mixed", "-o", "left"]);
    assert_eq!(output.status.code(), Some(1));
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        why.contains("lost rows of partition 99, ") && why.contains("lost in 1 place"),
        "{why}"
    );
    let left = manicule(folder, &["rows", "dump", "--salvage", "mixed"]);
    let left: Vec<serde_json::Value> = serde_json::from_slice(&left.stdout).unwrap();
    let got: Vec<serde_json::Value> = serde_json::from_str(&dump("left")).unwrap();
    let keys = |all: &[serde_json::Value]| -> Vec<String> {
        all.iter().map(|it| it["partition"]["key"].to_string()).collect()
    };
    // Of a partition nothing is left: that isn't written.
    let nothing = |it: &serde_json::Value| {
        it["rows"] == serde_json::json!([]) && it["partition"]["deletion_info"].is_null()
    };
    let kept: Vec<_> = left.into_iter().filter(|it| !nothing(it)).collect();
    assert_eq!(keys(&got), keys(&kept));
    assert!(text(folder, &["rows", "verify", "left"]).starts_with("ok: 1 SSTable"));
}

#[test]
fn what_is_extracted_is_what_was_asked_for() {
    let copy = tables();
    let folder = copy.path();
    let keys = |table: &str| text(folder, &["rows", "dump", "-e", table]);
    let all = keys("mixed");
    text(folder, &["rows", "extract", "mixed", "-k", "5", "-k", "3", "-o", "two"]);
    assert_eq!(keys("two").matches("\"5\"").count() + keys("two").matches("\"3\"").count(), 2);
    let tokens = "--tokens=..0";
    text(folder, &["rows", "extract", "mixed", tokens, "-o", "low", "--compress", "lz4"]);
    text(folder, &["rows", "extract", "mixed", tokens, "--others", "-o", "high"]);
    let count = |text: &str| text.matches("[ \"").count();
    assert_eq!(count(&keys("low")) + count(&keys("high")), count(&all));
    let listed = names(&folder.join("low"));
    assert!(listed.contains(&"me-1-big-CompressionInfo.db".to_owned()), "{listed:?}");
    let output = manicule(folder, &["rows", "extract", "mixed", "-k", "123456", "-o", "none"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(names(&folder.join("none")), [""; 0]);
}

#[test]
fn merged_sstables_show_what_several_show() {
    let copy = tables();
    let folder = copy.path();
    let now = "1700000100";
    let mut page = Examples::of("docs/guide/one-sstable-of-several.md");
    let words = ["rows", "merge", "multi", "-o", "one", "--now", now];
    page.hold("merge", &text(folder, &words));
    let dropped = ["rows", "merge", "multi", "-o", "less", "--now", now, "--gc-grace", "10"];
    page.hold("dropped", &text(folder, &dropped));
    // But for the first line, which has names of a schema that lies beside one of them.
    let slice = |table: &str| {
        let said = text(folder, &["rows", "slice", table, "1", "--now", now]);
        said.lines().skip(1).collect::<Vec<_>>().join("\n")
    };
    assert!(slice("multi").len() > 100);
    for table in ["one", "less"] {
        assert_eq!(slice("multi"), slice(table), "{table}");
    }
    let words = ["rows", "merge", "multi/me-1-big-Data.db", "multi/me-2-big-Data.db", "-o", "two"];
    let said = text(folder, &[&words[..], &["--as", "nb", "--compress", "zstd"]].concat());
    assert!(said.starts_with("two/nb-1-big-Data.db\n"), "{said}");
    assert!(said.contains("merged of 2 SSTables"), "{said}");
    assert!(text(folder, &["rows", "verify", "two"]).starts_with("ok: "));
    page.hold("split", &text(folder, &["rows", "split", "small", "-o", "parts", "--size", "16K"]));
    let words = ["rows", "mark", "multi", "--level", "0", "--repaired", "2026-11-01"];
    page.hold("marked", &text(folder, &words));
}

#[test]
fn calls_that_contradict_themselves_are_refused() {
    let copy = tables();
    let folder = copy.path();
    for (words, want) in [
        (&["extract", "mixed", "-o", "new"][..], "which partitions?"),
        (&["extract", "mixed", "-k", "5"], "missing -o DIR"),
        (&["extract", "mixed", "-k", "5", "--tokens", "..", "-o", "new"], "exclude each other"),
        (&["extract", "mixed", "-k", "5", "--chunk", "4K", "-o", "new"], "--chunk is for"),
        (&["export"], "missing PATH"),
        (&["export", "mixed", "--others"], "--others than which?"),
        (&["export", "mixed", "-k", "5", "--tokens", ".."], "exclude each other"),
        (&["merge", "-o", "new"], "missing PATH"),
        (&["merge", "mixed"], "missing -o DIR"),
        (&["merge", "mixed", "small", "-o", "new"], "clustering columns are not those"),
        (&["merge", "mixed", "-o", "new", "--as", "oa"], "--as"),
        (&["rebuild", "mixed"], "missing -o DIR"),
        (&["rebuild", "mixed", "-o", "new", "--fp-chance", "0"], "chance of a false answer"),
        (&["rebuild", "nothing", "-o", "new"], "nothing"),
    ] {
        let (code, why) = refusal(folder, &[&["rows"], words].concat());
        assert_eq!(code, Some(2), "{words:?}");
        assert!(why.contains(want), "{words:?}: {why}");
        assert!(!folder.join("new").exists(), "{words:?}");
    }
}

#[test]
fn parts_of_a_size_are_together_what_was_split() {
    let copy = tables();
    let folder = copy.path();
    let said = text(folder, &["rows", "split", "small", "-o", "parts", "--size", "8K"]);
    assert!(
        said.ends_with("108 partitions, 108 rows, 108 cells, 4.0 KB uncompressed\n5 SSTables\n"),
        "{said}"
    );
    let dry = text(folder, &["rows", "split", "small", "-o", "dry", "-s", "8K", "--dry-run"]);
    assert_eq!(dry.replace(" would be written", "").replace("dry/", "parts/"), said);
    assert!(!folder.join("dry").exists());
    text(folder, &["rows", "verify", "parts"]);
    for generation in 1..=4 {
        let len =
            fs::metadata(folder.join(format!("parts/me-{generation}-big-Data.db"))).unwrap().len();
        assert!((8193..8300).contains(&len), "{len}");
    }
    text(folder, &["rows", "merge", "parts", "-o", "whole"]);
    let data = |path: &str| fs::read(folder.join(path).join("me-1-big-Data.db")).unwrap();
    assert!(data("whole") == data("small"));
    // A partition is never divided, and one part is the whole.
    text(folder, &["rows", "split", "mixed", "-o", "one"]);
    assert!(data("one") == data("mixed"));
    let listed = text(folder, &["rows", "list", "parts"]);
    assert!(
        listed.lines().skip(1).take(5).all(|line| line.trim_end().contains("     0  me-")),
        "{listed}"
    );
    for wrong in [&["--size", "0"][..], &["--chunk", "8K"]] {
        let words = ["rows", "split", "small", "-o", "wrong"];
        assert_eq!(refusal(folder, &[&words[..], wrong].concat()).0, Some(2), "{wrong:?}");
    }
}

#[test]
fn marks_change_the_statistics_and_nothing_else() {
    use std::os::unix::fs::PermissionsExt;
    let copy = tables();
    let folder = copy.path();
    let table = folder.join("multi");
    let all = || names(&table).into_iter().map(|name| (fs::read(table.join(&name)).unwrap(), name));
    let (before, statistics) = (all().collect::<Vec<_>>(), table.join("me-2-big-Statistics.db"));
    fs::set_permissions(&statistics, fs::Permissions::from_mode(0o640)).unwrap();
    let words = ["rows", "mark", "multi", "--level", "3", "--repaired", "2024-01-01"];
    let said = text(folder, &words);
    let line = "multi/me-1-big-Data.db: level 0 to 3, repaired never to 2024-01-01T00:00:00Z\n";
    assert!(said.starts_with(line) && said.ends_with("3 of 3 SSTables changed\n"), "{said}");
    for ((bytes, name), (now, same)) in before.iter().zip(all()) {
        assert_eq!((name, bytes == &now), (&same, !name.contains("Statistics")), "{name}");
    }
    assert_eq!(fs::metadata(&statistics).unwrap().permissions().mode() & 0o777, 0o640);
    text(folder, &["rows", "verify", "multi"]);
    let stats = text(folder, &["rows", "stats", "multi/me-1-big-Data.db"]);
    assert!(stats.contains("\nSSTable Level: 3\nRepaired at: 1704067200000 (2024"), "{stats}");
    assert!(text(folder, &words).ends_with("0 of 3 SSTables changed\n"));
    let back = ["rows", "mark", "multi", "--level", "0", "--unrepaired"];
    let dry = text(folder, &[&back[..], &["--dry-run"]].concat());
    assert!(dry.ends_with("3 of 3 SSTables would be changed\n"), "{dry}");
    assert!(all().collect::<Vec<_>>() != before);
    text(folder, &back);
    assert!(all().collect::<Vec<_>>() == before);
    // As sstablerepairedset has it: when the data was written.
    let one = "multi/me-3-big-Data.db";
    let file = fs::File::options().write(true).open(folder.join(one)).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_600_000_000_123))
        .unwrap();
    let said = text(folder, &["rows", "mark", one, "--repaired", "written"]);
    assert!(said.contains("repaired never to 2020-09-13T12:26:40.123Z"), "{said}");
    for wrong in [
        &["multi"][..],
        &["multi", "--level", "9"],
        &["multi", "--repaired", "soon"],
        &["multi", "--unrepaired", "--repaired", "now"],
        &["nowhere", "--level", "0"],
        &["--level", "0"],
    ] {
        assert_eq!(refusal(folder, &[&["rows", "mark"], wrong].concat()).0, Some(2), "{wrong:?}");
    }
}

#[test]
fn what_is_written_has_the_schema_of_its_table_beside_it() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let schema = "CREATE TYPE ks.u (a int); \
                  CREATE TABLE ks.t (\"P\" int, c text, v frozen<u>, PRIMARY KEY (\"P\", c)) \
                  WITH CLUSTERING ORDER BY (c DESC); \
                  CREATE TABLE ks.o (x int, y text, z int, PRIMARY KEY (x, y))";
    fs::write(folder.join("t.cql"), schema).unwrap();
    fs::write(folder.join("r.csv"), "P,c,v\n7,x,{a: 1}\n8,y,\n").unwrap();
    let write = ["rows", "write", "--schema", "t.cql", "--table", "t", "r.csv", "-o", "t"];
    text(folder, &[&write[..], &["--dry-run"]].concat());
    assert!(!folder.join("t").exists());
    text(folder, &write);
    let left = fs::read(folder.join("t/schema.cql")).unwrap();
    let named = "{\"P\": 7, \"c\": \"x\", \"v\": {\"a\": 1}}\n";
    assert_eq!(text(folder, &["rows", "slice", "t", "7", "--json"]), named);
    for made in [
        ["rows", "merge", "t", "-o", "merged"].as_slice(),
        &["rows", "extract", "t", "-k", "7", "-o", "part"],
        &["rows", "split", "t", "--size", "1K", "-o", "split"],
        &["rows", "rebuild", "t", "-o", "rebuilt"],
        &["rows", "salvage", "t", "-o", "salvaged"],
    ] {
        text(folder, made);
        let made = made[made.len() - 1];
        assert_eq!(fs::read(folder.join(made).join("schema.cql")).unwrap(), left, "{made}");
        assert_eq!(text(folder, &["rows", "slice", made, "7", "--json"]), named, "{made}");
    }
    // One that is there stays.
    fs::write(folder.join("t/schema.cql"), "CREATE TABLE t (p int, q text, PRIMARY KEY (p, q))")
        .unwrap();
    text(folder, &write);
    assert!(text(folder, &["rows", "slice", "t", "7", "--json"]).starts_with("{\"p\": 7, \"q\""));
}

#[test]
fn where_nothing_is_written_no_folder_is_left() {
    let copy = tables();
    let folder = copy.path();
    let data = folder.join("small/me-1-big-Data.db");
    fs::write(&data, "").unwrap();
    let salvaged = manicule(folder, &["rows", "salvage", "small", "-o", "new/table"]);
    assert_eq!(salvaged.status.code(), Some(1), "{salvaged:?}");
    assert_eq!(salvaged.stdout, b"no partition is left: nothing was written\n");
    assert_eq!(refusal(folder, &["rows", "rebuild", "small", "-o", "new/table"]).0, Some(2));
    let extract = ["rows", "extract", "mixed", "-k", "123456", "-o", "new/table"];
    assert_eq!(refusal(folder, &extract).0, Some(1));
    assert!(!folder.join("new").exists());
    // A folder that was there is left there.
    fs::create_dir(folder.join("new")).unwrap();
    manicule(folder, &["rows", "salvage", "small", "-o", "new/table"]);
    assert_eq!(names(&folder.join("new")), Vec::<String>::new());
}

#[test]
fn a_compressed_table_outlives_the_places_of_its_chunks() {
    let copy = tables();
    let folder = copy.path();
    text(folder, &["rows", "extract", "small", "--tokens", "..", "--compress", "lz4", "-o", "t"]);
    let info = folder.join("t/me-1-big-CompressionInfo.db");
    let bytes = fs::read(&info).unwrap();
    let whole = text(folder, &["rows", "dump", "t"]);
    fs::write(&info, &bytes[..bytes.len() - 8]).unwrap();
    assert_eq!(refusal(folder, &["rows", "dump", "t"]).0, Some(2));
    let output = manicule(folder, &["rows", "salvage", "t", "-o", "left"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("1 were found by their checksums, and 0 are lost"), "{said}");
    text(folder, &["rows", "verify", "left"]);
    // Offsets in the dump are those of the data, which are the same.
    assert!(text(folder, &["rows", "dump", "left"]) == whole);
    text(folder, &["rows", "rebuild", "t", "-o", "again"]);
    assert!(text(folder, &["rows", "dump", "again"]) == whole);
    assert_eq!(fs::read(folder.join("again/me-1-big-CompressionInfo.db")).unwrap(), bytes);
}

#[test]
fn a_merged_row_has_the_bytes_of_the_sstable_that_is_met_last() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let schema = "CREATE TABLE ks.t (p int, c decimal, v text, PRIMARY KEY (p, c))";
    fs::write(folder.join("t.cql"), schema).unwrap();
    let check = |tables: [&str; 2], want: &str| {
        let _ = fs::remove_dir_all(folder.join("t"));
        for (rows, timestamp) in tables.iter().zip(["1", "2"]) {
            let lines: String = rows.split(' ').map(|row| format!("7,{row},x\n")).collect();
            fs::write(folder.join("r.csv"), format!("p,c,v\n{lines}")).unwrap();
            let words = ["rows", "write", "--schema", "t.cql", "r.csv", "-o", "t"];
            text(folder, &[&words[..], &["--timestamp", timestamp]].concat());
        }
        let _ = fs::remove_dir_all(folder.join("m"));
        text(folder, &["rows", "merge", "t", "-o", "m"]);
        let csv = text(folder, &["rows", "export", "m", "--format", "csv", "--schema", "t.cql"]);
        let names = csv.lines().skip(1).filter_map(|line| line.split(',').nth(1));
        assert_eq!(names.collect::<Vec<_>>().join(" "), want, "{tables:?}");
    };
    check(["0.0", "0E+5"], "0E+5");
    check(["0E+5", "0.0"], "0.0");
    // The second has moved on, and is met first where the first one waits.
    check(["1.0", "-3 1.00"], "-3 1.0");
    check(["-3 1.0", "1.00"], "-3 1.00");
}

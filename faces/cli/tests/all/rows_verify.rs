//! `manicule rows verify`, `manicule verify` and `manicule inspect` of SSTables, as they are
//! called.

use std::fs;
use std::path::Path;
use std::process::Command;

use manicule_testkit::golden_folder;
use serde_json::Value as Json;

/// Standard output and standard error of a call that ends with this exit code.
#[track_caller]
fn check(folder: &Path, words: &[&str], code: i32) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    let output = command.args(words).current_dir(folder).output().expect("the program runs");
    let [text, error] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{words:?}: {text}{error}");
    (text, error)
}

#[test]
fn sound_tables_are_right_by_either_command() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let (text, _) = check(&folder, &["rows", "verify", "mixed"], 0);
    assert!(text.starts_with("ok: 1 SSTable (") && text.contains("9 partitions"), "{text}");
    assert_eq!(check(&folder, &["verify", "mixed"], 0).0, text);
    assert_eq!(check(&folder, &["verify", "mixed/me-1-big-Index.db"], 0).0, text);
    let (text, _) = check(&folder, &["rows", "verify", "--quick", "multi", "comp"], 0);
    assert!(
        text.contains("multi: ok: 3 SSTables") && text.contains("rows were not read"),
        "{text}"
    );
    let (text, _) = check(&folder, &["rows", "verify", "--json", "multi"], 0);
    let last: Json = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["ok"]), (&"verified".into(), &true.into()));
    assert_eq!((&last["sstables"], &last["findings"]), (&3.into(), &0.into()));
}

#[test]
fn damage_is_found_with_its_place_and_the_exit_code_says_so() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let data = folder.join("mixed/me-1-big-Data.db");
    let mut bytes = fs::read(&data).unwrap();
    bytes[5_000] ^= 4;
    fs::write(&data, &bytes).unwrap();
    for words in [&["rows", "verify", "mixed"][..], &["rows", "verify", "--quick", "mixed"]] {
        let (text, _) = check(&folder, words, 1);
        assert!(text.contains("me-1-big-Data.db, section chunks, offset 0: "), "{text}");
        assert!(text.contains("me-1-big-Digest.crc32, section digest: "), "{text}");
    }
    fs::remove_file(folder.join("comp/me-1-big-Filter.db")).unwrap();
    let (text, _) = check(&folder, &["rows", "verify", "comp"], 0);
    assert!(text.starts_with("warning: me-1-big-Filter.db, section components: is not"), "{text}");
    fs::remove_file(folder.join("comp/me-1-big-Statistics.db")).unwrap();
    let (text, _) = check(&folder, &["verify", "comp"], 1);
    assert!(text.contains("me-1-big-Statistics.db, section components"), "{text}");
}

#[test]
fn an_sstable_without_its_data_is_one_that_is_wrong() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    fs::remove_file(folder.join("comp/me-1-big-Data.db")).unwrap();
    let want = "me-1-big-Data.db, section components: is not there";
    let (text, error) = check(&folder, &["rows", "verify", "comp"], 1);
    assert!(text.contains(want) && error.is_empty(), "{text}{error}");
    let (text, error) = check(&folder, &["rows", "verify", "-r", "."], 1);
    assert!(text.contains(want) && error.is_empty(), "{text}{error}");
    assert!(text.lines().any(|line| line.ends_with("  ./comp")), "{text}");
}

#[test]
fn what_is_no_table_cannot_be_verified() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    check(&folder, &["rows", "verify", "nowhere"], 2);
    check(&folder, &["rows", "verify"], 2);
    let (_, error) = check(&folder, &["rows", "verify", "."], 2);
    assert!(error.contains("no SSTable is there"), "{error}");
    fs::create_dir(folder.join("empty")).unwrap();
    for words in
        [&["verify", "empty"][..], &["rows", "verify", "empty"], &["series", "verify", "empty"]]
    {
        check(&folder, words, 2);
    }
    for name in ["Data.db", "Statistics.db", "TOC.txt"] {
        fs::write(folder.join(format!("ks-t-jb-1-{name}")), "Data.db\nStatistics.db\n").unwrap();
    }
    for words in [&["rows", "verify", "."][..], &["verify", "."], &["inspect", "."]] {
        let (_, error) = check(&folder, words, 2);
        assert!(error.contains("version jb, of Cassandra 2.0"), "{words:?}: {error}");
    }
}

#[test]
fn an_sstable_is_shown_with_the_index_of_a_partition_as_a_picture() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let (text, _) = check(&folder, &["inspect", "wide"], 0);
    for words in ["sstable    me-1-big, version me", "LZ4Compressor", "3 partitions", "█", "'key0"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (asked, _) = check(&folder, &["inspect", "--key", "1", "wide/me-1-big-Data.db"], 0);
    assert!(asked.contains("partition  1 (token "), "{asked}");
    let (json, _) = check(&folder, &["inspect", "--json", "--key", "1", "wide"], 0);
    let json: Json = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["type"], &json["version"]), (&"sstable".into(), &"me".into()));
    assert_eq!(json["partitions"], 3);
    let partition = &json["partition"];
    assert_eq!(partition["key"], "1");
    let shown = partition["shown"].as_array().unwrap().len() as u64;
    assert_eq!(partition["blocks"].as_u64(), Some(shown));
    let (_, error) = check(&folder, &["inspect", "--key", "'x'", "wide"], 2);
    assert!(error.contains("key \"'x'\" of (int)"), "{error}");
    let (text, _) = check(&folder, &["inspect", "multi"], 0);
    assert!(text.contains("me-3-big") && text.contains("\nall  "), "{text}");
}

#[test]
fn the_other_components_are_shown_by_their_parts() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let shown = |name: &str| check(&folder, &["inspect", name], 0).0;
    assert!(shown("mixed/me-1-big-Index.db").contains("  entry  "));
    assert!(shown("mixed/me-1-big-Statistics.db").contains("statistics section"));
    assert!(shown("mixed/me-1-big-Summary.db").contains("sampling level"));
    assert!(shown("mixed/me-1-big-Filter.db").contains("hash functions"));
    assert!(shown("mixed/me-1-big-Digest.crc32").contains("crc32"));
    assert!(shown("mixed/me-1-big-TOC.txt").contains("component"));
    assert!(shown("wide/me-1-big-CompressionInfo.db").contains("LZ4Compressor"));
    let path = "mixed/me-1-big-Filter.db";
    let (hex, _) = check(&folder, &["inspect", path, "--hex", "words"], 0);
    assert!(hex.starts_with("00000004  00 00 00 "), "{hex}");
}

#[test]
fn a_table_that_ends_too_early_is_refused_by_each_command() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let [data, index] = ["Data", "Index"].map(|it| folder.join(format!("small/me-1-big-{it}.db")));
    let [sound, sound_index] = [&data, &index].map(|path| fs::read(path).unwrap());
    let all: [&[&str]; 8] = [
        &["dump", "small"],
        &["export", "small"],
        &["tombstones", "small"],
        &["partitions", "small"],
        &["find", "."],
        &["merge", "small", "-o", "merged"],
        &["rebuild", "small", "-o", "rebuilt"],
        &["extract", "small", "--tokens", "0..", "-o", "taken"],
    ];
    let refused = |words: &[&str], what: &str| {
        let words = match words {
            ["find", ..] => vec!["find", "1", "small"],
            words => [&["rows"][..], words].concat(),
        };
        let (_, error) = check(&folder, &words, 2);
        assert!(error.contains("me-1-big-"), "{what} {words:?}: {error}");
        for made in ["merged", "rebuilt", "taken"] {
            let left = fs::read_dir(folder.join(made)).map_or(0, Iterator::count);
            assert_eq!(left, 0, "{what} {words:?}");
        }
    };
    // Where a partition ends, and at the start.
    for len in [18_433, 0] {
        fs::write(&data, &sound[..len]).unwrap();
        all.iter().for_each(|words| refused(words, &format!("{len} bytes of data")));
        assert_ne!(check(&folder, &["rows", "verify", "small"], 1).0, "");
    }
    fs::write(&data, &sound).unwrap();
    // The entries of 500 partitions: only who reads the data alone has all rows.
    let half = sound_index.len() / 2;
    let border = (half - 20..half + 20).rev().find(|at| {
        // An entry begins with the length of a key of four bytes.
        sound_index[*at..].starts_with(&[0, 4]) && sound_index[at - 1] == 0
    });
    fs::write(&index, &sound_index[..border.unwrap()]).unwrap();
    for words in [all[1], all[3], all[7]] {
        refused(words, "half of the index");
    }
    // Keys of the second half of the tokens are found or refused, and never absent.
    let (dumped, _) = check(&folder, &["rows", "dump", "small"], 0);
    let keys = dumped.split("\"key\" : [ \"").skip(1).filter_map(|rest| rest.split('"').next());
    for key in keys.skip(900).step_by(33) {
        let (_, error) = check(&folder, &["rows", "slice", "small", key], 2);
        assert!(error.contains("rows rebuild makes "), "{key}: {error}");
    }
    fs::write(&index, &sound_index).unwrap();
    check(&folder, &["rows", "merge", "small", "-o", "merged"], 0);
}

#[test]
fn what_a_transaction_leaves_behind_is_neither_read_nor_verified() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let log = folder.join("multi/me_txn_compaction_1.log");
    let records = [
        "ADD:[/d/me-3-big-,0,8][2680962159]",
        "REMOVE:[/d/me-1-big-,1700000000000,8][2337787540]",
        "COMMIT:[,1700000000001,0][934975119]",
    ];
    // It wrote the third, and replaces the first.
    for (count, left) in [(2, "me-3-big"), (3, "me-1-big")] {
        fs::write(&log, records[..count].join("\n")).unwrap();
        let (text, _) = check(&folder, &["rows", "verify", "multi"], 0);
        assert!(text.contains("ok: 2 SSTables") && text.contains("section transaction"), "{text}");
        let (_, error) = check(&folder, &["rows", "export", "multi"], 0);
        assert!(error.contains(left) && error.contains("me_txn_compaction_1.log"), "{error}");
        let target = format!("merged{count}");
        let (text, _) = check(&folder, &["rows", "merge", "multi", "-o", &target], 0);
        assert!(text.contains("merged of 2 SSTables"), "{text}");
    }
    // An SSTable that can't be read is no SSTable that is right.
    let lost = folder.join("comp/me-1-big-Index.db");
    fs::remove_file(&lost).unwrap();
    fs::create_dir(&lost).unwrap();
    let (text, error) = check(&folder, &["rows", "verify", "comp"], 2);
    assert!(text.is_empty() && error.contains("me-1-big-Index.db: a folder"), "{text}{error}");
}

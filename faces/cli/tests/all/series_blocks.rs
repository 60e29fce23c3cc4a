//! Blocks on the command line: inspected, analysed, verified. The guide's examples are the current
//! output.
//! `UPDATE=1 cargo test` rewrites them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use manicule_testkit::{Examples, golden_folder};
use serde_json::Value;

fn run(folder: &Path, words: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_manicule");
    Command::new(program).current_dir(folder).args(words).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_guide_shows_what_is_printed() {
    let golden = golden_folder("series", "golden");
    let blocks = golden.path().join("blocks");
    let mut page = Examples::of("docs/guide/who-ate-my-cardinality.md");
    let examples: [(&str, &[&str]); 6] = [
        ("inspect", &["inspect", "k5k/01M7YV9DEF4R1HZ3V3WZ5VEFVX"]),
        ("analyze", &["series", "analyze", "k5k", "--limit", "5", "--bars", "always"]),
        ("matrix", &["series", "analyze", "k5k", "--match", "go_goroutines", "--matrix"]),
        ("bytes", &["series", "analyze", "k5k", "--limit", "2", "--bytes", "--by", "job"]),
        ("growth", &["series", "analyze", "mixed", "--against", "tiny", "--limit", "3"]),
        ("verify", &["verify", "k5k"]),
    ];
    for (name, words) in examples {
        let mut now = text(&run(&blocks, words));
        for (example, from) in [("matrix", "Labels of"), ("bytes", "Bytes of samples")] {
            if name == example {
                now = now[now.find(from).unwrap()..].to_owned();
            }
        }
        page.hold(name, &now);
    }
}

#[test]
fn a_damaged_block_leaves_the_others_to_be_asked() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks/api");
    let (damaged, sound) = ("01M7YV9DA539J3RD3VS93JZGWY", "01M7YV9DAM3X224G2MX8AC07VK");
    fs::write(data.join(damaged).join("index"), "damaged").unwrap();
    let output = run(&data, &["find", "total", "."]);
    assert_eq!(output.status.code(), Some(2));
    let (found, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(found, format!("./{sound}: __name__=\"http_requests_total\" (72 series)\n"));
    assert!(said.contains(damaged) && said.lines().count() == 1, "{said}");
    let named = ["series", "analyze", ".", "--block"];
    assert!(text(&run(&data, &[&named[..], &[sound]].concat())).contains(sound));
    for (name, want) in [(damaged, "index magic"), ("nope", "has no block nope")] {
        let output = run(&data, &[&named[..], &[name]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(want), "{said}");
    }
}

#[test]
fn every_line_of_json_is_an_object() {
    let golden = golden_folder("series", "golden");
    let blocks = golden.path().join("blocks");
    let names = ["tiny", "gaps", "tiny/01M7YV9D4RCH84S6NS9PC6AJ27/index"];
    for words in [&["inspect", "--json"][..], &["verify", "--json"]] {
        for line in text(&run(&blocks, &[words, &names].concat())).lines() {
            assert!(serde_json::from_str::<Value>(line).unwrap().is_object(), "{line}");
        }
    }
    let output = run(&blocks, &["series", "analyze", "native", "--matrix", "--extended", "--json"]);
    let analysis: Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!((&analysis["series"], &analysis["pairs"]), (&10.into(), &13.into()));
    assert!(analysis["chunks"]["histogram_buckets"]["max"].as_u64().unwrap() > 0);
}

#[test]
fn damage_is_told_with_its_place_and_exit_code_1() {
    let golden = golden_folder("series", "golden");
    let blocks = golden.path().join("blocks");
    let index = blocks.join("tiny/01M7YV9D4RCH84S6NS9PC6AJ27/index");
    let mut bytes = fs::read(&index).unwrap();
    bytes[66] ^= 1;
    fs::write(&index, bytes).unwrap();
    for words in [&["verify", "tiny"][..], &["series", "verify", "tiny"]] {
        let output = run(&blocks, words);
        assert_eq!(output.status.code(), Some(1));
        let text = text(&output);
        assert!(text.contains("index, section series, offset 83: checksum of a series"), "{text}");
    }
    fs::remove_file(&index).unwrap();
    let output = run(&blocks, &["series", "verify", "tiny"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("index: is missing"));
    assert_eq!(run(&blocks, &["series", "verify", "nowhere"]).status.code(), Some(2));
    let nothing = run(&blocks, &["series", "analyze", "k5k", "--match", "nothing"]);
    assert_eq!(nothing.status.code(), Some(1));
}

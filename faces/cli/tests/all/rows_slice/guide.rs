//! The guide's page about a large partition.

use std::process::Command;

use manicule_testkit::{Examples, golden_folder};

use super::text;

/// The examples of the page: their names and the words of their calls. Their tables are in the
/// current folder there.
const EXAMPLES: [(&str, &[&str]); 8] = [
    ("partitions", &["partitions", "wide"]),
    ("schema", &["schema", "wide"]),
    ("first", &["slice", "wide", "2", "--limit", "3"]),
    ("last", &["slice", "wide", "2", "--limit", "1", "--reverse", "--json"]),
    ("bounds", &["slice", "wide", "2", "--from", "('key00600')", "--before", "('key00598', 0)"]),
    ("receipt", &["slice", "wide", "2", "--from", "('key00600')", "--limit", "1", "--receipt"]),
    ("sources", &["slice", "multi", "1", "--from", "60", "--to", "62", "--times", "--sources"]),
    ("raw", &["slice", "multi", "1", "--from", "60", "--to", "62", "--raw"]),
];

#[test]
fn the_guide_shows_what_is_printed() {
    let mut page = Examples::of("docs/guide/one-partition-is-20-gb.md");
    let golden = golden_folder("rows", "me");
    for (name, words) in EXAMPLES {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        let command = command.arg("rows").args(words).current_dir(golden.path().join("me"));
        let said = command.output().expect("manicule runs");
        assert!(said.status.success(), "{words:?}: {}", text(&said.stderr));
        let now = if name == "receipt" { text(&said.stderr) } else { text(&said.stdout) };
        page.hold(name, &now);
    }
}

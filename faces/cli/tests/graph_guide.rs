//! The guide's page about graph stores: each of its commands is run as it is printed, one after the other in one folder.

use std::path::Path;
use std::process::Command;

use manicule_testkit::Examples;

const PAGE: &str = "docs/guide/write-and-read-at-once.md";
const SHELL: &str = "```sh\n";
const NAME: &str = "<!-- example: ";

/// Blocks of commands, each with the name of the example that follows it directly.
fn blocks(page: &str) -> Vec<(&str, Option<&str>)> {
    let parts = page.split(SHELL).skip(1);
    let blocks = parts.map(|part| {
        let (commands, rest) = part.split_once("```\n").expect("the end of a block");
        let name = rest.trim_start().strip_prefix(NAME).and_then(|rest| rest.split_once(" -->"));
        (commands, name.map(|(name, _)| name))
    });
    blocks.collect()
}

#[test]
fn every_command_of_the_page_prints_what_it_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join(PAGE)).expect("the page");
    let mut examples = Examples::of(PAGE);
    let folder = tempfile::tempdir().expect("a folder");
    let program = Path::new(env!("CARGO_BIN_EXE_manicule")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("a path"));
    let blocks = blocks(&page);
    for (commands, name) in &blocks {
        let mut shell = Command::new("sh");
        let shell =
            shell.args(["-e", "-c", commands]).env("PATH", &path).current_dir(folder.path());
        let output = shell.output().expect("a shell");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && error.is_empty(), "{commands}: {error}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        match name {
            Some(name) => examples.hold(name, &text),
            None => assert_eq!(text, "", "{commands}"),
        }
    }
    assert_eq!(blocks.len(), 8);
}

//! The guide's pages about graph stores: each of their commands is run as it is printed, one after
//! the other in one folder.

use std::path::Path;
use std::process::Command;

use manicule_testkit::Examples;

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

/// An example as the page has it.
fn example<'p>(page: &'p str, name: &str) -> Option<&'p str> {
    let (_, rest) = page.split_once(&format!("{NAME}{name} -->\n```text\n"))?;
    Some(rest.split_once("```\n")?.0)
}

/// A text without what differs from run to run: decimals, which are times, percentages, and how
/// wide columns are.
fn masked(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    for at in 0..words.len() {
        let is_time = words[at].contains('.') && words[at].parse::<f64>().is_ok();
        let is_share = words.get(at + 1) == Some(&"%");
        if is_time || is_share {
            words[at] = "0";
        }
    }
    words.join(" ")
}

/// Runs the commands of a page, and compares what they print with its examples.
fn check(path: &str, block_count: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join(path)).expect("the page");
    let mut examples = Examples::of(path);
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
        match name.map(|name| (name, example(&page, name).expect("an example"))) {
            Some((name, old)) if masked(old) == masked(&text) => examples.hold(name, old),
            Some((name, _)) => examples.hold(name, &text),
            None => assert_eq!(text, "", "{commands}"),
        }
    }
    assert_eq!(blocks.len(), block_count);
}

#[test]
fn commands_of_a_day_with_a_store_print_what_the_page_shows() {
    check("docs/guide/write-and-read-at-once.md", 9);
}

#[test]
fn explanations_are_those_that_the_page_shows() {
    check("docs/guide/ask-a-million-triples.md", 4);
}

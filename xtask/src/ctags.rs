//! Arguments for universal-ctags, from the Go module that zoekt runs it with.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::go::go;

/// The module, and its version in zoekt.
const MODULE: &str = "github.com/sourcegraph/go-ctags@v0.0.0-20250729094530-349a251d78d8";

/// The file, from the root.
const FILE: &str = "engines/code/src/shards/symbols/arguments.txt";

/// Arguments that the module's code makes, before those of its lists.
const FIRST: [&str; 3] = ["--_interactive=default", "--fields=*", "--pattern-length-limit=255"];

/// Writes the arguments into the repository.
pub(crate) fn write() -> Result<()> {
    let arguments = arguments()?;
    fs::write(xtask::root().join(FILE), &arguments)?;
    println!("{FILE}: {} bytes", arguments.len());
    Ok(())
}

/// Fails if those of the repository are not the ones that would be written.
pub(crate) fn check() -> Result<()> {
    let there = fs::read_to_string(xtask::root().join(FILE))?;
    ensure!(there == arguments()?, "{FILE} differs: run `cargo run -p xtask -- ctags`");
    println!("{FILE}: {} bytes, as written", there.len());
    Ok(())
}

fn arguments() -> Result<String> {
    let folder = tempfile::tempdir()?;
    let printed: Value =
        serde_json::from_slice(&go(folder.path(), &["mod", "download", "-json", MODULE])?)?;
    let module = PathBuf::from(printed["Dir"].as_str().context("the module has no folder")?);
    let read = |name: &str| fs::read_to_string(module.join(name)).context(name.to_owned());
    let lists = items(&read("args.go")?, "ctagsArgs = []string{", '`')?;
    let languages = items(&read("language-mapping.go")?, "SupportedLanguages = [...]string{", '"')?;
    let languages = format!("--languages={}", languages.join(","));
    let head = "# Arguments with which zoekt runs universal-ctags, see README.md.".to_owned();
    let first = FIRST.map(str::to_owned);
    let lines = [head].into_iter().chain(first).chain(lists).chain([languages]);
    Ok(lines.map(|line| line + "\n").collect())
}

/// The texts of a list in Go, one in each line.
fn items(source: &str, list: &str, quote: char) -> Result<Vec<String>> {
    let (_, rest) = source.split_once(list).with_context(|| format!("no {list}"))?;
    let (body, _) = rest.split_once("\n}").with_context(|| format!("{list} has no end"))?;
    let text = |line: &str| line.trim().strip_prefix(quote)?.split(quote).next().map(str::to_owned);
    let items: Vec<String> = body.lines().filter_map(text).collect();
    ensure!(!items.is_empty(), "{list} is empty");
    Ok(items)
}

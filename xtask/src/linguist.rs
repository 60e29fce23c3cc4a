//! Tables of languages, from those of linguist that the Go module go-enry carries.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::go::go;

/// Release of go-enry that zoekt has, and the sum of its files that Go's module proxy gives.
const MODULE: &str = "github.com/go-enry/go-enry/v2@v2.9.6";

/// Folder of the tables, from the root.
const FOLDER: &str = "engines/code/src/shards/classify/tables";

/// The program that prints go-enry's tables as JSON.
const PROGRAM: &str = include_str!("../linguist/tables.go");

/// The classifier's numbers are written with this many parts of one.
const PARTS: f64 = 1e6;

/// Each table's name and bytes.
type Tables = BTreeMap<&'static str, Vec<u8>>;

/// Writes the tables into the repository.
pub(crate) fn write() -> Result<()> {
    let folder = xtask::root().join(FOLDER);
    for (name, bytes) in tables(&printed()?)? {
        fs::write(folder.join(name), &bytes)?;
        println!("{FOLDER}/{name}: {} bytes", bytes.len());
    }
    Ok(())
}

/// Fails if a table of the repository is not the one that would be written.
pub(crate) fn check() -> Result<()> {
    let folder = xtask::root().join(FOLDER);
    for (name, bytes) in tables(&printed()?)? {
        let there = fs::read(folder.join(name)).with_context(|| format!("can't read {name}"))?;
        ensure!(there == bytes, "{FOLDER}/{name} differs: run `cargo run -p xtask -- linguist`");
        println!("{FOLDER}/{name}: {} bytes, as written", bytes.len());
    }
    Ok(())
}

/// What the Go program prints.
fn printed() -> Result<Value> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("tables.go"), PROGRAM)?;
    go(folder.path(), &["mod", "init", "tables"])?;
    go(folder.path(), &["get", MODULE])?;
    serde_json::from_slice(&go(folder.path(), &["run", "."])?).context("the tables are no JSON")
}

fn tables(printed: &Value) -> Result<Tables> {
    let commit = printed["commit"].as_str().context("no commit")?;
    let head = |what: &str| format!("# {what} From linguist {commit}, see README.md.\n");
    let by_key = |key: &'static str, what: &str| -> Result<Vec<u8>> {
        let mut table = head(what);
        for (key, languages) in rows(&printed[key])? {
            table += &format!("{key}\t{}\n", names(languages)?.join("\t"));
        }
        Ok(table.into_bytes())
    };
    let by_line = |key: &'static str, what: &str| -> Result<Vec<u8>> {
        let patterns = printed[key].as_array().with_context(|| format!("no {key}"))?;
        let patterns = patterns.iter().filter_map(Value::as_str);
        Ok(patterns.fold(head(what), |table, pattern| table + pattern + "\n").into_bytes())
    };
    Ok(Tables::from([
        ("extensions.tsv", by_key("extension", "Extensions and their languages.")?),
        ("file_names.tsv", by_key("filename", "File names and their languages.")?),
        ("interpreters.tsv", by_key("interpreter", "Interpreters and their languages.")?),
        ("aliases.tsv", by_key("alias", "Names and aliases of languages.")?),
        ("tests.txt", by_line("test", "Paths of tests.")?),
        ("vendored.txt", by_line("vendor", "Paths of other people's code.")?),
        ("documentation.txt", by_line("documentation", "Paths of text for people.")?),
        ("heuristics.tsv", heuristics(printed, head("Regexes of contents, see heuristics.rs."))?),
        ("tokens.bin", tokens(printed)?),
    ]))
}

/// The entries of an object by their keys' bytes.
fn rows(object: &Value) -> Result<BTreeMap<&str, &Value>> {
    let object = object.as_object().context("a table is no object")?;
    Ok(object.iter().map(|(key, value)| (key.as_str(), value)).collect())
}

/// One name or a list of them.
fn names(value: &Value) -> Result<Vec<&str>> {
    match value {
        Value::String(name) => Ok(vec![name]),
        Value::Array(names) => {
            names.iter().map(|name| name.as_str().context("a name is no text")).collect()
        }
        other => bail!("names are {other}"),
    }
}

fn heuristics(printed: &Value, mut table: String) -> Result<Vec<u8>> {
    for (extension, rules) in rows(&printed["heuristics"])? {
        table += &format!("{extension}\n");
        for rule in rules.as_array().context("rules are no list")? {
            let mut fields =
                names(&rule["languages"])?.iter().map(|name| (*name).to_owned()).collect();
            put_conditions(rule, &mut fields)?;
            ensure!(!fields.iter().any(|field| field.contains(['\t', '\n'])), "{rule}");
            table += &format!("\t{}\n", fields.join("\t"));
        }
    }
    Ok(table.into_bytes())
}

/// Appends a field for each condition of a rule. Rules that are in others have conditions of the
/// same kind: `or` of one regex, `not` of some.
fn put_conditions(rule: &Value, fields: &mut Vec<String>) -> Result<()> {
    let patterns = rule["patterns"].as_array().context("patterns are no list")?;
    match (rule["rule"].as_str(), &patterns[..]) {
        (Some("always"), []) => {}
        (Some("or"), [Value::String(pattern)]) => fields.push(format!("+{pattern}")),
        // An `or` that the peer can't express never matches; in `and` and `not` it is left out.
        (Some("or"), [Value::Null]) => fields.push("!".to_owned()),
        (Some("not"), patterns) => {
            for pattern in patterns.iter().filter(|pattern| !pattern.is_null()) {
                fields.push(format!("-{}", pattern.as_str().context("`not` of a rule")?));
            }
        }
        (Some("and"), rules) => {
            for rule in rules.iter().filter(|rule| !rule.is_null()) {
                put_conditions(rule, fields)?;
            }
        }
        _ => bail!("a rule of a kind that nobody knows: {rule}"),
    }
    Ok(())
}

/// The languages that a file can be taken for by mistake: those that share a name, an extension or
/// an interpreter, or that a rule leaves together.
fn shared(printed: &Value) -> Result<BTreeSet<&str>> {
    // zoekt adds C++ to the languages of `.c`.
    let mut shared = BTreeSet::from(["C++", "C"]);
    for key in ["extension", "filename", "interpreter"] {
        for languages in rows(&printed[key])?.into_values() {
            let names = names(languages)?;
            if names.len() > 1 {
                shared.extend(names);
            }
        }
    }
    for rules in rows(&printed["heuristics"])?.into_values() {
        for rule in rules.as_array().context("rules are no list")? {
            let names = names(&rule["languages"])?;
            if names.len() > 1 {
                shared.extend(names);
            }
        }
    }
    Ok(shared)
}

/// The classifier's table, see README.md beside it.
fn tokens(printed: &Value) -> Result<Vec<u8>> {
    let mut table = Vec::new();
    put_uvarint(printed["tokens_total"].as_u64().context("no number of tokens")?, &mut table);
    for language in shared(printed)? {
        let Some(prior) = printed["log_prior"].get(language) else { continue };
        let mut by_weight = BTreeMap::<u64, BTreeSet<&[u8]>>::new();
        if let Some(tokens) = printed["log_token"].get(language) {
            for (token, weight) in rows(tokens)? {
                by_weight.entry(parts(weight)?).or_default().insert(token.as_bytes());
            }
        }
        let mut weights = Vec::new();
        for (weight, tokens) in by_weight {
            put_uvarint(weight, &mut weights);
            put_uvarint(tokens.len() as u64, &mut weights);
            tokens.iter().for_each(|token| put_text(token, &mut weights));
        }
        put_text(language.as_bytes(), &mut table);
        put_uvarint(parts(prior)?, &mut table);
        put_text(&weights, &mut table);
    }
    Ok(table)
}

/// A logarithm of a probability in whole parts, without its sign.
fn parts(weight: &Value) -> Result<u64> {
    let weight = weight.as_f64().context("a weight is no number")?;
    let parts = (-weight * PARTS).round();
    ensure!(parts >= 0.0 && -(parts / PARTS) == weight, "{weight} has more than six decimals");
    Ok(parts as u64)
}

fn put_text(text: &[u8], out: &mut Vec<u8>) {
    put_uvarint(text.len() as u64, out);
    out.extend_from_slice(text);
}

fn put_uvarint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

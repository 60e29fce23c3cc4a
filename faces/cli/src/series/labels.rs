//! `manicule series labels`: the names of labels, or the values of one.
//!
//! Callers: series

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use lexopt::prelude::*;
use manicule::series::Selector;
use manicule::series::query::{Blocks, Work};
use serde_json::{Value as Json, json};

use super::ask::{Ask, receipt, selector, shown, text};
use crate::messages::say;
use crate::print::{Print, Reader, command};

pub(super) const HELP: &str = "\
manicule series labels [FLAGS] [NAME] [PATH...]
    The names of labels, or the values of the label NAME: of all series, or of those that selectors
    select. PATH is a block, an index, or a data folder; without one, the current folder. A first word
    with a / in it, or . or .., is a PATH.

        --match SELECTOR   only of these series; may be given more than once
        --start TIME       only of blocks with times from this one on: seconds since 1970, RFC 3339,
                           2024-04-05 (UTC), now, -2h
        --end TIME         only of blocks with times up to this one
        --counts           each with the number of its series, most first: COUNT VALUE
        --limit N          the first N, after sorting
    -c, --count            how many there are
    -0, --null             a NUL behind each in place of a line break, and every byte as it is
        --json             a list of strings; of --counts a list of objects, of --count an object
        --receipt          what the call has cost: on standard error, under --json as a last object

    Line breaks, control characters and what is no UTF-8 are escaped, unless --null is given.
    Names and values come from the index: those of series of which tombstones delete every sample are
    listed too. --counts counts series as `series select` selects them: such not, and one that several
    blocks have once.
    Exit code: 0 when there is one, 1 when there is none, 2 when something failed.
";

struct Options {
    ask: Ask,
    name: Option<OsString>,
    selectors: Vec<Selector>,
    limit: usize,
    count: bool,
    counts: bool,
    null: bool,
    json: bool,
    receipt: bool,
}

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Needed, |out| answer(words, out))
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(options) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let hint = hint(&options);
    let opened = match &hint {
        Some(hint) => options.ask.open().with_context(|| hint.clone())?,
        None => options.ask.open()?,
    };
    let blocks = Blocks::new(&opened, options.ask.times());
    let mut work = Work::default();
    let name = options.name.as_ref().map(|name| name.as_encoded_bytes());
    let mut found: Vec<(&[u8], Option<u64>)> = if options.counts {
        let counts = blocks.label_counts(name, &options.selectors, &mut work)?;
        counts.into_iter().map(|(bytes, count)| (bytes, Some(count))).collect()
    } else {
        let listed = match name {
            None => blocks.label_names(&options.selectors, &mut work)?,
            Some(name) => blocks.label_values(name, &options.selectors, &mut work)?,
        };
        listed.into_iter().map(|bytes| (bytes, None)).collect()
    };
    found.truncate(options.limit);
    out.in_pages();
    print(&found, &options, out)?;
    if options.receipt {
        receipt(&work, options.json, out)?;
    }
    if let Some(hint) = hint.filter(|_| found.is_empty()) {
        say(&hint);
    }
    Ok(u8::from(found.is_empty()))
}

fn print(found: &[(&[u8], Option<u64>)], options: &Options, out: &mut impl Write) -> Result<()> {
    let (what, whats) =
        if options.name.is_some() { ("value", "values") } else { ("name", "names") };
    match (options.count, options.json) {
        (true, true) => writeln!(out, "{}", json!({ whats: found.len() }))?,
        (true, false) => writeln!(out, "{}", found.len())?,
        (false, true) => {
            let row = |(bytes, count): &(&[u8], Option<u64>)| match count {
                None => Json::from(text(bytes)),
                Some(count) => json!({ what: text(bytes), "series": count }),
            };
            writeln!(out, "{}", Json::from_iter(found.iter().map(row)))?;
        }
        (false, false) => {
            for (bytes, count) in found {
                if let Some(count) = count {
                    write!(out, "{count} ")?;
                }
                match options.null {
                    true => out.write_all(bytes)?,
                    false => out.write_all(shown(bytes).as_bytes())?,
                }
                out.write_all(if options.null { b"\0" } else { b"\n" })?;
            }
        }
    }
    Ok(())
}

/// What to say where nothing is found and the only word, taken for a name, is a path too.
fn hint(options: &Options) -> Option<String> {
    let name = options.name.as_ref().filter(|name| Path::new(name).exists())?.to_string_lossy();
    let is_alone = options.ask.paths.is_empty();
    is_alone.then(|| format!("{name} is taken for the name of a label; as a path it is ./{name}"))
}

fn parse(words: &[OsString]) -> Result<Option<Options>> {
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    let mut options = Options {
        ask: Ask::default(),
        name: None,
        selectors: Vec::new(),
        limit: usize::MAX,
        count: false,
        counts: false,
        null: false,
        json: false,
        receipt: false,
    };
    let mut is_first = true;
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Long("match") => options.selectors.push(selector(&parser.value()?.string()?)?),
            Long("start") => options.ask.set_time("start", &parser.value()?.string()?)?,
            Long("end") => options.ask.set_time("end", &parser.value()?.string()?)?,
            Long("limit") => {
                options.limit = parser.value()?.parse().context("--limit")?;
            }
            Short('c') | Long("count") => options.count = true,
            Long("counts") => options.counts = true,
            Short('0') | Long("null") => options.null = true,
            Long("json") => options.json = true,
            Long("receipt") => options.receipt = true,
            Value(word) => {
                let is_path =
                    word == "." || word == ".." || word.as_encoded_bytes().contains(&b'/');
                match std::mem::take(&mut is_first) && !is_path {
                    true => options.name = Some(word),
                    false => options.ask.paths.push(word.into()),
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(options))
}

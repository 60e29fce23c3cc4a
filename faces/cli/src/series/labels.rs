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
use serde_json::json;

use super::ask::{Ask, receipt, selector, text};
use crate::messages::say;
use crate::print::{Print, Reader, command};

pub(super) const HELP: &str = "\
manicule series labels [FLAGS] [NAME] [PATH...]
    The names of labels, or the values of the label NAME: of all series, or of those that selectors
    select. PATH is a block, an index, or a data folder; without one, the current folder. A first word
    with a / in it, or . or .., is a PATH.

        --match SELECTOR   only of these series; may be given more than once
        --start TIME       only of blocks with times from this one on: seconds since 1970 or RFC 3339
        --end TIME         only of blocks with times up to this one
        --limit N          the first N, after sorting
    -c, --count            how many there are
        --json             a list of strings; of --count, an object
        --receipt          what the call has cost: on standard error, under --json as a last object

    Exit code: 0 when there is one, 1 when there is none, 2 when something failed.
";

struct Options {
    ask: Ask,
    name: Option<OsString>,
    selectors: Vec<Selector>,
    limit: usize,
    count: bool,
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
    let mut found = match &options.name {
        None => blocks.label_names(&options.selectors, &mut work)?,
        Some(name) => {
            blocks.label_values(name.as_encoded_bytes(), &options.selectors, &mut work)?
        }
    };
    found.truncate(options.limit);
    out.in_pages();
    if options.count && options.json {
        let what = if options.name.is_some() { "values" } else { "names" };
        writeln!(out, "{}", json!({ what: found.len() }))?;
    } else if options.count {
        writeln!(out, "{}", found.len())?;
    } else if options.json {
        let texts: Vec<_> = found.iter().map(|bytes| text(bytes)).collect();
        serde_json::to_writer(&mut *out, &texts)?;
        out.write_all(b"\n")?;
    } else {
        for bytes in &found {
            out.write_all(bytes)?;
            out.write_all(b"\n")?;
        }
    }
    if options.receipt {
        receipt(&work, options.json, out)?;
    }
    if let Some(hint) = hint.filter(|_| found.is_empty()) {
        say(&hint);
    }
    Ok(u8::from(found.is_empty()))
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

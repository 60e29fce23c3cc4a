//! `manicule series labels`: the names of labels, or the values of one.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use manicule::json::text;
use manicule::series::Selector;
use manicule::series::json::LabelCount;
use manicule::series::query::Work;
use serde_json::{Value as Json, json};

use super::input::{Input, receipt, selector, time};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{self, Print, Reader};
use crate::shown::shown;
use crate::table::format::Sheet;
use crate::table::listed::with_sheet;

pub(super) static COMMAND: Command = Command {
    name: "labels",
    operands: "[NAME] [PATH...]",
    summary: "list label names, or the values of one label",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] [NAME] [PATH...]",
            about: "\
Lists label names, or the values of the label NAME: of all series, or of those that selectors select. PATH is a block, an index,
or a data folder; without one, the current folder. A first word with a / in it, or . or .., is a PATH.",
        }],
        notes: "\
Line breaks, control characters and what is not valid UTF-8 are escaped, unless --null is given. Names and values come from the
index: those of series whose samples are all deleted by tombstones are listed too. --counts counts series as `series select`
selects them: without these, and a series in several blocks once.",
        exit: "0 when there are some, 1 when there are none, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> =
    Declared::of(FLAGS, Ok, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Word(set!(|o, word| o.take_first(word))),
        Operand::Paths(|o| &mut o.input.paths),
    ]);

static FLAGS: &[Flag<Options>] = with_sheet![
    shared::RECURSIVE
        .here("Read every data folder below PATH, as one.")
        .sets(|o| &mut o.input.recursive),
    shared::MATCH.does(set!(|o, value| o.selectors.push(selector(value.text()?)?))),
    shared::START
        .here("Read only blocks that end after this time.")
        .does(set!(|o, value| o.input.start = Some(time(&value)?))),
    shared::END
        .here("Read only blocks that start at or before this time.")
        .does(set!(|o, value| o.input.end = Some(time(&value)?))),
    spec("counts", "", "Print the number of series with each, in descending order: COUNT VALUE.")
        .sets(|o| &mut o.counts),
    shared::LIMIT
        .here("Print at most NUM names or values, the first after sorting.")
        .does(set!(|o, value| o.limit = Some(value.number()?))),
    shared::COUNT.sets(|o| &mut o.count),
    shared::NULL
        .here("Print a NUL byte, not a line break, after each, and don't escape bytes.")
        .sets(|o| &mut o.null),
    shared::JSON
        .here("Print one JSON list of strings; with --counts of objects, with --count one object.")
        .sets(|o| &mut o.json),
    shared::RECEIPT.sets(|o| &mut o.receipt),
];

#[derive(Default)]
struct Options {
    input: Input,
    name: Option<OsString>,
    selectors: Vec<Selector>,
    limit: Option<usize>,
    count: bool,
    counts: bool,
    null: bool,
    json: bool,
    receipt: bool,
    sheet: Sheet,
}

impl Options {
    /// Takes the first word: a name unless it looks like a path.
    fn take_first(&mut self, word: OsString) {
        let is_path = word == "." || word == ".." || word.as_encoded_bytes().contains(&b'/');
        if is_path { self.input.paths.push(word.into()) } else { self.name = Some(word) }
    }
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    if !options.sheet.is_plain() {
        let name = options.name.as_ref().map(|name| name.to_string_lossy().into_owned());
        return options
            .input
            .listed("series.labels")
            .with("selector", &options.selectors)
            .among("name", name)
            .limit(options.limit.map(|limit| limit as u64))
            .refuse(&[
                ("--counts", options.counts),
                ("--count", options.count),
                ("--null", options.null),
                ("--json", options.json),
                ("--receipt", options.receipt),
            ])
            .print(&options.sheet, out);
    }
    let hint = hint(options);
    let data =
        options.input.open().map_err(|error| hint.clone().map_or(error, anyhow::Error::msg))?;
    let moment = data.moment();
    let blocks = moment.blocks();
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
    found.truncate(options.limit.unwrap_or(usize::MAX));
    out.in_pages();
    print(&found, options, out)?;
    if options.receipt {
        receipt(&work, options.json, out)?;
    }
    if let Some(hint) = hint.filter(|_| found.is_empty()) {
        say(&hint);
    }
    Ok(exit::if_any(!found.is_empty()))
}

fn print(found: &[(&[u8], Option<u64>)], options: &Options, out: &mut impl Write) -> Result<()> {
    let whats = if options.name.is_some() { "values" } else { "names" };
    match (options.count, options.json) {
        (true, true) => writeln!(out, "{}", json!({ whats: found.len() }))?,
        (true, false) => writeln!(out, "{}", found.len())?,
        (false, true) => {
            let row = |(bytes, count): &(&[u8], Option<u64>)| match count {
                None => Json::from(text(bytes)),
                Some(series) => {
                    let is_value = options.name.is_some();
                    print::json(LabelCount { is_value, bytes, series: *series })
                }
            };
            writeln!(out, "{}", Json::from_iter(found.iter().map(row)))?;
        }
        (false, false) => {
            for (bytes, count) in found {
                if let Some(count) = count {
                    write!(out, "{count} ")?;
                }
                if options.null {
                    out.write_all(bytes)?
                } else {
                    out.write_all(shown(bytes).as_bytes())?
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
    let is_alone = options.input.paths.is_empty();
    is_alone.then(|| format!("{name} was read as the name of a label; for the path write ./{name}"))
}

//! `manicule series select`: the series that a selector selects, with their samples if wanted.
//!
//! Callers: series

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use lexopt::prelude::*;
use manicule::series::dump::put_sample_json;
use manicule::series::query::{Blocks, MergedRow, ShownValue, Work};
use manicule::series::{Interval, Sample, Selector, ShownLabels};
use serde_json::{Map, Value as Json, json};

use super::ask::{Ask, receipt, selector, text};
use super::salvage;
use crate::print::{Print, Reader, command};

pub(super) const HELP: &str = "\
manicule series select [FLAGS] SELECTOR [PATH...]
    The series that a selector selects, in the order of their labels. PATH is a block, an index, or a
    data folder, whose blocks are read as one; without one, the current folder.

    up                                          by the name of the metric
    'up{job=~\"api|web\",instance!=\"h0:80\"}'    = != =~ !~ as in PromQL; Go's regular expressions
    '{\"http.size\",\"service.name\"=\"s1\"}'       names that need quotes

        --samples      each sample: SERIES VALUE TIME, the time in milliseconds since 1970
        --start TIME   only series with chunks, and samples, from this time on: seconds since 1970,
                       RFC 3339, 2024-04-05 (UTC), now, -2h
        --end TIME     and up to this time
        --limit N      at most N series
        --skip-damaged  leave out blocks, series and chunks that are damaged: standard error names each,
                       under --json also a last object
    -c, --count        how many series there are; with --samples, how many samples they have
        --json         JSON Lines; samples as `series dump --format json` writes them
        --receipt      what the call has cost: on standard error, under --json as a last object

    A series of which tombstones delete every sample is not selected; `series labels` still lists its
    labels.
    Exit code: 0 when something was selected, 1 when nothing was, 2 when something failed.
";

struct Options {
    ask: Ask,
    selector: Selector,
    samples: bool,
    limit: u64,
    count: bool,
    json: bool,
    receipt: bool,
}

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Needed, |out| salvage::hinted(words, answer(words, out)))
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(options) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let opened = options.ask.open()?;
    let blocks = Blocks::new(&opened, options.ask.times());
    let blocks = blocks.skip_damaged(options.ask.salvage.as_ref());
    out.in_pages();
    let mut work = Work::default();
    let count = match options.count && !options.samples {
        true => count(&blocks, &options, &mut work)?,
        false => print(&blocks, &options, out, &mut work)?,
    };
    if options.count && !options.samples {
        match options.json {
            true => writeln!(out, "{}", json!({ "series": count }))?,
            false => writeln!(out, "{count}")?,
        }
    }
    if let Some(salvage) = options.ask.salvage.as_ref().filter(|salvage| !salvage.is_empty()) {
        if options.json {
            writeln!(out, "{}", json!({ "skipped": salvage::json(salvage) }))?;
        }
        salvage::tell(salvage);
    }
    if options.receipt {
        receipt(&work, options.json, out)?;
    }
    Ok(u8::from(count == 0))
}

fn parse(words: &[OsString]) -> Result<Option<Options>> {
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    let mut wanted = None;
    let mut options = Options {
        ask: Ask::default(),
        selector: Selector::new(Vec::new()),
        samples: false,
        limit: u64::MAX,
        count: false,
        json: false,
        receipt: false,
    };
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Long("samples") => options.samples = true,
            Long("start") => options.ask.set_time("start", &parser.value()?.string()?)?,
            Long("end") => options.ask.set_time("end", &parser.value()?.string()?)?,
            Long("skip-damaged") => options.ask.salvage = Some(salvage::new()),
            Long("limit") => options.limit = parser.value()?.parse().context("--limit")?,
            Short('c') | Long("count") => options.count = true,
            Long("json") => options.json = true,
            Long("receipt") => options.receipt = true,
            Value(word) if wanted.is_none() => wanted = Some(selector(&word.string()?)?),
            Value(word) => options.ask.paths.push(word.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    options.selector =
        wanted.context("a selector is wanted: manicule series select SELECTOR [PATH...]")?;
    Ok(Some(options))
}

/// Number of series, from posting lists alone where they suffice.
fn count(blocks: &Blocks<'_>, options: &Options, work: &mut Work) -> Result<u64> {
    let selectors = std::slice::from_ref(&options.selector);
    let count = match blocks.count(selectors, work)? {
        Some(count) => count,
        None => {
            let mut series = blocks.series(selectors, work)?;
            let mut count = 0;
            while count < options.limit && series.next()?.is_some() {
                count += 1;
            }
            work.series_decoded += series.decoded_count();
            count
        }
    };
    Ok(count.min(options.limit))
}

/// Prints the series, or their numbers of samples; returns the number of series.
fn print(
    blocks: &Blocks<'_>,
    options: &Options,
    out: &mut impl Write,
    work: &mut Work,
) -> Result<u64> {
    let mut series = blocks.series(std::slice::from_ref(&options.selector), work)?;
    let (mut count, mut sample_count) = (0, 0u64);
    while count < options.limit
        && let Some(row) = series.next()?
    {
        count += 1;
        match (options.samples, options.json) {
            _ if options.count => each_sample(&row, options.ask.times(), &mut |_| {
                sample_count += 1;
                Ok(())
            })?,
            (false, false) => writeln!(out, "{}", ShownLabels(&row.labels))?,
            (false, true) => writeln!(out, "{}", json!({ "labels": labels(&row) }))?,
            (true, false) => {
                let shown = ShownLabels(&row.labels).to_string();
                each_sample(&row, options.ask.times(), &mut |sample| {
                    writeln!(out, "{shown} {} {}", ShownValue(&sample.value), sample.time)?;
                    Ok(())
                })?;
            }
            (true, true) => {
                let mut samples = Vec::new();
                each_sample(&row, options.ask.times(), &mut |sample| {
                    if !samples.is_empty() {
                        samples.push(b',');
                    }
                    put_sample_json(sample, &mut samples);
                    Ok(())
                })?;
                write!(out, "{{\"labels\":{},\"samples\":[", Json::from(labels(&row)))?;
                out.write_all(&samples)?;
                out.write_all(b"]}\n")?;
            }
        }
    }
    work.series_decoded += series.decoded_count();
    if options.count && options.json {
        writeln!(out, "{}", json!({ "series": count, "samples": sample_count }))?;
    } else if options.count {
        writeln!(out, "{sample_count}")?;
    }
    Ok(count)
}

fn labels(row: &MergedRow<'_>) -> Map<String, Json> {
    row.labels.iter().map(|label| (text(label.0).into_owned(), text(label.1).into())).collect()
}

/// Hands out the samples of a series, by time; of equal times the first block's.
fn each_sample(
    row: &MergedRow<'_>,
    times: Option<Interval>,
    each: &mut dyn FnMut(&Sample) -> Result<()>,
) -> Result<()> {
    let times = times.unwrap_or(Interval { min_time: i64::MIN, max_time: i64::MAX });
    let mut merged = row.samples(times)?;
    while let Some(sample) = merged.next()? {
        each(&sample)?;
    }
    Ok(())
}

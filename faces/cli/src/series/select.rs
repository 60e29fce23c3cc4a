//! `manicule series select`: the series that a selector selects, with their samples if wanted.

use std::ffi::OsString;
use std::io::Write;

use anyhow::Result;
use manicule::series::dump::{put_downsampled_json, put_sample_json};
use manicule::series::json::Labelled;
use manicule::series::query::{Blocks, Choice, Downsampled, MergedRow, ShownValue, Work};
use manicule::series::{Aggregate, Interval, Sample, Selector, ShownLabels};
use serde_json::json;

use super::input::{Input, receipt, resolution, selector_of, time};
use super::salvage;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader, json, json_bytes};
use crate::table::format::Sheet;
use crate::table::listed::with_sheet;

pub(super) static COMMAND: Command = Command {
    name: "select",
    operands: "SELECTOR [PATH...]",
    summary: "list the series that match a selector, and their samples",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] SELECTOR [PATH...]",
            about: "\
Lists the series that match a selector, in the order of their labels. PATH is a block, an index, or a data folder, whose blocks
are read as one; without one, the current folder.

  up                                          by the name of the metric
  'up{job=~\"api|web\",instance!=\"h0:80\"}'    = != =~ !~ as in PromQL; Go's regular expressions
  '{\"http.size\",\"service.name\"=\"s1\"}'       names that need quotes",
        }],
        notes: "\
A series whose samples are all deleted by tombstones is not selected; `series labels` still lists its labels.",
        exit: "0 when something was selected, 1 when nothing was, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, |call, out| {
    salvage::hinted(call.options.input.skip_damaged, answer(call, out))
})
.at_addresses()
.taking(&[
    Operand::Word(set!(|o, word| o.selector = word)),
    Operand::Paths(|o| &mut o.input.paths),
]);

static FLAGS: &[Flag<Options>] = with_sheet![
    shared::RECURSIVE
        .here("Read every data folder below PATH, as one.")
        .sets(|o| &mut o.input.recursive),
    spec(
        "samples",
        "",
        "Print each sample: SERIES VALUE TIME, the time in milliseconds since 1970.",
    )
    .sets(|o| &mut o.samples),
    shared::START
        .here("Start at this time: series with chunks in the range, and their samples.")
        .does(set!(|o, value| o.input.start = Some(time(&value)?))),
    shared::END.does(set!(|o, value| o.input.end = Some(time(&value)?))),
    shared::AGGREGATE
        .does(set!(|o, value| o.choice.aggregate = Some(value.choice(&Aggregate::ALL)?))),
    shared::RESOLUTION.does(set!(|o, value| o.choice.resolution = Some(resolution(&value)?))),
    shared::LIMIT
        .here("Print at most NUM series.")
        .does(set!(|o, value| o.limit = Some(value.number()?))),
    shared::SKIP_DAMAGED
        .here("Skip damaged blocks, series and chunks; each is reported on standard error.")
        .more("With --json a last object has them too.")
        .sets(|o| &mut o.input.skip_damaged),
    shared::COUNT
        .here("Print the number of series; with --samples, of their samples.")
        .sets(|o| &mut o.count),
    shared::JSON
        .more("With --samples, as `series dump --format json` writes them.")
        .sets(|o| &mut o.json),
    shared::RECEIPT.sets(|o| &mut o.receipt),
];

#[derive(Default)]
struct Options {
    input: Input,
    selector: OsString,
    choice: Choice,
    samples: bool,
    limit: Option<u64>,
    count: bool,
    json: bool,
    receipt: bool,
    sheet: Sheet,
}

struct Call {
    options: Options,
    selector: Selector,
    limit: u64,
}

fn finish(mut options: Options) -> Result<Call> {
    let selector = selector_of(std::mem::take(&mut options.selector))?;
    let limit = options.limit.unwrap_or(u64::MAX);
    Ok(Call { options, selector, limit })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let options = &call.options;
    if !options.sheet.is_plain() {
        let table = if options.samples { "series.samples" } else { "series.series" };
        return options
            .input
            .listed(table)
            .with("selector", [&call.selector])
            .limit(options.limit)
            .dear(options.samples.then_some("labels"))
            .refuse(&[
                ("--skip-damaged", options.input.skip_damaged),
                ("--aggregate", options.choice.aggregate.is_some()),
                ("--resolution", options.choice.resolution.is_some()),
                ("--count", options.count),
                ("--json", options.json),
                ("--receipt", options.receipt),
            ])
            .print(&options.sheet, out);
    }
    let moment = options.input.open()?.moment();
    let blocks = moment.blocks().choose(options.choice)?;
    out.in_pages();
    let mut work = Work::default();
    let count = if options.count && !options.samples {
        count(&blocks, call, &mut work)?
    } else {
        print(&blocks, call, out, &mut work)?
    };
    if options.count && !options.samples {
        if options.json {
            writeln!(out, "{}", json!({ "series": count }))?
        } else {
            writeln!(out, "{count}")?
        }
    }
    if let Some(salvage) = moment.salvage.as_ref().filter(|salvage| !salvage.is_empty()) {
        if options.json {
            writeln!(out, "{}", json!({ "skipped": json(salvage) }))?;
        }
        salvage::tell(salvage);
    }
    if options.receipt {
        receipt(&work, options.json, out)?;
    }
    Ok(exit::if_any(count > 0))
}

/// Number of series, from posting lists alone where they suffice.
fn count(blocks: &Blocks<'_>, call: &Call, work: &mut Work) -> Result<u64> {
    let selectors = std::slice::from_ref(&call.selector);
    let count = match blocks.count(selectors, work)? {
        Some(count) => count,
        None => {
            let mut series = blocks.series(selectors, work)?;
            let mut count = 0;
            while count < call.limit && series.next()?.is_some() {
                count += 1;
            }
            work.series_decoded += series.decoded_count();
            count
        }
    };
    Ok(count.min(call.limit))
}

/// Prints the series, or their numbers of samples; returns the number of series.
fn print(blocks: &Blocks<'_>, call: &Call, out: &mut impl Write, work: &mut Work) -> Result<u64> {
    let options = &call.options;
    let mut series = blocks.series(std::slice::from_ref(&call.selector), work)?;
    let (mut count, mut sample_count) = (0, 0u64);
    while count < call.limit
        && let Some(row) = series.next()?
    {
        count += 1;
        match (options.samples, options.json) {
            (false, false) => writeln!(out, "{}", ShownLabels(&row.labels))?,
            (false, true) => {
                let mut line = json_bytes(Labelled(&row.labels));
                line.push(b'\n');
                out.write_all(&line)?;
            }
            (true, _) => {
                for stream in row.streams() {
                    sample_count += samples(&row, stream, options, out)?;
                }
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

/// Prints the samples of a series, raw ones or those of an aggregate, unless they are only counted;
/// returns their number.
fn samples(
    row: &MergedRow<'_>,
    stream: Option<Downsampled>,
    options: &Options,
    out: &mut impl Write,
) -> Result<u64> {
    let mut count = 0;
    if options.count {
        each_sample(row, stream, options.input.times(), &mut |_| {
            count += 1;
            Ok(())
        })?;
        return Ok(count);
    }
    if !options.json {
        let shown = row.labels_of(stream, |labels| ShownLabels(labels).to_string());
        each_sample(row, stream, options.input.times(), &mut |sample| {
            count += 1;
            writeln!(out, "{shown} {} {}", ShownValue(&sample.value), sample.time)?;
            Ok(())
        })?;
        return Ok(count);
    }
    let mut samples = Vec::new();
    each_sample(row, stream, options.input.times(), &mut |sample| {
        if !samples.is_empty() {
            samples.push(b',');
        }
        count += 1;
        put_sample_json(sample, &mut samples);
        Ok(())
    })?;
    // Of several aggregates those that are not there are left out.
    if count > 0 || row.streams().len() == 1 {
        let mut line = json_bytes(Labelled(&row.labels));
        // The object goes on.
        line.pop();
        row.shown(stream).iter().for_each(|own| put_downsampled_json(*own, &mut line));
        line.extend(b",\"samples\":[");
        out.write_all(&line)?;
        out.write_all(&samples)?;
        out.write_all(b"]}\n")?;
    }
    Ok(count)
}

/// Hands out samples of a series, by time; of equal times the first block's.
fn each_sample(
    row: &MergedRow<'_>,
    stream: Option<Downsampled>,
    times: Option<Interval>,
    each: &mut dyn FnMut(&Sample) -> Result<()>,
) -> Result<()> {
    let times = times.unwrap_or(Interval { min_time: i64::MIN, max_time: i64::MAX });
    let mut merged = row.samples_of(stream, times)?;
    while let Some(sample) = merged.next()? {
        each(&sample)?;
    }
    Ok(())
}

//! `manicule series dump`: series and samples of blocks as text.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use manicule::output::put_whole;
use manicule::series::dump::{DumpFormat, Dumped};
use manicule::series::{Aggregate, DumpCall, Selector};
use manicule::watch::Watch;

use super::input::{Input, resolution, selector, time};
use super::salvage;
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "dump",
    operands: "[PATH...]",
    summary: "dump samples as OpenMetrics, as JSON, or in promtool's format",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] [PATH...]",
            about: "\
Prints the samples of blocks as text, series by series. PATH is a block or a data folder, whose blocks are read as one; without
one, the current folder.",
        }],
        notes: "\
OpenMetrics can't represent native histograms, staleness markers, and series without a metric name: they are skipped, and their
number is reported on standard error.",
        exit: "0 when something was written, 1 when there was nothing to write, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, finish, Reader::Needed, |options, out| {
    salvage::hinted(options.input.skip_damaged, answer(options, out))
})
.at_addresses()
.taking(&[Operand::Paths(|o| &mut o.input.paths)]);

static FLAGS: &[Flag<Options>] = &[
    shared::RECURSIVE
        .here("Read every data folder below PATH, as one.")
        .sets(|o| &mut o.input.recursive),
    shared::FORMAT
        .choices(&[
            ("openmetrics", "one line per sample, times in seconds, for `series build`"),
            ("json", "one object per series, with all samples, histograms included"),
            ("plain", "as `promtool tsdb dump` writes them"),
            ("seriesjson", "one object per series, labels only, as promtool writes them"),
        ])
        .does(set!(|o, value| o.call.format = value.choice(&[
            DumpFormat::OpenMetrics,
            DumpFormat::Json,
            DumpFormat::Plain,
            DumpFormat::SeriesJson,
        ])?)),
    shared::MATCH.does(set!(|o, value| o.call.selectors.push(selector(value.text()?)?))),
    shared::START.does(set!(|o, value| o.input.start = Some(time(&value)?))),
    shared::END.does(set!(|o, value| o.input.end = Some(time(&value)?))),
    shared::AGGREGATE
        .does(set!(|o, value| o.call.choice.aggregate = Some(value.choice(&Aggregate::ALL)?))),
    shared::RESOLUTION.does(set!(|o, value| o.call.choice.resolution = Some(resolution(&value)?))),
    shared::SKIP_DAMAGED
        .here("Skip damaged blocks, series and chunks; each is reported on standard error.")
        .sets(|o| &mut o.input.skip_damaged),
    shared::OUTPUT_FILE.does(set!(|o, value| o.output = Some(value.path()))),
];

struct Options {
    input: Input,
    call: DumpCall,
    output: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        let call = DumpCall { selectors: Vec::new(), ..DumpCall::new() };
        Options { input: Input::default(), call, output: None }
    }
}

fn finish(mut options: Options) -> Result<Options> {
    if options.call.selectors.is_empty() {
        options.call.selectors.push(Selector::everything());
    }
    Ok(options)
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    let data = options.input.open()?;
    let write = |out: &mut dyn Write, watch: &Watch<'_>| -> Result<Dumped> {
        Ok(data.dump(&options.call, out, watch)?)
    };
    let dumped = match &options.output {
        None => write(out, &Watch::none())?,
        Some(path) => watched(Show::Progress, Signals::Noted, |watch| {
            put_whole(path, |out| write(out, watch))
        })
        .with_context(|| path.display().to_string())?,
    };
    tell(&dumped);
    data.moment().salvage.iter().for_each(salvage::tell);
    Ok(exit::if_any(dumped.series > 0))
}

/// Says what could not be written.
fn tell(dumped: &Dumped) {
    let left_out = [
        (dumped.histograms, "native histogram", "--format json has them"),
        (dumped.stale, "stale mark", "--format json has them"),
        (dumped.unnamed, "series", "without a metric's name in UTF-8; --format json has them"),
    ];
    for (count, what, more) in left_out.into_iter().filter(|row| row.0 > 0) {
        let counted =
            if what == "series" { format!("{count} series") } else { counted(count, what) };
        say(&format_args!("left out {counted} that OpenMetrics can't carry: {more}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said() {
        let error = JOB.parsed("--format xml").err().unwrap().to_string();
        assert_eq!(error, "--format is openmetrics, json, plain or seriesjson, not \"xml\"");
    }

    #[test]
    fn without_a_selector_everything_is_selected() {
        let options = JOB.parsed("--format plain x").unwrap();
        assert_eq!(options.call.selectors.len(), 1);
        assert!(options.call.selectors[0].selects(|_| b""));
    }
}

//! `manicule series dump`: series and samples of blocks as text.
//!
//! Callers: series

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::output::put_whole;
use manicule::series::dump::{DumpFormat, Dumped, dump};
use manicule::series::query::Blocks;
use manicule::series::{Interval, Selector};
use manicule::watch::Watch;

use super::ask::{Ask, selector};
use super::salvage;
use crate::messages::say;
use crate::print::{Print, Reader, command};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

pub(super) const HELP: &str = "\
manicule series dump [OPTIONS] [PATH...]
    The samples of blocks as text, series by series. PATH is a block or a data folder, whose blocks are read
    as one; without one, the current folder.

        --format FORMAT   openmetrics: a line a sample, times in seconds, for `series build` (the default)
                          json: an object a series, with all samples, histograms too
                          plain: as `promtool tsdb dump` writes them
                          seriesjson: an object a series, labels only, as promtool writes them
        --match SELECTOR  only series that it selects; several times: that one of them selects
        --start TIME      only samples from this time on: seconds since 1970, RFC 3339,
                          2024-04-05 (UTC), now, -2h
        --end TIME        only samples up to this time
        --skip-damaged    leave out blocks, series and chunks that are damaged; standard error names each
    -o, --output FILE     where it goes, in place of standard output; it appears when it is whole
    -h, --help            this text

    OpenMetrics can't carry native histograms, marks of stale series, and series without a metric's name:
    they are left out, and standard error tells how many.
    Exit code: 0 when something was written, 1 when there was nothing to write, 2 when something failed.
";

struct Options {
    ask: Ask,
    selectors: Vec<Selector>,
    format: DumpFormat,
    output: Option<PathBuf>,
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
    let times = options.ask.times();
    let blocks = Blocks::new(&opened, times).skip_damaged(options.ask.salvage.as_ref());
    let times = times.unwrap_or(Interval { min_time: i64::MIN, max_time: i64::MAX });
    let write = |out: &mut dyn Write, watch: &Watch<'_>| -> Result<Dumped> {
        Ok(dump(&blocks, &options.selectors, times, options.format, out, watch)?)
    };
    let dumped = match &options.output {
        None => write(out, &Watch::none())?,
        Some(path) => watched(Show::Progress, Signals::Noted, |watch| {
            put_whole(path, |out| write(out, watch))
        })
        .with_context(|| path.display().to_string())?,
    };
    tell(&dumped);
    options.ask.salvage.iter().for_each(salvage::tell);
    Ok(u8::from(dumped.series == 0))
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Options>> {
    let (ask, format) = (Ask::default(), DumpFormat::OpenMetrics);
    let mut options = Options { ask, selectors: Vec::new(), format, output: None };
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Long("format") => options.format = format_of(&parser.value()?.string()?)?,
            Long("match") => options.selectors.push(selector(&parser.value()?.string()?)?),
            Long("start") => options.ask.set_time("start", &parser.value()?.string()?)?,
            Long("end") => options.ask.set_time("end", &parser.value()?.string()?)?,
            Long("skip-damaged") => options.ask.salvage = Some(salvage::new()),
            Short('o') | Long("output") => options.output = Some(parser.value()?.into()),
            Value(path) => options.ask.paths.push(path.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    if options.selectors.is_empty() {
        options.selectors.push(Selector::everything());
    }
    Ok(Some(options))
}

fn format_of(text: &str) -> Result<DumpFormat> {
    match text {
        "openmetrics" => Ok(DumpFormat::OpenMetrics),
        "json" => Ok(DumpFormat::Json),
        "plain" => Ok(DumpFormat::Plain),
        "seriesjson" => Ok(DumpFormat::SeriesJson),
        _ => bail!("--format is openmetrics, json, plain or seriesjson, not {text:?}"),
    }
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
        let words: Vec<OsString> = ["--format", "xml"].map(OsString::from).into();
        let error = parse(&words).err().unwrap().to_string();
        assert_eq!(error, "--format is openmetrics, json, plain or seriesjson, not \"xml\"");
    }

    #[test]
    fn without_a_selector_everything_is_selected() {
        let words: Vec<OsString> = ["--format", "plain", "x"].map(OsString::from).into();
        let options = parse(&words).unwrap().unwrap();
        assert_eq!(options.selectors.len(), 1);
        assert!(options.selectors[0].selects(|_| b""));
    }
}

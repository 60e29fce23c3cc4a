//! `manicule series analyze`: what a block's space is spent on, and what grew since another.
//!
//! Callers: series

mod growth;
mod json;
mod text;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::series::growth::growth;
use manicule::series::{
    AnalyzeOptions, Block, Bytes, Chunks, Matcher, Matrix, analyze, block_paths, open_newest,
};

use super::ask::selector;
use crate::messages::say;
use crate::print::{Print, Reader, command};
use crate::progress::{Show, Signals, watched};

pub(super) const HELP: &str = "\
manicule series analyze [OPTIONS] BLOCK|INDEX|FOLDER
    Who takes the room: the lists of `promtool tsdb analyze`, with the same numbers, and what each label
    takes in the index. Of a data folder the newest block is analysed, or the one that --block names; if
    the newest can't be opened, that is said, and the next is taken.
manicule series analyze [OPTIONS] BLOCK|INDEX|FOLDER --against OLD
    What grew since OLD, another block, index or data folder (or the name of another block of FOLDER): by
    metric, by label and by label value: series, those that came and went, bytes of samples and of the
    index. The largest growth comes first.

    --against OLD        what grew since then; of data folders the newest blocks are compared
    --match SELECTOR     only series that this selects, as '{job=\"node\"}'
    --by LABEL           the series of each value of LABEL, by metric: --by job
    --bytes              the bytes of samples by metric and by label value; with --by of each value too
    --limit N            at most N rows of each list (20)
    --matrix             which labels the largest metrics have: series and distinct values of each
    --extended           how full the chunks are: samples, bytes and buckets
    --block ULID         this block of a data folder
    --bars WHEN          a picture of each list
                         auto: on a terminal (the default)
                         always: everywhere
                         never: nowhere
    --json               one object
    -h, --help           this text

    Rows with the same count are in the order of their names. A series without chunks lasts no time.
    Bytes of samples are those of chunks in their files, with lengths and checksums. What tombstones delete
    takes its room until a compaction, and counts.
    Exit code: 0, 1 where the matchers select nothing, 2 when something failed.
";

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Needed, |out| answer(words, out))
}

struct Options {
    path: PathBuf,
    block: Option<String>,
    against: Option<PathBuf>,
    matchers: Option<(String, Vec<Matcher>)>,
    by: Option<String>,
    limit: usize,
    matrix: Matrix,
    chunks: Chunks,
    bytes: Bytes,
    bars: bool,
    json: bool,
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Options>> {
    let mut options = Options {
        path: PathBuf::new(),
        block: None,
        against: None,
        matchers: None,
        by: None,
        limit: 20,
        matrix: Matrix::LeaveOut,
        chunks: Chunks::LeaveOut,
        bytes: Bytes::LeaveOut,
        bars: std::io::stdout().is_terminal(),
        json: false,
    };
    let mut path = None;
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Long("match") => {
                let text = parser.value()?.string()?;
                let selector = selector(&text)?;
                options.matchers = Some((text, selector.matchers().to_vec()));
            }
            Long("against") => options.against = Some(parser.value()?.into()),
            Long("by") => options.by = Some(parser.value()?.string()?),
            Long("limit") => options.limit = parser.value()?.parse().context("--limit")?,
            Long("block") => options.block = Some(parser.value()?.string()?),
            Long("matrix") => options.matrix = Matrix::Count,
            Long("extended") => options.chunks = Chunks::Read,
            Long("bytes") => options.bytes = Bytes::Sum,
            Long("bars") => match parser.value()?.string()?.as_str() {
                "auto" => {}
                "always" => options.bars = true,
                "never" => options.bars = false,
                other => bail!("--bars {other}: it is auto, always or never"),
            },
            Long("json") => options.json = true,
            Value(value) if path.is_none() => path = Some(PathBuf::from(value)),
            other => return Err(other.unexpected().into()),
        }
    }
    options.path = path.context("which block? Give its folder, its index, or a data folder")?;
    let is_analysis = options.by.is_some()
        || options.matrix == Matrix::Count
        || options.chunks == Chunks::Read
        || options.bytes == Bytes::Sum;
    if options.against.is_some() && is_analysis {
        bail!(
            "--against tells what grew, bytes included: leave out --by, --bytes, --matrix and \
             --extended, which tell of one block"
        );
    }
    Ok(Some(options))
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(options) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let picked = pick(&options.path, options.block.as_deref())?;
    let (text, count, failed) = match &options.against {
        None => analysed(&picked, &options)?,
        Some(old) => grown(&picked, old, &options)?,
    };
    out.write_all(text.as_bytes())?;
    let found_none = options.matchers.is_some() && count == 0;
    Ok(if failed { 2 } else { u8::from(found_none) })
}

/// The text, how many series matched, and whether a newer block was passed over.
type Answer = (String, u64, bool);

fn analysed(picked: &Picked, options: &Options) -> Result<Answer> {
    let block = &picked.block;
    let matchers = options.matchers.as_ref().map_or(&[][..], |matchers| &matchers.1);
    let Options { limit, matrix, chunks, bytes, .. } = *options;
    let by = options.by.as_ref().map(|by| by.as_bytes());
    let asked = AnalyzeOptions { matchers, limit, matrix, chunks, bytes, by };
    let analysis = watched(Show::Progress, Signals::Noted, |watch| analyze(block, &asked, watch))?;
    let text = match options.json {
        true => format!("{}\n", json::analysis(block, &analysis)),
        false => text::analysis(picked, &analysis, options)?,
    };
    Ok((text, analysis.matched_count, picked.failed))
}

fn grown(picked: &Picked, old: &Path, options: &Options) -> Result<Answer> {
    // A block of the same folder may be named as --block does.
    let name = old.to_str().filter(|_| !old.exists());
    let old = match name.filter(|name| options.path.join(name).exists()) {
        Some(name) => pick(&options.path, Some(name))?,
        None => pick(old, None)?,
    };
    let same = |block: &Block| block.path().canonicalize().ok();
    if same(&picked.block).is_some_and(|path| Some(path) == same(&old.block)) {
        bail!(
            "{}: nothing grows against itself; give another block to --against, by its path or name",
            picked.block.path().display()
        );
    }
    let matchers = options.matchers.as_ref().map_or(&[][..], |matchers| &matchers.1);
    let growth = growth(&old.block, &picked.block, matchers, options.limit)?;
    let text = match options.json {
        true => format!("{}\n", growth::json(&picked.block, &old.block, &growth)),
        false => growth::text(picked, &old, &growth, options)?,
    };
    Ok((text, growth.series.before + growth.series.now, picked.failed || old.failed))
}

/// The block that is analysed, and out of what.
struct Picked {
    block: Block,
    /// The data folder and how many blocks it has, where the block was picked from one.
    folder: Option<(PathBuf, usize)>,
    /// Whether a block of the folder couldn't be opened.
    failed: bool,
}

/// Opens the block that is meant: the newest of a folder, or the one that is named. The others are not opened.
fn pick(path: &Path, name: Option<&str>) -> Result<Picked> {
    let folder = path.display();
    let Some(name) = name else {
        let mut failed = false;
        let newest = open_newest(path, &mut |error| {
            say(&error);
            failed = true;
        })?;
        let (block, count) =
            newest.with_context(|| format!("{folder} has no block that can be opened"))?;
        let folder = (block.path() != path).then(|| (path.to_owned(), count));
        return Ok(Picked { block, folder, failed });
    };
    let paths = block_paths(path)?;
    let named = paths.iter().find(|path| path.file_name().is_some_and(|file| file == name));
    let named = named.with_context(|| format!("{folder} has no block {name}"))?;
    let folder = (named != path).then(|| (path.to_owned(), paths.len()));
    Ok(Picked { block: Block::open(named)?, folder, failed: false })
}

//! `manicule series analyze`: what a block's space is spent on, and what grew since another.

mod growth;
mod options;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use manicule::series::analyze::{
    self as asked, AnalyzeOptions, Bytes, Chunks, Matrix, Picked, growth,
};
use manicule::series::json::{Analysed, Compared};
use manicule::series::{Block, analyze};
use options::Options;

use super::input::{name_below, selector, tell_unread};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::picture::Bars;
use crate::print::{Print, Reader, json, typed};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "analyze",
    operands: "BLOCK|FOLDER|INDEX",
    summary: "show what a block's space is spent on: cardinality, churn, bytes of each label",
    help: Help {
        calls: &[
            Usage {
                words: "[OPTIONS] BLOCK|INDEX|FOLDER",
                about: "\
Shows what a block's space is spent on: the lists of `promtool tsdb analyze`, with the same numbers, and the index bytes of each
label. For a data folder the newest block is analyzed, or the one given by --block; if the newest can't be opened, that is
reported, and the next one is used.",
            },
            Usage {
                words: "[OPTIONS] BLOCK|INDEX|FOLDER --against OLD",
                about: "\
With --against, shows what grew since OLD, another block, index or data folder (or the name of another block of FOLDER): by
metric, by label and by label value: series, series added and removed, bytes of samples and of the index. The largest growth is
first.",
            },
        ],
        notes: "\
Rows with the same count are sorted by name. A series without chunks has a duration of 0. Bytes of samples are those of chunks in
their files, with lengths and checksums. Data deleted by tombstones use space until a compaction, and count.",
        exit: "0 on success, 1 when the matchers select nothing, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Words, Options> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.options.path)]);

static FLAGS: &[Flag<Words>] = &[
    spec("against", "", "Show what grew since OLD; for data folders, compare the newest blocks.")
        .takes("OLD")
        .does(set!(|o, value| o.options.against = Some(value.path()))),
    shared::MATCH.more("For example '{job=\"node\"}'.").does(|o, value| {
        let text = value.string()?;
        let matchers = selector(&text)?.matchers().to_vec();
        o.options.matchers = Some((text, matchers));
        Ok(())
    }),
    spec("by", "", "Count the series of each value of LABEL, by metric: --by job.")
        .takes("LABEL")
        .does(set!(|o, value| o.options.by = Some(value.string()?))),
    spec("bytes", "", "Show the bytes of samples by metric and by label value.")
        .more("With --by, also for each value.")
        .does(set!(|o| o.options.bytes = Bytes::Sum)),
    shared::LIMIT
        .here("Print at most NUM rows of each list. Default: 20.")
        .does(set!(|o, value| o.options.limit = value.number()?)),
    spec("matrix", "", "Show which labels the largest metrics have.")
        .more("With the number of series and distinct values of each.")
        .does(set!(|o| o.options.matrix = Matrix::Count)),
    spec("extended", "", "Show how full the chunks are: samples, bytes and buckets.")
        .does(set!(|o| o.options.chunks = Chunks::Read)),
    spec("block", "", "Analyze this block of a data folder.")
        .takes("ULID")
        .does(set!(|o, value| o.options.block = Some(value.string()?))),
    shared::BARS.does(set!(|o, value| o.bars = Bars::of(&value)?)),
    shared::JSON_ONE.sets(|o| &mut o.options.json),
];

/// What the command line says.
struct Words {
    bars: Bars,
    options: Options,
}

impl Default for Words {
    fn default() -> Words {
        let options = Options {
            path: PathBuf::new(),
            block: None,
            against: None,
            matchers: None,
            by: None,
            limit: 20,
            matrix: Matrix::LeaveOut,
            chunks: Chunks::LeaveOut,
            bytes: Bytes::LeaveOut,
            bars: false,
            json: false,
        };
        Words { bars: Bars::Auto, options }
    }
}

fn finish(words: Words) -> Result<Options> {
    let mut options = words.options;
    options.bars = words.bars.are_wanted();
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
    Ok(options)
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    let picked = pick(&options.path, options.block.as_deref())?;
    let (text, count) = match &options.against {
        None => analysed(&picked, options)?,
        Some(old) => grown(&picked, old, options)?,
    };
    out.write_all(text.as_bytes())?;
    let found_none = options.matchers.is_some() && count == 0;
    Ok(exit::if_any(!found_none))
}

/// The text, and how many series matched.
type Answer = (String, u64);

fn analysed(picked: &Picked, options: &Options) -> Result<Answer> {
    let block = &picked.block;
    let matchers = options.matchers.as_ref().map_or(&[][..], |matchers| &matchers.1);
    let Options { limit, matrix, chunks, bytes, .. } = *options;
    let by = options.by.as_ref().map(|by| by.as_bytes());
    let asked = AnalyzeOptions { matchers, limit, matrix, chunks, bytes, by };
    let analysis = watched(Show::Progress, Signals::Noted, |watch| analyze(block, &asked, watch))?;
    let text = if options.json {
        let analysis = Analysed { block, analysis: &analysis };
        format!("{}\n", typed("analysis", json(analysis)))
    } else {
        text::analysis(picked, &analysis, options)?
    };
    Ok((text, analysis.matched_count))
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
    let text = if options.json {
        let (block, against) = (&picked.block, &old.block);
        let compared = Compared { block, against, growth: &growth };
        format!("{}\n", typed("growth", json(compared)))
    } else {
        growth::text(picked, &old, &growth, options)?
    };
    Ok((text, growth.series.before + growth.series.now))
}

/// Opens the block that is meant. Where the newest can't be opened, another one has to be named.
fn pick(path: &Path, name: Option<&str>) -> Result<Picked> {
    let picked = asked::pick(path, name).map_err(|error| {
        let is_damaged = name.is_none() && error.is_damage() && path.is_dir();
        let hint = if is_damaged { "; --block names another one of a data folder" } else { "" };
        let error = anyhow!(error);
        if hint.is_empty() { name_below(error, "") } else { anyhow!("{error}{hint}") }
    })?;
    tell_unread(&picked.left_out);
    Ok(picked)
}

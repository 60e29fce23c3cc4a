//! `manicule series split`: a block cut into several.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use manicule::series::json::LongIndex;
use manicule::series::merge::MergeError;
use manicule::series::split::{
    IndexLens, IndexMax, PARTS_MAX, SplitBy, SplitPart, WriteError, each_block, parts_below,
    time_parts,
};
use manicule::series::{Block, Error, ExternalLabels, SplitCall, open_block, split};

use super::external::{EXTERNAL_LABEL, add};
use super::input::{only_block, tell_unread};
use super::{block_row, memory};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "split",
    operands: "-o DIR BLOCK...",
    summary: "split a block into several, by series or by time",
    help: Help {
        calls: &[
            Usage { words: "-o DIR [--index-max SIZE] BLOCK...", about: "" },
            Usage { words: "-o DIR --parts NUM BLOCK", about: "" },
            Usage {
                words: "-o DIR --by time --range TIME BLOCK",
                about: "\
Splits a block, which is not changed, into complete blocks: by series, or by time. Data deleted by tombstones are dropped. Parts
without samples are not written.

Without --parts and --range, blocks (or all that are in a folder) whose index is longer than --index-max are split by series, into
as few parts as make each index shorter; others are not changed.",
            },
        ],
        notes: "\
An index can't be longer than 64 GiB; its symbol table, lists and tables not longer than 4 GiB each. An index may have a quarter
of that unless --index-max is given, and its sections always a quarter: Prometheus's compactor merges three adjacent blocks, into
an index as long as theirs together if they share no series. It also merges blocks that overlap in time, as parts by series do,
unless that is disabled.

A series belongs to part H modulo NUM. H is the first eight bytes, big-endian, of the SHA-256 over its labels in order:
each the length of its name in four bytes, big-endian, the name, the length of its value, the value.

The meta files name BLOCK as a parent: in one data folder Prometheus considers it replaced, and removes it.",
        exit: "\
0 when blocks were written, 1 when there was no sample or no index that is too long, 2 when something failed; parts written before
that are kept.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Paths(|o| &mut o.blocks)]);

static FLAGS: &[Flag<Options>] = &[
    shared::OUTPUT_PLACE.does(set!(|o, value| o.output = Some(value.path()))),
    spec("by", "", "How to divide series and samples. Default: hash.")
        .takes("hash|time")
        .choices(&[
            ("hash", "by a hash of the labels"),
            ("time", "at multiples of --range since 1970"),
        ])
        .does(set!(|o, value| o.by = value.choice(&[By::Hash, By::Time])?)),
    spec("parts", "", "Number of parts to divide the series into.")
        .takes("NUM")
        .does(set!(|o, value| o.parts = Some(value.number()?))),
    spec("range", "", "Duration of a part, such as 2h or 1d.")
        .takes("TIME")
        .does(set!(|o, value| o.range = Some(value.duration_ms()?))),
    spec("index-max", "", "Maximum length of an index, such as 4GiB. Default: 16GiB.")
        .takes("SIZE")
        .does(set!(|o, value| o.index_max = Some(value.size()?))),
    EXTERNAL_LABEL.more("Default: those of BLOCK.").does(|o, value| add(&mut o.external_labels, &value)),
    memory::SPLIT.flag.does(set!(|o, value| o.memory = value.memory()?)),
    shared::JSON
        .here("Print one JSON object per line: one for each part; without --parts and --range also for each BLOCK.")
        .sets(|o| &mut o.json),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Hash,
    Time,
}

struct Options {
    blocks: Vec<PathBuf>,
    output: Option<PathBuf>,
    external_labels: ExternalLabels,
    by: By,
    parts: Option<u32>,
    range: Option<i64>,
    index_max: Option<u64>,
    memory: u64,
    json: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            blocks: Vec::new(),
            output: None,
            external_labels: ExternalLabels::new(),
            by: By::Hash,
            parts: None,
            range: None,
            index_max: None,
            memory: memory::SPLIT.len,
            json: false,
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// One block, cut like that.
    By(SplitBy),
    /// Every block whose index is too long.
    TooLong(IndexMax),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Call {
    blocks: Vec<PathBuf>,
    output: PathBuf,
    external_labels: ExternalLabels,
    how: How,
    memory: u64,
    json: bool,
}

fn finish(options: Options) -> Result<Call> {
    let how = how(&options)?;
    let Options { blocks, output, external_labels, memory, json, .. } = options;
    let output = output.context("say with -o DIR where the blocks go")?;
    if let ([_, second, ..], How::By(_)) = (&blocks[..], how) {
        bail!("one block at a time is cut by --parts or --range, not also {}", second.display());
    }
    Ok(Call { blocks, output, external_labels, how, memory, json })
}

fn how(options: &Options) -> Result<How> {
    let max = IndexMax::QUARTER;
    Ok(match (options.by, options.parts, options.range) {
        (By::Hash, None, None) => {
            How::TooLong(IndexMax { file: options.index_max.unwrap_or(max.file), ..max })
        }
        _ if options.index_max.is_some() => {
            bail!("--index-max chooses how many parts there are: leave out --parts and --by time")
        }
        (By::Hash, Some(parts @ 1..=PARTS_MAX), None) => How::By(SplitBy::Hash { parts }),
        (By::Hash, Some(_), None) => bail!("--parts is between 1 and {PARTS_MAX}"),
        (By::Time, None, Some(range @ 1..)) => How::By(SplitBy::Time { range }),
        _ => bail!("say --parts NUM, or --by time and --range TIME such as 2h"),
    })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    match call.how {
        How::By(by) => {
            let block = open_block(&only_block(call.blocks[0].clone()))?;
            if let (SplitBy::Time { range }, Some(meta)) = (by, block.meta()) {
                let parts = time_parts(meta.min_time, meta.max_time, range);
                if parts > PARTS_MAX.into() {
                    bail!(
                        "--range makes {parts} parts of this block; at most {PARTS_MAX} are made"
                    );
                }
            }
            let parts = cut(call, &block, by)?;
            tell(call, &parts, out)?;
            Ok(exit::if_any(!parts.is_empty()))
        }
        How::TooLong(max) => {
            let mut any = false;
            for block in each_block(&call.blocks, tell_unread) {
                any |= cut_too_long(call, &block?, max, out)?;
            }
            Ok(exit::if_any(any))
        }
    }
}

fn cut(call: &Call, block: &Block, by: SplitBy) -> Result<Vec<SplitPart>> {
    let Call { output, external_labels, memory, .. } = call.clone();
    let job = SplitCall { output, external_labels, by, memory };
    let done = watched(Show::Progress, Signals::Noted, |watch| split(block, &job, watch));
    let done = done.map_err(|error| no_part_is_short(error, by))?;
    block_row::warn_of_parents(&call.output, done.is_beside.into());
    Ok(done.parts)
}

/// Cuts a block if its index is too long, and prints what was done. Returns whether blocks were
/// made.
fn cut_too_long(call: &Call, block: &Block, max: IndexMax, out: &mut Print) -> Result<bool> {
    let index = IndexLens::of(block)?;
    let Err(why) = index.check(&max) else {
        if call.json {
            out.report("block", LongIndex { block, index: &index, max, parts: 1 })?
        } else {
            writeln!(
                out,
                "{}  the index has {} bytes, the most is {}: nothing to do",
                block.path().display(),
                index.file,
                max.file,
            )?
        }
        return Ok(false);
    };
    let by = |parts| SplitBy::Below { parts, max };
    let parts = parts_below(block, &max);
    let parts = parts.map_err(|error| no_part_is_short(error.into(), by(PARTS_MAX)))?;
    if call.json {
        out.report("block", LongIndex { block, index: &index, max, parts })?
    } else {
        writeln!(out, "{}  {}: {parts} parts", block.path().display(), too_long(&why))?;
    }
    let made = cut(call, block, by(parts))?;
    tell(call, &made, out)?;
    Ok(!made.is_empty())
}

/// What is too long, and by how much.
fn too_long(why: &WriteError) -> String {
    match why {
        WriteError::TooLong { what, len, len_max } => {
            let what = what.replace("the file", "the index");
            format!("{what} has {len} bytes, the most is {len_max}")
        }
        other => other.to_string(),
    }
}

/// Where no number of parts helps, that is what is said.
fn no_part_is_short(error: Error, by: SplitBy) -> anyhow::Error {
    match (error, by) {
        (
            Error::Make(MergeError::Index(why @ WriteError::TooLong { .. })),
            SplitBy::Below { .. },
        ) => {
            anyhow!("{}, even in the smallest part: give a larger --index-max", too_long(&why))
        }
        (error, _) => error.into(),
    }
}

/// Tells of the parts.
fn tell(call: &Call, parts: &[SplitPart], out: &mut Print) -> Result<()> {
    for part in parts {
        let (number, of, text) = (part.number, part.of, block_row::text(&part.block));
        match (call.json, call.how) {
            (true, _) => {
                out.report("part", part)?;
            }
            (false, How::By(_)) => write!(out, "part {number}  {text}")?,
            (false, How::TooLong(_)) => {
                let len = part.index.file;
                writeln!(out, "part {number} of {of}  {}, index {len} bytes", text.trim_end())?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_what_the_format_allows_is_the_default() {
        let call = JOB.parsed("-o out a b").unwrap();
        let max = IndexMax { file: 16 << 30, section: 1 << 30 };
        assert_eq!((call.how, call.blocks.len()), (How::TooLong(max), 2));
        let max = IndexMax { file: 10 << 20, ..max };
        assert_eq!(JOB.parsed("-o out --index-max 10M a").unwrap().how, How::TooLong(max));
        let row = FLAGS.iter().find(|flag| flag.spec.long == "index-max").expect("a row");
        assert!(row.spec.help.contains("such as 4GiB. Default: 16GiB."));
    }

    #[test]
    fn what_does_not_go_together_is_said() {
        for (line, want) in [
            ("-o x --index-max 1M --parts 2 a", "--index-max chooses how many parts there are"),
            ("-o x --index-max 1M --by time --range 2h a", "--index-max chooses how many parts"),
            ("-o x --by time a", "say --parts NUM, or --by time and --range TIME such as 2h"),
            ("-o x --range 2h a", "say --parts NUM, or --by time and --range TIME such as 2h"),
            ("-o x --by size a", "--by is hash or time, not \"size\""),
            ("-o x --parts 2 a b", "one block at a time is cut by --parts or --range, not also b"),
            ("-o x", "missing BLOCK"),
            ("a", "say with -o DIR where the blocks go"),
        ] {
            let error = format!("{:#}", JOB.parsed(line).unwrap_err());
            assert!(error.starts_with(want), "{line}: {error}");
        }
    }
}

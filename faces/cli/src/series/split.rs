//! `manicule series split`: a block cut into several.
//!
//! Callers: series

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use lexopt::prelude::*;
use manicule::blocks::fresh_names;
use manicule::series::merge::MergeError;
use manicule::series::split::{
    IndexLens, IndexMax, PARTS_MAX, SplitBy, SplitPart, parts_below, split, time_parts,
};
use manicule::series::write::WriteError;
use manicule::series::{Block, Target, block_paths};
use serde_json::{Value as Json, json};

use super::made;
use crate::print::{Print, Reader, command};
use crate::progress::{Show, Signals, watched};
use crate::units::{self, duration_ms, size};

pub(super) const HELP: &str = "\
manicule series split -o DIR [--index-max SIZE] BLOCK...
manicule series split -o DIR --parts N BLOCK
manicule series split -o DIR --by time --range TIME BLOCK
    Cuts a block, which stays as it is, into whole blocks: by its series, or by time. What tombstones
    delete is gone. Parts without samples are not made.
    Without --parts and --range, blocks (or all that are in a folder) whose index is longer than
    --index-max are cut by their series, into as few parts as have shorter ones; others are left alone.

    -o, --output DIR   where the blocks go; it is made where it is missing
    --by hash|time     by a hash of the labels (the default), or at multiples of --range since 1970
    --parts N          into how many parts series are cut
    --range TIME       how long a part is, such as 2h or 1d
    --index-max SIZE   how long an index may be, such as 4GiB (16GiB)
    --memory SIZE      memory for posting lists of an index (512MiB, at least 16MiB)
    --json             an object a line for each part; without --parts and --range also for each BLOCK
    -h, --help         this text

    An index can't be longer than 64 GiB; its symbol table, lists and tables not longer than 4 GiB each.
    A quarter of that is left to an index unless --index-max says otherwise, and always to its sections:
    Prometheus's compactor makes one block of three neighbours, whose index is as long as theirs together
    where no series is in two of them. It also makes one block of such as overlap in time, as parts by
    series do, unless it is told not to.

    A series belongs to part H modulo N. H is the first eight bytes, big-endian, of the SHA-256 over its
    labels in order: each the length of its name in four bytes, big-endian, the name, the length of its
    value, the value.
    The meta files name BLOCK as a parent: in one data folder Prometheus takes it for replaced, and
    removes it.
    Exit code: 0 when blocks were made, 1 when there was no sample or no index that is too long, 2 when
    something failed; parts that were made before stay.
";

const MEMORY: u64 = 512 << 20;

const NOTHING: u8 = 1;

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
    how: How,
    memory: u64,
    json: bool,
}

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Optional, |out| answer(words, out))
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(call) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    match call.how {
        How::By(by) => {
            let block = Block::open(&call.blocks[0])?;
            if let (SplitBy::Time { range }, Some(meta)) = (by, block.meta()) {
                let parts = time_parts(meta.min_time, meta.max_time, range);
                if parts > PARTS_MAX.into() {
                    bail!(
                        "--range makes {parts} parts of this block; at most {PARTS_MAX} are made"
                    );
                }
            }
            let parts = cut(&call, &block, by)?;
            tell(&call, &parts, out)?;
            Ok(u8::from(parts.is_empty()))
        }
        How::TooLong(max) => {
            let mut code = NOTHING;
            for input in &call.blocks {
                for path in block_paths(input)? {
                    if cut_too_long(&call, &Block::open(&path)?, max, out)? {
                        code = 0;
                    }
                }
            }
            Ok(code)
        }
    }
}

fn cut(call: &Call, block: &Block, by: SplitBy) -> Result<Vec<SplitPart>> {
    let target = Target::open(&call.output).with_context(|| call.output.display().to_string())?;
    let names = fresh_names().context("there are no random bytes for the names of blocks")?;
    let parts = watched(Show::Progress, Signals::Noted, |watch| {
        split(block, &target, by, call.memory, names, watch)
    });
    let parts = parts.map_err(|error| no_part_is_short(error, by))?;
    if !parts.is_empty() {
        made::warn_of_parents(&call.output, std::slice::from_ref(block));
    }
    Ok(parts)
}

/// Cuts a block if its index is too long, and prints what was done. Returns whether blocks were made.
fn cut_too_long(call: &Call, block: &Block, max: IndexMax, out: &mut Print) -> Result<bool> {
    let index = IndexLens::of(block)?;
    let Err(why) = index.check(&max) else {
        match call.json {
            true => writeln!(out, "{}", block_json(block, &index, max, 1))?,
            false => writeln!(
                out,
                "{}  the index has {} bytes, the most is {}: nothing to do",
                block.path().display(),
                index.file,
                max.file,
            )?,
        }
        return Ok(false);
    };
    let by = |parts| SplitBy::Below { parts, max };
    let parts = parts_below(block, &max).map_err(|error| no_part_is_short(error, by(PARTS_MAX)))?;
    match call.json {
        true => writeln!(out, "{}", block_json(block, &index, max, parts))?,
        false => {
            writeln!(out, "{}  {}: {parts} parts", block.path().display(), too_long(&why))?;
        }
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
fn no_part_is_short(error: MergeError, by: SplitBy) -> anyhow::Error {
    match (error, by) {
        (MergeError::Index(why @ WriteError::TooLong { .. }), SplitBy::Below { .. }) => {
            anyhow!("{}, even in the smallest part: give a larger --index-max", too_long(&why))
        }
        (error, _) => error.into(),
    }
}

/// Tells of the parts.
fn tell(call: &Call, parts: &[SplitPart], out: &mut Print) -> Result<()> {
    for part in parts {
        let (number, of, text) = (part.number, part.of, made::text(&part.block));
        match (call.json, call.how) {
            (true, _) => {
                let (block, index) = (made::json(&part.block), lens_json(&part.index));
                let row = json!({
                    "type": "part", "part": number, "of": of, "block": block, "index": index,
                });
                writeln!(out, "{row}")?;
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

fn block_json(block: &Block, index: &IndexLens, max: IndexMax, parts: u32) -> Json {
    json!({
        "type": "block",
        "path": block.path().to_string_lossy(),
        "index": lens_json(index),
        "index_max": max.file,
        "section_max": max.section,
        "parts": parts,
    })
}

fn lens_json(index: &IndexLens) -> Json {
    json!({
        "len": index.file,
        "symbols": index.symbols,
        "longest_list": index.list,
        "postings_table": index.table,
    })
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Call>> {
    let (mut blocks, mut output, mut by, mut index_max) = (Vec::new(), None, None, None);
    let (mut parts, mut range, mut memory, mut json) = (None, None, MEMORY, false);
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Short('o') | Long("output") => output = Some(PathBuf::from(parser.value()?)),
            Long("by") => by = Some(parser.value()?.string()?),
            Long("parts") => parts = Some(parser.value()?.parse::<u32>().context("--parts")?),
            Long("range") => range = Some(duration_ms(&parser.value()?.string()?)?),
            Long("index-max") => index_max = Some(size(&parser.value()?.string()?)?),
            Long("memory") => memory = units::memory(&parser.value()?.string()?)?,
            Long("json") => json = true,
            Value(path) => blocks.push(PathBuf::from(path)),
            other => return Err(other.unexpected().into()),
        }
    }
    let how = match (by.as_deref(), parts, range) {
        (Some(by), ..) if by != "hash" && by != "time" => {
            bail!("--by is hash or time, not {by:?}")
        }
        (None | Some("hash"), None, None) => {
            let max = IndexMax::QUARTER;
            How::TooLong(IndexMax { file: index_max.unwrap_or(max.file), ..max })
        }
        _ if index_max.is_some() => {
            bail!("--index-max chooses how many parts there are: leave out --parts and --by time")
        }
        (None | Some("hash"), Some(parts @ 1..=PARTS_MAX), None) => {
            How::By(SplitBy::Hash { parts })
        }
        (None | Some("hash"), Some(_), None) => bail!("--parts is between 1 and {PARTS_MAX}"),
        (Some("time"), None, Some(range @ 1..)) => How::By(SplitBy::Time { range }),
        _ => bail!("say --parts N, or --by time and --range TIME such as 2h"),
    };
    let output = output.context("say with -o DIR where the blocks go")?;
    match (&blocks[..], how) {
        ([], _) => bail!("a block is wanted: manicule series split -o DIR BLOCK"),
        ([_, second, ..], How::By(_)) => {
            bail!("one block at a time is cut by --parts or --range, not also {}", second.display())
        }
        _ => {}
    }
    Ok(Some(Call { blocks, output, how, memory, json }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Call> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Ok(parse(&words)?.expect("no help was wanted"))
    }

    #[test]
    fn a_quarter_of_what_the_format_allows_is_the_default() {
        let call = parsed("-o out a b").unwrap();
        let max = IndexMax { file: 16 << 30, section: 1 << 30 };
        assert_eq!((call.how, call.blocks.len()), (How::TooLong(max), 2));
        let max = IndexMax { file: 10 << 20, ..max };
        assert_eq!(parsed("-o out --index-max 10M a").unwrap().how, How::TooLong(max));
        assert!(HELP.contains("such as 4GiB (16GiB)"));
    }

    #[test]
    fn what_does_not_go_together_is_said() {
        for (line, want) in [
            ("-o x --index-max 1M --parts 2 a", "--index-max chooses how many parts there are"),
            ("-o x --index-max 1M --by time --range 2h a", "--index-max chooses how many parts"),
            ("-o x --by time a", "say --parts N, or --by time and --range TIME such as 2h"),
            ("-o x --range 2h a", "say --parts N, or --by time and --range TIME such as 2h"),
            ("-o x --by size a", "--by is hash or time, not \"size\""),
            ("-o x --parts 2 a b", "one block at a time is cut by --parts or --range, not also b"),
            ("-o x", "a block is wanted"),
            ("a", "say with -o DIR where the blocks go"),
        ] {
            let error = format!("{:#}", parsed(line).unwrap_err());
            assert!(error.starts_with(want), "{line}: {error}");
        }
    }
}

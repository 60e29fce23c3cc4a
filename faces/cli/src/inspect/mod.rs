//! `manicule inspect` and `manicule verify`: what a path is, what it holds, and whether that is right.
//!
//! Callers: main

pub(crate) mod block;
mod block_file;
mod shard;
mod tree;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::cache::Cache;
use manicule::code::shards::ShardError;
use manicule::code::tree::InspectError;
use manicule::inspect::{self, Error, IndexFile, Inspected, Verified};
use manicule::kinds::{Call, Kind, Place, place_of_blocks, places};
use manicule::series::BlockError;
use manicule::watch::Watch;
use serde_json::{Value as Json, json};

use crate::below::below;
use crate::messages::say;
use crate::print::{self, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

pub(crate) const INSPECT_HELP: &str = "\
manicule inspect [PATH...] [--json]
    What the index of the tree at PATH holds (default: the current folder; an index of a tree above it
    counts): where it lies, its sizes, its posting lists, and how far the tree has moved on since.
manicule inspect FILE [--hex SECTION] [--all] [--json]
    The parts of a file of an index, with their offsets. --hex shows a section's bytes, the first 4096
    of them, or all with --all.
manicule inspect SHARD|FOLDER [--hex SECTION] [--all] [--json]
    What a zoekt shard holds: its sections, repositories, languages, what was skipped and why, its posting
    lists. Of a folder of shards: a line each, and the sums.
manicule inspect BLOCK|INDEX|FOLDER [--json]
    What a Prometheus block holds: its times, samples and series, what it was made from, its files and the
    sections of its index. Of a data folder: a line for each block, and the sums.
manicule inspect INDEX --hex SECTION [--all]
    The bytes of a section of a block's index: symbols, series, postings, table, toc.
manicule inspect BLOCK/chunks/000001|BLOCK/tombstones|BLOCK/meta.json [--json]
    Another file of a block by itself: each chunk with its offset, length, encoding, samples and times; each
    deleted time; the fields of the meta file.

    --hex SECTION   the bytes of a section, the first 4096 of them
    --all           all of them
    --json          an object
";

pub(crate) const SERIES_INSPECT_HELP: &str = "\
manicule series inspect BLOCK|INDEX|FOLDER [--json]
    What a Prometheus block holds: its times, samples and series, what it was made from, its files and the
    sections of its index. Of a data folder: a line for each block, and the sums.
manicule series inspect BLOCK/chunks/000001|BLOCK/tombstones|BLOCK/meta.json [--json]
    A file of a block by itself: each chunk with its offset, length, encoding, samples and times; each
    deleted time; the fields of the meta file.
manicule series inspect FILE --hex SECTION [--all]
    The bytes of a section of an index (symbols, series, postings, table, toc) or another file, the first
    4096 of them, or all with --all.

    --hex SECTION   the bytes of a section, the first 4096 of them
    --all           all of them
    --json          an object, or one for each block, chunk or deleted time

    Exit code: 0, 1 when something of it is damaged, 2 when it can't be read.
";

pub(crate) const SERIES_VERIFY_HELP: &str = "\
manicule series verify BLOCK|INDEX|FOLDER [--threads N] [--json]
    Checks a Prometheus block, an index by itself, or all blocks of a data folder: every checksum, order,
    offset and reference, that posting lists and series agree, that every chunk decodes to the times that the
    index says, and that the meta file tells what is there. What is odd and yet legal is a warning; of a
    folder also blocks that overlap in time, or are copies of each other.
manicule series verify BLOCK/chunks/000001|BLOCK/tombstones|BLOCK/meta.json [--threads N] [--json]
    Checks a file of a block by itself.

    --threads N     how many threads work, 1 or more (as many as there are cores)
    --json          an object a finding, then a summary

    As `manicule verify`, and whatever the path looks like: also where damage hides what it is.
    Exit code: 0 when all is right, 1 when something is wrong, 2 when the path can't be read.
";

pub(crate) const VERIFY_HELP: &str = "\
manicule verify [PATH...] [--threads N] [--json]
    Checks the index of the tree at PATH (default: the current folder; an index of a tree above it counts):
    every checksum, offset, order and count, and that it agrees with the files that have not changed since,
    whose grams are computed again. An index that is wrong is removed, and the next find has another built.
    Of a FILE of an index: what can be told from the file itself.
manicule verify SHARD|FOLDER [--threads N] [--json]
    Checks a zoekt shard, or all of a folder: every offset, order, count and checksum, and that its posting
    lists name each trigram of each document where it stands.
manicule verify BLOCK|INDEX|FOLDER [--threads N] [--json]
    Checks a Prometheus block, an index by itself, or all blocks of a data folder: every checksum, order,
    offset and reference, that posting lists and series agree, that every chunk decodes to the times that the
    index says, and that the meta file tells what is there. What is odd and yet legal is a warning; of a
    folder also blocks that overlap in time, or are copies of each other. A block's other files by
    themselves too: chunks/000001, tombstones, meta.json.

    --threads N     how many threads work, 1 or more (as many as there are cores)
    --json          an object a finding, then a summary

    Exit code 1 when something is wrong, 2 when the path can't be read.
";

/// So much of a section `--hex` shows.
const HEX_LEN: usize = 4096;

const FAILED: u8 = 2;

/// Which of the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Inspect,
    /// Whatever the paths look like, as blocks.
    InspectSeries,
    Verify,
    /// Whatever the paths look like, as blocks.
    VerifySeries,
}

/// Answers `manicule inspect`: 0 when there was something to show, 1 when there is no sound index, 2 when it failed.
pub(crate) fn run_inspect(words: &[OsString]) -> ExitCode {
    run(words, Command::Inspect)
}

/// Answers `manicule verify`: 0 when all is right, 1 when something is wrong or not there, 2 when it failed.
pub(crate) fn run_verify(words: &[OsString]) -> ExitCode {
    run(words, Command::Verify)
}

/// Answers `manicule series inspect`: as `manicule inspect`, for blocks whatever the paths look like.
pub(crate) fn run_inspect_series(words: &[OsString]) -> ExitCode {
    run(words, Command::InspectSeries)
}

/// Answers `manicule series verify`: as `manicule verify`, for blocks whose damage hides what they are.
pub(crate) fn run_verify_series(words: &[OsString]) -> ExitCode {
    run(words, Command::VerifySeries)
}

fn run(words: &[OsString], command: Command) -> ExitCode {
    print::command(Reader::Optional, |out| match Options::parse(words, command, out)? {
        Some(options) => answer(&options, command, out),
        None => Ok(0),
    })
}

struct Options {
    paths: Vec<PathBuf>,
    json: bool,
    hex: Option<String>,
    all: bool,
    threads: usize,
}

impl Options {
    /// `None` where only help was wanted, and given.
    fn parse(words: &[OsString], command: Command, out: &mut Print) -> Result<Option<Self>> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (json, hex, all) = (false, None, false);
        let mut options = Options { paths: Vec::new(), json, hex, all, threads };
        let mut parser = lexopt::Parser::from_args(words.iter().cloned());
        while let Some(word) = parser.next()? {
            match (word, command) {
                (Short('h') | Long("help"), _) => {
                    let help = match command {
                        Command::Inspect => INSPECT_HELP,
                        Command::InspectSeries => SERIES_INSPECT_HELP,
                        Command::Verify => VERIFY_HELP,
                        Command::VerifySeries => SERIES_VERIFY_HELP,
                    };
                    out.write_all(help.as_bytes())?;
                    return Ok(None);
                }
                (Long("json"), _) => options.json = true,
                (Long("threads"), _) => {
                    options.threads = parser.value()?.parse().context("--threads")?;
                    if options.threads == 0 {
                        bail!("--threads is 1 or more, not 0");
                    }
                }
                (Long("hex"), Command::Inspect | Command::InspectSeries) => {
                    options.hex = Some(parser.value()?.string()?);
                }
                (Long("all"), Command::Inspect | Command::InspectSeries) => options.all = true,
                (Value(path), _) => options.paths.push(path.into()),
                (other, _) => return Err(other.unexpected().into()),
            }
        }
        if options.paths.is_empty() {
            options.paths.push(".".into());
        }
        Ok(Some(options))
    }
}

/// Answers for each path, and for each kind of what it holds. The code is the worst of all.
fn answer(options: &Options, command: Command, out: &mut Print) -> Result<u8> {
    let cache = Cache::of_user();
    let mut worst = 0;
    for path in &options.paths {
        let places = match command {
            Command::Inspect | Command::Verify => places(path, cache.as_ref()),
            Command::InspectSeries | Command::VerifySeries => {
                place_of_blocks(path).map(|place| vec![place])
            }
        };
        let places = places.unwrap_or_else(|error| {
            worst = worst.max(refuse(&error));
            Vec::new()
        });
        for place in places {
            worst = worst.max(answer_for(&place, cache.as_ref(), options, command, out)?);
        }
    }
    Ok(worst)
}

fn answer_for(
    place: &Place,
    cache: Option<&Cache>,
    options: &Options,
    command: Command,
    out: &mut Print,
) -> Result<u8> {
    if place.kind == Kind::SourceTree && told_below(&place.path, command, cache) {
        return Ok(1);
    }
    let threads = options.threads;
    match command {
        Command::Inspect | Command::InspectSeries => {
            inspect_place(place, &Call { cache, threads, watch: &Watch::none() }, options, out)
        }
        Command::Verify | Command::VerifySeries => {
            let verified =
                verify(|watch, failed| place.verify(&Call { cache, threads, watch }, failed));
            show_or_refuse(&place.path, verified, cache, options, out)
        }
    }
}

/// Removes an index of ours that was found wrong, and says so.
fn discard(path: &Path, verified: &Verified, cache: Option<&Cache>) {
    match cache.map_or(Ok(false), |cache| inspect::discard(verified, cache)) {
        Ok(true) => say(&format_args!(
            "{}: the index was wrong and has been removed; `find` searches all files until it has another",
            path.display()
        )),
        Ok(false) => {}
        Err(error) => say(&format_args!(
            "{}: the index is wrong and can't be removed: {error}; `manicule cache build --all` makes it again",
            path.display()
        )),
    }
}

/// Says what lies below a folder that holds no index itself, if anything does. A tree with an index is shown in any case.
fn told_below(path: &Path, command: Command, cache: Option<&Cache>) -> bool {
    let word = if command == Command::Inspect { "inspect" } else { "verify" };
    let Some(below) = below(path, word) else { return false };
    let is_indexed = inspect::is_indexed(path, cache);
    match is_indexed {
        true => say(&below),
        false => say(&format_args!("{} has no index itself; {below}", path.display())),
    }
    !is_indexed
}

fn show_or_refuse(
    path: &Path,
    verified: (Result<Verified, Error>, u8),
    cache: Option<&Cache>,
    options: &Options,
    out: &mut Print,
) -> Result<u8> {
    let (verified, worst) = verified;
    let code = match verified {
        Ok(verified) => {
            // Whoever reads the findings or not: no answer may rest on such an index.
            discard(path, &verified, cache);
            show_verified(path, &verified, options, out)?
        }
        Err(error) => refuse(&error),
    };
    Ok(code.max(worst))
}

fn inspect_place(place: &Place, call: &Call<'_>, options: &Options, out: &mut Print) -> Result<u8> {
    if options.hex.is_some() {
        match place.parts() {
            Ok(Some(file)) => return show_file(&file, options, out),
            Ok(None) => {}
            Err(error) => return Ok(refuse(&error)),
        }
    }
    let path = &place.path;
    match place.inspect(call) {
        Ok(Inspected::Tree(tree)) => tree::show(&tree, options, out),
        Ok(Inspected::File(file)) => show_file(&file, options, out),
        Ok(Inspected::Shard(shard)) => shard::show(&shard, options, out),
        Ok(Inspected::Shards(shards)) => shard::show_folder(path, &shards, options, out),
        Ok(Inspected::Block(block)) => block::show(&block, options, out),
        Ok(Inspected::Blocks(blocks)) => block::show_folder(path, &blocks, options, out),
        Ok(Inspected::BlockFile(file)) => block_file::show(&file, options, out),
        Err(error) => {
            let code = refuse(&error);
            // Of a damaged shard or index there may still be parts to show.
            if let Error::Shard(ShardError::Damaged { .. })
            | Error::Block(BlockError::Damaged { .. }) = error
                && let Ok(Some(file)) = place.parts()
            {
                show_file(&file, options, out)?;
            }
            Ok(code)
        }
    }
}

/// Says why there is no answer. What isn't there or isn't sound is 1, what failed is 2.
fn refuse(error: &Error) -> u8 {
    say(error);
    match error {
        Error::Damaged { .. }
        | Error::Shard(ShardError::Damaged { .. } | ShardError::Sidecar { .. })
        | Error::Block(BlockError::Damaged { .. } | BlockError::Meta { .. })
        | Error::Tree(
            InspectError::NoIndex(_) | InspectError::NotYet { .. } | InspectError::Damaged { .. },
        ) => 1,
        _ => FAILED,
    }
}

fn show_file(file: &IndexFile, options: &Options, out: &mut Print) -> Result<u8> {
    if let Some(name) = &options.hex {
        let Some((bytes, at)) = file.section(name) else {
            let names = file.section_names().join(", ");
            say(&format_args!("there is no section {name:?}; this file has {names}"));
            return Ok(FAILED);
        };
        let shown = if options.all { bytes.len() } else { bytes.len().min(HEX_LEN) };
        out.write_all(hex(&bytes[..shown], at).as_bytes())?;
        if shown < bytes.len() {
            writeln!(out, "{} more bytes; --all shows them", bytes.len() - shown)?;
        }
        return Ok(0);
    }
    if !options.json {
        write!(out, "{}", file.outline)?;
        return Ok(0);
    }
    for row in &file.outline.rows {
        let len = row.bytes.end - row.bytes.start;
        let value = &row.value;
        let row = json!({
            "type": "section", "of": file.kind, "name": row.name,
            "offset": row.bytes.start, "len": len, "value": value,
        });
        writeln!(out, "{row}")?;
    }
    Ok(0)
}

/// Bytes as `hexdump -C` shows them, from offset `at` on.
fn hex(bytes: &[u8], at: u64) -> String {
    let mut out = String::new();
    for (row, bytes) in bytes.chunks(16).enumerate() {
        let digits = |bytes: &[u8]| {
            bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
        };
        let (left, right) = bytes.split_at(bytes.len().min(8));
        let shown = |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
        let text: String = bytes.iter().map(shown).collect();
        let (at, left, right) = (at + row as u64 * 16, digits(left), digits(right));
        let _ = writeln!(out, "{at:08x}  {left:<23}  {right:<23}  |{text}|");
    }
    out
}

/// Verifies with a line of progress. What can't be read of a folder is said after it, and counts in the code.
fn verify(
    run: impl FnOnce(&Watch<'_>, &mut dyn FnMut(Error)) -> Result<Verified, Error>,
) -> (Result<Verified, Error>, u8) {
    let mut failed = Vec::new();
    let verified = watched(Show::Progress, Signals::Noted, |watch| {
        run(watch, &mut |error| failed.push(error))
    });
    (verified, failed.iter().map(refuse).max().unwrap_or(0))
}

fn show_verified(
    path: &Path,
    verified: &Verified,
    options: &Options,
    out: &mut Print,
) -> Result<u8> {
    let findings = verified.findings().iter().map(|finding| ("finding", finding));
    let warnings = verified.warnings().iter().map(|warning| ("warning", warning));
    for (kind, finding) in findings.chain(warnings) {
        match (options.json, kind) {
            (true, _) => writeln!(
                out,
                "{}",
                json!({
                    "type": kind, "file": finding.file, "section": finding.section,
                    "offset": finding.offset, "what": finding.what,
                })
            )?,
            (false, "warning") => writeln!(out, "warning: {finding}")?,
            (false, _) => writeln!(out, "{finding}")?,
        }
    }
    let count = verified.finding_count();
    let code = u8::from(count > 0);
    if options.json {
        let mut last = json!({
            "type": "verified", "path": path.to_string_lossy(), "ok": count == 0, "findings": count,
        });
        let more = match verified {
            Verified::Tree(verified) => tree::verified_as_json(verified),
            Verified::Shards(verified) => shard::verified_as_json(verified),
            Verified::Series(verified) => block::verified_as_json(verified),
        };
        if let (Some(last), Json::Object(more)) = (last.as_object_mut(), more) {
            last.extend(more);
        }
        writeln!(out, "{last}")?;
        return Ok(code);
    }
    let more = count - verified.findings().len() as u64;
    if more > 0 {
        writeln!(out, "and {more} more")?;
    }
    let (what, details) = match verified {
        Verified::Tree(verified) => tree::verified_as_text(verified),
        Verified::Shards(verified) => shard::verified_as_text(verified),
        Verified::Series(verified) => block::verified_as_text(verified),
    };
    match count {
        0 => writeln!(out, "ok: {what}")?,
        count => writeln!(out, "{}: {what}", counted(count, "finding"))?,
    }
    if let Some(details) = details {
        writeln!(out, "    {details}")?;
    }
    Ok(code)
}

fn percent(part: u64, whole: u64) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_as_hexdump_shows_them() {
        let shown = hex(b"MANTGRAM\x01\0\0\0\0\0\0\0abc", 16);
        assert_eq!(
            shown,
            "00000010  4d 41 4e 54 47 52 41 4d  01 00 00 00 00 00 00 00  |MANTGRAM........|\n\
             00000020  61 62 63                                          |abc|\n"
        );
    }
}

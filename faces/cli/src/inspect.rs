//! `manicule inspect` and `manicule verify`: what a path is, what it holds, and whether that is right.
//!
//! Callers: main

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lexopt::prelude::*;
use manicule::cache::{Cache, now_ns};
use manicule::code::tree::{
    InspectError, Inspection, SegmentInspection, Staleness, Verified, VerifyOptions,
};
use manicule::inspect::{self, Error, IndexFile, Inspected};
use serde_json::{Value as Json, json};

use crate::cache::{human_age, human_len, seconds_since};
use crate::messages::say;

const INSPECT_HELP: &str = "\
manicule inspect [PATH...] [--json]
    What the index of the tree at PATH holds (default: the current folder; an index of a tree above it
    counts): where it lies, its sizes, its posting lists, and how far the tree has moved on since.
manicule inspect FILE [--hex SECTION] [--all] [--json]
    The parts of a file of an index, with their offsets. --hex shows a section's bytes, the first 4096
    of them, or all with --all.
";

const VERIFY_HELP: &str = "\
manicule verify [PATH...] [--threads N] [--json]
    Checks the index of the tree at PATH (default: the current folder; an index of a tree above it counts):
    every checksum, offset, order and count, and that it agrees with the files that have not changed since,
    whose grams are computed again. Of a FILE of an index: what can be told from the file itself.
    Exit code 1 when something is wrong, 2 when the path can't be read.
";

/// So much of a section `--hex` shows.
const HEX_LEN: usize = 4096;

/// Work that is done sooner shows no progress.
const QUIET: Duration = Duration::from_secs(1);

const FAILED: u8 = 2;

/// Which of the two commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Inspect,
    Verify,
}

/// Answers `manicule inspect`: 0 when there was something to show, 1 when there is no sound index, 2 when it failed.
pub(crate) fn run_inspect(words: &[OsString]) -> ExitCode {
    run(words, Command::Inspect)
}

/// Answers `manicule verify`: 0 when all is right, 1 when something is wrong or not there, 2 when it failed.
pub(crate) fn run_verify(words: &[OsString]) -> ExitCode {
    run(words, Command::Verify)
}

fn run(words: &[OsString], command: Command) -> ExitCode {
    let code = Options::parse(words, command).and_then(|options| match options {
        Some(options) => answer(&options, command),
        None => Ok(0),
    });
    match code {
        Ok(code) => ExitCode::from(code),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format_args!("{error:#}"));
            ExitCode::from(FAILED)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    kind == Some(std::io::ErrorKind::BrokenPipe)
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
    fn parse(words: &[OsString], command: Command) -> Result<Option<Self>> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (json, hex, all) = (false, None, false);
        let mut options = Options { paths: Vec::new(), json, hex, all, threads };
        let mut parser = lexopt::Parser::from_args(words.iter().cloned());
        while let Some(word) = parser.next()? {
            match (word, command) {
                (Short('h') | Long("help"), _) => {
                    let help = match command {
                        Command::Inspect => INSPECT_HELP,
                        Command::Verify => VERIFY_HELP,
                    };
                    std::io::stdout().write_all(help.as_bytes())?;
                    return Ok(None);
                }
                (Long("json"), _) => options.json = true,
                (Long("threads"), _) => {
                    options.threads = parser.value()?.parse::<usize>()?.max(1);
                }
                (Long("hex"), Command::Inspect) => options.hex = Some(parser.value()?.string()?),
                (Long("all"), Command::Inspect) => options.all = true,
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

/// Answers for each path. The code is the worst of all.
fn answer(options: &Options, command: Command) -> Result<u8> {
    let cache = Cache::of_user();
    let mut worst = 0;
    for path in &options.paths {
        let code = match command {
            Command::Inspect => match inspect::inspect(path, cache.as_ref(), options.threads) {
                Ok(Inspected::Tree(tree)) => show_tree(&tree, options)?,
                Ok(Inspected::File(file)) => show_file(&file, options)?,
                Ok(_) => 0,
                Err(error) => refuse(&error),
            },
            Command::Verify => match verify(path, cache.as_ref(), options.threads) {
                Ok(verified) => show_verified(path, &verified, options)?,
                Err(error) => refuse(&error),
            },
        };
        worst = worst.max(code);
    }
    Ok(worst)
}

/// Says why there is no answer. What isn't there or isn't sound is 1, what failed is 2.
fn refuse(error: &Error) -> u8 {
    say(error);
    match error {
        Error::Damaged { .. }
        | Error::Tree(InspectError::NoIndex(_) | InspectError::Damaged { .. }) => 1,
        _ => FAILED,
    }
}

fn show_tree(tree: &Inspection, options: &Options) -> Result<u8> {
    if options.hex.is_some() {
        say(&format_args!(
            "--hex shows a section of a file; those of this index lie in {}",
            tree.path.display()
        ));
        return Ok(FAILED);
    }
    let text = match options.json {
        true => format!("{}\n", tree_as_json(tree)),
        false => tree_as_text(tree)?,
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

fn tree_as_text(tree: &Inspection) -> Result<String> {
    let mut out = String::new();
    let age = |ns: u64| human_age(now_ns().saturating_sub(ns) / 1_000_000_000);
    let used = tree.used_at.map(|used| format!(", used {} ago", human_age(seconds_since(used))));
    writeln!(out, "tree      {}", tree.root.display())?;
    writeln!(out, "index     {}", tree.path.display())?;
    writeln!(
        out,
        "made      {} ago{}, format version {}",
        age(tree.made_at_ns),
        used.unwrap_or_default(),
        tree.version
    )?;
    writeln!(
        out,
        "holds     {} files in {} folders, {} of text; {} names left out by rules from {} places",
        tree.file_count,
        tree.folder_count,
        human_len(tree.text_len),
        tree.other_count,
        tree.watched_count
    )?;
    writeln!(
        out,
        "          {} with a NUL, {} without grams, {} read in every call",
        tree.binary_count, tree.unknown_count, tree.unsure_count
    )?;
    writeln!(
        out,
        "takes     {}, {:.1} % of the text",
        human_len(tree.index_len()),
        percent(tree.index_len(), tree.text_len)
    )?;
    for (name, len) in &tree.files {
        writeln!(out, "          {name:<28} {:>9}", human_len(*len))?;
    }
    tree.segments.iter().try_for_each(|segment| segment_as_text(segment, &mut out))?;
    writeln!(out, "now       {}", staleness_as_text(tree.staleness.as_ref()))?;
    Ok(out)
}

fn segment_as_text(segment: &SegmentInspection, out: &mut String) -> Result<()> {
    let [median, ninetieth, hundredth, longest] = segment.lengths;
    writeln!(
        out,
        "segment   {}: {} pieces, {} live; {} lists with {} postings, {:.1} bits each",
        segment.name,
        segment.piece_count,
        segment.live_count,
        segment.list_count,
        segment.posting_count,
        segment.len as f64 * 8.0 / segment.posting_count.max(1) as f64
    )?;
    writeln!(
        out,
        "          pieces a list: half {median}, 90 % {ninetieth}, 99 % {hundredth}, all {longest} at most"
    )?;
    let dense = segment.densest.iter().map(|(gram, count, _)| {
        format!("{gram:?} {:.0} %", percent(u64::from(*count), u64::from(segment.piece_count)))
    });
    writeln!(out, "          densest: {}", dense.collect::<Vec<_>>().join(", "))?;
    Ok(())
}

fn staleness_as_text(staleness: Option<&Staleness>) -> String {
    let Some(stale) = staleness else { return "the tree can't be opened".to_owned() };
    let time = format!("checked in {:.1} ms", stale.check_us as f64 / 1e3);
    if *stale == (Staleness { check_us: stale.check_us, ..Staleness::default() }) {
        return format!("nothing has changed; {time}");
    }
    format!(
        "{} folders with other names, {} gone, {} with other rules, {} files changed; {time}",
        stale.folders_changed, stale.folders_gone, stale.rules_changed, stale.files_changed
    )
}

fn percent(part: u64, whole: u64) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

fn tree_as_json(tree: &Inspection) -> Json {
    let files = tree.files.iter().map(|(name, len)| json!({ "name": name, "len": len }));
    let segment = |segment: &SegmentInspection| {
        let densest = segment.densest.iter();
        let densest = densest
            .map(|(gram, pieces, len)| json!({ "gram": gram, "pieces": pieces, "len": len }));
        let [median, ninetieth, hundredth, longest] = segment.lengths;
        json!({
            "name": segment.name,
            "len": segment.len,
            "pieces": segment.piece_count,
            "pieces_live": segment.live_count,
            "lists": segment.list_count,
            "postings": segment.posting_count,
            "list_pieces": { "p50": median, "p90": ninetieth, "p99": hundredth, "max": longest },
            "densest": densest.collect::<Vec<_>>(),
        })
    };
    let staleness = tree.staleness.map(|stale| {
        json!({
            "folders_changed": stale.folders_changed,
            "folders_gone": stale.folders_gone,
            "rules_changed": stale.rules_changed,
            "files_changed": stale.files_changed,
            "check_us": stale.check_us,
        })
    });
    json!({
        "type": "tree",
        "tree": tree.root.to_string_lossy(),
        "index": tree.path.to_string_lossy(),
        "made_at_ns": tree.made_at_ns,
        "used_seconds_ago": tree.used_at.map(seconds_since),
        "version": tree.version,
        "piece_len": tree.piece_len,
        "folders": tree.folder_count,
        "files": tree.file_count,
        "files_with_nul": tree.binary_count,
        "files_unknown": tree.unknown_count,
        "files_unsure": tree.unsure_count,
        "names_left_out": tree.other_count,
        "rules_watched": tree.watched_count,
        "text_len": tree.text_len,
        "index_len": tree.index_len(),
        "index_files": files.collect::<Vec<_>>(),
        "segments": tree.segments.iter().map(segment).collect::<Vec<_>>(),
        "stale": staleness,
    })
}

fn show_file(file: &IndexFile, options: &Options) -> Result<u8> {
    let mut out = std::io::stdout().lock();
    if let Some(name) = &options.hex {
        let Some((bytes, at)) = file.section(name) else {
            let names = file.outline.rows.iter().map(|row| row.name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
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
            "type": "section", "of": file.kind.word(), "name": row.name,
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

/// Verifies, with a line of progress on a terminal where it takes longer.
fn verify(
    path: &std::path::Path,
    cache: Option<&Cache>,
    threads: usize,
) -> Result<Verified, Error> {
    let started = Instant::now();
    let bar: OnceLock<ProgressBar> = OnceLock::new();
    let progress = |done: u64, all: u64| {
        if started.elapsed() > QUIET {
            bar.get_or_init(|| new_bar(all)).set_position(done);
        }
    };
    let verified = inspect::verify(path, cache, &VerifyOptions { threads, progress: &progress });
    if let Some(bar) = bar.get() {
        bar.finish_and_clear();
    }
    verified
}

/// A bar on standard error; it draws nothing where that is no terminal.
fn new_bar(all: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("verifying {wide_bar} {bytes} of {total_bytes}, {eta} left")
    {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn show_verified(path: &std::path::Path, verified: &Verified, options: &Options) -> Result<u8> {
    let mut out = std::io::stdout().lock();
    for finding in &verified.findings {
        match options.json {
            true => writeln!(
                out,
                "{}",
                json!({
                    "type": "finding", "file": finding.file, "section": finding.section,
                    "offset": finding.offset, "what": finding.what,
                })
            )?,
            false => writeln!(out, "{finding}")?,
        }
    }
    let code = u8::from(!verified.is_ok());
    if options.json {
        writeln!(out, "{}", verified_as_json(path, verified))?;
        return Ok(code);
    }
    let more = verified.finding_count - verified.findings.len() as u64;
    if more > 0 {
        writeln!(out, "and {more} more")?;
    }
    let lists = format!(
        "{} files of the index ({}), {} lists with {} postings",
        verified.index_file_count,
        human_len(verified.index_len),
        verified.list_count,
        verified.posting_count
    );
    match verified.is_ok() {
        true => writeln!(out, "ok: {lists}")?,
        false => writeln!(out, "{} findings: {lists}", verified.finding_count)?,
    }
    if verified.files_compared + verified.files_changed > 0 {
        writeln!(
            out,
            "    {} files compared ({}, {} pieces), {} changed since, {} without grams; \
             {} folders compared, {} changed since",
            verified.files_compared,
            human_len(verified.read_len),
            verified.pieces_compared,
            verified.files_changed,
            verified.files_unknown,
            verified.folders_compared,
            verified.folders_changed
        )?;
    }
    Ok(code)
}

fn verified_as_json(path: &std::path::Path, verified: &Verified) -> Json {
    json!({
        "type": "verified",
        "path": path.to_string_lossy(),
        "ok": verified.is_ok(),
        "findings": verified.finding_count,
        "index_files": verified.index_file_count,
        "index_len": verified.index_len,
        "lists": verified.list_count,
        "postings": verified.posting_count,
        "folders_compared": verified.folders_compared,
        "folders_changed": verified.folders_changed,
        "files_compared": verified.files_compared,
        "files_changed": verified.files_changed,
        "files_unknown": verified.files_unknown,
        "pieces_compared": verified.pieces_compared,
        "bytes_read": verified.read_len,
    })
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

//! `manicule blobs stats`: how much snapshots hold, counted in restic's ways.

use std::io::Write;

use anyhow::Result;
use manicule::blobs::snapshots::bytes_in_words;
use manicule::blobs::stats::{Stats, StatsMode};
use manicule::blobs::{Ahead, Repository, StatsCall};

use super::choice::{Choice, with_choice};
use super::repo::Repo;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "stats",
    operands: "[SNAPSHOT...]",
    summary: "count what snapshots hold: restored, by contents, by blobs, or as stored",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] [SNAPSHOT...]",
            about: "\
Counts what snapshots hold, as `restic stats` does: all of them, or those given. SNAPSHOT is an id prefix, or latest. For what
each snapshot uses alone, see `blobs cost`.",
        }],
        notes: "\
raw-data counts each blob once; restic 0.19.1 counts a blob in several packs once for each.",
        exit: "0 when all was counted, 2 when something can't be read or failed: then there are no sums.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Words(set!(|o, word| o.words.push(word.to_string_lossy().into_owned())))]);

static FLAGS: &[Flag<Options>] = with_choice![
    spec("mode", "", "What to count. Default: restore-size.")
        .takes("MODE")
        .choices(&[
            ("restore-size", "what restoring each snapshot would write"),
            ("files-by-contents", "files with distinct contents"),
            ("blobs-per-file", "blobs of these files, each once per path"),
            ("raw-data", "distinct blobs as they are stored, trees included"),
        ])
        .does(set!(|o, value| o.mode = Some(value.choice(&MODES)?))),
    spec("json", "", "Print one object, as restic does.").sets(|o| &mut o.json),
];

const MODES: [StatsMode; 4] = [
    StatsMode::RestoreSize,
    StatsMode::FilesByContents,
    StatsMode::BlobsPerFile,
    StatsMode::RawData,
];

#[derive(Default)]
struct Options {
    repo: Repo,
    choice: Choice,
    words: Vec<String>,
    mode: Option<StatsMode>,
    json: bool,
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    options.repo.ask(Ahead::Index, out, |open, out| answer_of(options, open, out))
}

fn answer_of(options: &Options, open: &Repository, out: &mut Print) -> Result<u8> {
    let call = StatsCall {
        mode: options.mode.unwrap_or(StatsMode::RestoreSize),
        words: options.words.clone(),
        filter: options.choice.filter(),
    };
    let counted = watched(options.repo.show(), Signals::Noted, |watch| {
        let snapshots = open.snapshots(watch)?;
        open.stats(&snapshots, &call, watch)
    })?;
    if !counted.gaps.is_empty() {
        // What is missing is in no sum.
        counted.gaps.iter().for_each(|gap| say(gap));
        return Ok(exit::FAILED);
    }
    if options.json {
        writeln!(out, "{}", as_json(&counted))?
    } else {
        out.write_all(as_text(&counted, call.mode).as_bytes())?
    }
    Ok(exit::DONE)
}

/// Ratio, progress in percent, and saving in percent; 0 where there is nothing to compare.
fn compression(stats: &Stats) -> [f64; 3] {
    let share = |part: u64, all: u64| if all == 0 { 0.0 } else { part as f64 / all as f64 };
    let saving = match stats.uncompressed_size {
        0 => 0.0,
        all => (1.0 - stats.size as f64 / all as f64) * 100.0,
    };
    [
        share(stats.compressed_uncompressed_size, stats.compressed_size),
        share(stats.compressed_uncompressed_size, stats.uncompressed_size) * 100.0,
        saving,
    ]
}

/// Fields of zero are left out, as restic leaves them out.
fn as_json(stats: &Stats) -> String {
    let [ratio, progress, saving] = compression(stats);
    let mut json = format!("{{\"total_size\":{}", stats.size);
    if stats.uncompressed_size > 0 {
        json += &format!(",\"total_uncompressed_size\":{}", stats.uncompressed_size);
    }
    let shares = [
        ("compression_ratio", ratio),
        ("compression_progress", progress),
        ("compression_space_saving", saving),
    ];
    for (name, share) in shares.into_iter().filter(|(_, share)| *share != 0.0) {
        json += &format!(",\"{name}\":{share}");
    }
    for (name, count) in [("total_file_count", stats.files), ("total_blob_count", stats.blobs)] {
        if count > 0 {
            json += &format!(",\"{name}\":{count}");
        }
    }
    json + &format!(",\"snapshots_count\":{}}}", stats.snapshots)
}

fn as_text(stats: &Stats, mode: StatsMode) -> String {
    let word = match mode {
        StatsMode::RestoreSize => "restore-size",
        StatsMode::FilesByContents => "files-by-contents",
        StatsMode::BlobsPerFile => "blobs-per-file",
        StatsMode::RawData => "raw-data",
    };
    let [ratio, progress, saving] = compression(stats);
    let bytes = |len: u64| format!("{:<5}", bytes_in_words(len));
    let rows = [
        ("     Snapshots processed", Some(stats.snapshots.to_string())),
        ("        Total Blob Count", (stats.blobs > 0).then(|| stats.blobs.to_string())),
        ("        Total File Count", (stats.files > 0).then(|| stats.files.to_string())),
        (
            " Total Uncompressed Size",
            (stats.uncompressed_size > 0).then(|| bytes(stats.uncompressed_size)),
        ),
        ("              Total Size", Some(bytes(stats.size))),
        ("    Compression Progress", (progress > 0.0).then(|| format!("{progress:.2}%"))),
        ("       Compression Ratio", (ratio > 0.0).then(|| format!("{ratio:.2}x"))),
        ("Compression Space Saving", (saving > 0.0).then(|| format!("{saving:.2}%"))),
    ];
    let mut text = format!("scanning...\nStats in {word} mode:\n");
    for (what, value) in rows {
        if let Some(value) = value {
            text += &format!("{what}:  {value}\n");
        }
    }
    text
}

//! `manicule blobs cost`: what snapshots cost, and what deleting them would free.

use std::cmp::Reverse;
use std::io::Write;

use anyhow::{Result, bail};
use manicule::blobs::choose::snapshot_at;
use manicule::blobs::cost::{By, CostReport, CostRow};
use manicule::blobs::json::CostTotals;
use manicule::blobs::{Ahead, CostCall, Kept, Repository, Snapshot, SnapshotFilter, Snapshots};

use super::choice::{Choice, with_choice};
use super::repo::Repo;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};
use crate::table::format::Sheet;
use crate::table::listed::with_sheet;
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "cost",
    operands: "[SNAPSHOT...]",
    summary: "show exclusive and shared bytes of snapshots, hosts, tags and paths",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] [SNAPSHOT...]",
            about: "\
Shows how many bytes each snapshot references, and how many it alone references: those are freed when it is deleted and pruned.
The same for all snapshots of a host, with a tag, or with a path (--by). --host, --tag and --path select the rows; exclusive bytes
are still computed over all snapshots. With SNAPSHOTs, shows what deleting all of these together frees. SNAPSHOT is an id prefix,
or latest.",
        }],
        notes: "\
Bytes are stored lengths of blobs, each blob counted once; the bytes by which pack headers shrink are extra (freed_in_headers).
The exclusive bytes of single snapshots don't add up to those of a group: what two of them share, and no other has, is exclusive
to the two together. Blobs that no snapshot references, and duplicate copies, are freed by any prune; they are in no row.",
        exit: "0 when everything was counted, 2 when something can't be read or failed: then there are no sums.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Words(set!(|o, word| o.words.push(word.to_string_lossy().into_owned())))]);

static FLAGS: &[Flag<Options>] = with_sheet!(with_choice![
    spec("by", "", "Group by snapshot, host, tag or path.")
        .takes("WHAT")
        .one_of(&["snapshot", "host", "tag", "path"])
        .more("May be repeated. Default without SNAPSHOTs: all of them.")
        .does(set!(|o, value| o.by.push(by(value.text()?)?))),
    spec("oldest", "", "Count the NUM oldest snapshots together.")
        .takes("NUM")
        .does(set!(|o, value| o.oldest = Some(value.number()?))),
    spec("sort", "", "Sort the rows; sizes are in descending order.")
        .takes("WHAT")
        .one_of(&["bytes", "exclusive", "time"])
        .more("Default: snapshots by time, others by name.")
        .does(set!(|o, value| o.order =
            Some(value.choice(&[Order::Bytes, Order::Exclusive, Order::Time])?))),
    shared::JSON.more("The last object, by all, has used and unused bytes.").sets(|o| &mut o.json),
]);

/// Order of rows.
#[derive(Clone, Copy, Default)]
enum Order {
    Bytes,
    Exclusive,
    #[default]
    Time,
}

#[derive(Default)]
struct Options {
    repo: Repo,
    by: Vec<By>,
    oldest: Option<usize>,
    words: Vec<String>,
    choice: Choice,
    order: Option<Order>,
    json: bool,
    sheet: Sheet,
}

fn by(word: &str) -> Result<By> {
    let all = [By::Snapshot, By::Host, By::Tag, By::Path];
    match all.into_iter().find(|by| by.word() == word) {
        Some(by) => Ok(by),
        None => bail!("{word:?} is nothing to weigh by: wanted snapshot, host, tag or path"),
    }
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    if !options.sheet.is_plain() {
        let Choice { hosts, tags, paths } = &options.choice;
        return options
            .repo
            .listed("blobs.costs")?
            .with("by", options.by.iter().map(|by| by.word()))
            .with("snapshots", &options.words)
            .refuse(&[
                ("--oldest", options.oldest.is_some()),
                ("--sort", options.order.is_some()),
                ("--host", !hosts.is_empty()),
                ("--tag", !tags.is_empty()),
                ("--path", !paths.is_empty()),
                ("--json", options.json),
            ])
            .print(&options.sheet, out);
    }
    options.repo.ask(Ahead::Index, out, |open, out| answer_of(options, open, out))
}

fn answer_of(options: &Options, open: &Repository, out: &mut Print) -> Result<u8> {
    let (snapshots, mut report) = watched(options.repo.show(), Signals::Noted, |watch| {
        let snapshots = open.snapshots(watch)?;
        let call = call(options, &snapshots)?;
        let report = open.cost(&snapshots, &call, watch)?;
        Ok::<_, anyhow::Error>((snapshots, report))
    })?;
    if !report.gaps.is_empty() {
        // What is missing may be in any sum.
        report.gaps.iter().for_each(|gap| say(gap));
        return Ok(exit::FAILED);
    }
    out.in_pages();
    match options.order.unwrap_or_default() {
        Order::Time => {}
        Order::Bytes => report.rows.sort_by_key(|row| Reverse(row.weighed.reached.bytes)),
        Order::Exclusive => report.rows.sort_by_key(|row| Reverse(row.weighed.exclusive.bytes)),
    }
    if options.json {
        report.rows.iter().try_for_each(|row| out.line(row))?;
        out.line(CostTotals(&report))?;
    } else {
        print(&report, &snapshots.kept, out)?
    }
    Ok(exit::DONE)
}

fn print(report: &CostReport, kept: &[Kept], out: &mut Print) -> Result<()> {
    let columns =
        |[exclusive, shared, all]: [&str; 3]| format!("{exclusive:>10}{shared:>10}{all:>10}");
    writeln!(out, "{}", columns(["exclusive", "shared", "in all"]))?;
    for row in &report.rows {
        let (reached, exclusive) = (row.weighed.reached.bytes, row.weighed.exclusive.bytes);
        let lens = [exclusive, reached - exclusive, reached].map(human_len);
        let lens = columns([&lens[0], &lens[1], &lens[2]]);
        writeln!(out, "{lens}  {}", subject(row, kept))?;
    }
    let weights = [
        ("used", &report.used),
        ("unused, freed by any prune", &report.unused),
        ("further copies, freed by any prune", &report.copies),
    ];
    for (what, weight) in weights {
        writeln!(out, "{what}: {}, {}", counted(weight.blobs, "blob"), human_len(weight.bytes))?;
    }
    Ok(())
}

fn call(options: &Options, snapshots: &Snapshots) -> Result<CostCall> {
    let filter: SnapshotFilter = options.choice.filter();
    let mut set = Vec::new();
    for word in &options.words {
        set.push(snapshot_at(snapshots, word, &filter)?);
    }
    set.extend(0..options.oldest.unwrap_or(0).min(snapshots.kept.len()));
    set.sort_unstable();
    set.dedup();
    let mut by = options.by.clone();
    if by.is_empty() && set.is_empty() {
        by = vec![By::Snapshot, By::Host, By::Tag, By::Path];
    }
    Ok(CostCall { by, set, filter })
}

/// What a row is about.
fn subject(row: &CostRow, kept: &[Kept]) -> String {
    let by = row.by.word();
    if let (By::Snapshot, [id]) = (row.by, &row.snapshots[..])
        && let Some(kept) = kept.iter().find(|kept| kept.id == *id)
    {
        let Snapshot { time, hostname, .. } = &kept.snapshot;
        return format!("{by} {} of {time}, {hostname}", id.short());
    }
    let count = counted(row.snapshots.len() as u64, "snapshot");
    format!("{by} {}, {count}", row.value)
}

//! `manicule blobs snapshots`: the snapshots of a repository, as restic lists them.

use std::io::Write;

use anyhow::{Result, bail};
use manicule::blobs::snapshots::{Group, GroupBy, bytes_in_words, put_groups};
use manicule::blobs::{Ahead, Kept, Repository, SnapshotsCall, snapshot_groups};

use super::choice::{Choice, with_choice};
use super::repo::Repo;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};
use crate::table::format::Sheet;
use crate::table::listed::with_sheet;

pub(super) static COMMAND: Command = Command {
    name: "snapshots",
    operands: "[SNAPSHOT...]",
    summary: "list the snapshots: time, host, tags, paths, size",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] [SNAPSHOT...]",
            about: "\
Lists the snapshots by time, as `restic snapshots` does; times are in UTC. SNAPSHOT is an id prefix, or latest.",
        }],
        notes: "\
If one can't be read, it is reported on standard error, the table has the others and no last line, and --json prints nothing.
SNAPSHOTs that are given are listed even if others are broken.",
        exit: "0 when there is one, 1 when there is none, 2 when one can't be read or something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Words(set!(|o, word| o.words.push(word.to_string_lossy().into_owned())))]);

static FLAGS: &[Flag<Options>] = with_sheet!(with_choice![
    spec("compact", "c", "Leave out the paths.").sets(|o| &mut o.compact),
    spec("latest", "", "List the NUM newest of each host and set of paths, or of each group.")
        .takes("NUM")
        .does(set!(|o, value| o.latest = Some(value.number()?))),
    spec("group-by", "g", "Group by host, paths, tags, or several of these with commas.")
        .takes("WHAT")
        .does(set!(|o, value| o.group_by = group_by(value.text()?)?)),
    spec("json", "", "Print one list of objects, as restic does.").sets(|o| &mut o.json),
]);

#[derive(Default)]
struct Options {
    repo: Repo,
    choice: Choice,
    words: Vec<String>,
    compact: bool,
    latest: Option<usize>,
    group_by: GroupBy,
    json: bool,
    sheet: Sheet,
}

fn group_by(text: &str) -> Result<GroupBy> {
    let mut by = GroupBy::default();
    for word in text.split(',') {
        match word {
            "host" | "hosts" => by.host = true,
            "path" | "paths" => by.paths = true,
            "tag" | "tags" => by.tags = true,
            "" => {}
            _ => bail!("{word:?} is nothing to group by: wanted host, paths or tags"),
        }
    }
    Ok(by)
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    if !options.sheet.is_plain() {
        let listed = options.choice.listed(options.repo.listed("blobs.snapshots")?);
        return listed
            .refuse(&[
                ("SNAPSHOT", !options.words.is_empty()),
                ("--latest", options.latest.is_some()),
                ("--group-by", options.group_by != GroupBy::default()),
                ("--compact", options.compact),
                ("--json", options.json),
            ])
            .print(&options.sheet, out);
    }
    options.repo.ask(Ahead::Snapshots, out, |open, out| answer_of(options, open, out))
}

fn answer_of(options: &Options, open: &Repository, out: &mut Print) -> Result<u8> {
    let snapshots = watched(options.repo.show(), Signals::Noted, |watch| open.snapshots(watch))?;
    let call = SnapshotsCall {
        words: options.words.clone(),
        filter: options.choice.filter(),
        group_by: options.group_by,
        latest: options.latest,
    };
    let groups = snapshot_groups(&snapshots, &call)?;
    // Those that are named were read.
    let broken = if call.words.is_empty() { &snapshots.broken[..] } else { &[] };
    let is_any = groups.iter().any(|group| !group.snapshots.is_empty());
    out.in_pages();
    let mut text = Vec::new();
    if options.json && broken.is_empty() {
        put_groups(&groups, options.group_by, &mut text);
    } else if !options.json && is_any {
        for group in &groups {
            put_table(group, options.compact, broken.is_empty(), &mut text);
        }
    }
    out.write_all(&text)?;
    broken.iter().for_each(|error| say(error));
    Ok(if broken.is_empty() { exit::if_any(is_any) } else { exit::FAILED })
}

/// A cell: its lines.
type Cell = Vec<String>;

/// A table as restic has it. One that may lack a row has no end.
fn put_table(group: &Group, compact: bool, is_whole: bool, out: &mut Vec<u8>) {
    put_group_line(group, out);
    let has_size = group.snapshots.iter().any(|kept| kept.snapshot.summary.is_some());
    let mut heads = if compact {
        vec!["ID", "Time", "Host", "Tags  "]
    } else {
        vec!["ID", "Time", "Host      ", "Tags      ", "Paths"]
    };
    heads.extend(has_size.then_some("Size"));
    let rows: Vec<Vec<Cell>> =
        group.snapshots.iter().map(|kept| row(kept, compact, has_size)).collect();
    let mut widths: Vec<usize> = heads.iter().map(|head| width(head)).collect();
    for (width_of, cell) in rows.iter().flat_map(|row| (0..).zip(row)) {
        let widest = cell.iter().map(|line| width(line)).max().unwrap_or(0);
        widths[width_of] = widths[width_of].max(widest);
    }
    let rule = "-".repeat(widths.iter().sum::<usize>() + 2 * (widths.len() - 1));
    let heads: Vec<Cell> = heads.into_iter().map(|head| vec![head.to_owned()]).collect();
    put_row(&heads, &widths, out);
    put_line(&rule, out);
    let has_gaps = !compact && group.snapshots.iter().any(|kept| kept.snapshot.paths().len() > 1);
    for (at, row) in rows.iter().enumerate() {
        if has_gaps && at > 0 {
            put_line("", out);
        }
        put_row(row, &widths, out);
    }
    if !is_whole {
        return;
    }
    put_line(&rule, out);
    put_line(&format!("Timestamps shown in UTC\n{} snapshots", rows.len()), out);
}

/// What the snapshots of a group have in common.
fn put_group_line(group: &Group, out: &mut Vec<u8>) {
    let key = &group.key;
    let list = |what: &str, texts: &[String]| format!("{what} [{}]", texts.join(", "));
    let host = (!key.hostname.is_empty()).then(|| format!("host [{}]", key.hostname));
    let tags = key.tags.as_ref().filter(|tags| !tags.is_empty()).map(|tags| list("tags", tags));
    let paths = key.paths.as_ref().map(|paths| list("paths", paths));
    let all: Vec<String> = [host, tags, paths].into_iter().flatten().collect();
    if !all.is_empty() {
        put_line(&format!("snapshots for ({}):", all.join(", ")), out);
    }
}

fn row(kept: &Kept, compact: bool, has_size: bool) -> Vec<Cell> {
    let snapshot = &kept.snapshot;
    let mut clock = Vec::new();
    snapshot.time.moment.put_clock(&mut clock);
    let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Cell>();
    let mut row = vec![
        vec![kept.id.short()],
        vec![String::from_utf8_lossy(&clock).into_owned()],
        lines(&snapshot.hostname),
    ];
    if compact {
        row.push(lines(&snapshot.tags.join("\n")))
    } else {
        row.push(lines(&snapshot.tags.join(",")));
        row.push(lines(&snapshot.paths().join("\n")));
    }
    if has_size {
        let size = snapshot.summary.map(|summary| bytes_in_words(summary.total_bytes_processed));
        row.push(vec![size.unwrap_or_default()]);
    }
    row
}

fn put_row(row: &[Cell], widths: &[usize], out: &mut Vec<u8>) {
    let count = row.iter().map(Vec::len).max().unwrap_or(0);
    for at in 0..count {
        let mut line = String::new();
        for (number, cell) in row.iter().enumerate() {
            let text = cell.get(at).map_or("", String::as_str);
            if number > 0 {
                line.push_str("  ");
            }
            line.push_str(text);
            line.push_str(&" ".repeat(widths[number].saturating_sub(width(text))));
        }
        put_line(line.trim_end_matches(' '), out);
    }
}

fn put_line(line: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}

/// Number of columns, as restic counts them: no character has none.
fn width(text: &str) -> usize {
    let mut buffer = [0; 4];
    let of = |letter: char, buffer: &mut [u8; 4]| {
        console::measure_text_width(letter.encode_utf8(buffer)).max(1)
    };
    text.chars().map(|letter| of(letter, &mut buffer)).sum()
}

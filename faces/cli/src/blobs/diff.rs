//! `manicule blobs diff`: what differs between two snapshots.

use std::ffi::OsString;
use std::io::{self, Write};

use anyhow::Result;
use manicule::blobs::choose::snapshot_at;
use manicule::blobs::diff::{Change, Compared, DiffSide, DiffSums, put_change, put_sums};
use manicule::blobs::snapshots::bytes_in_words;
use manicule::blobs::{Ahead, Repository};

use super::choice::{Choice, snapshot_and_folder, with_choice};
use super::repo::Repo;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "diff",
    operands: "SNAPSHOT[:FOLDER] SNAPSHOT[:FOLDER]",
    summary: "list the differences between two snapshots",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] SNAPSHOT[:FOLDER] SNAPSHOT[:FOLDER]",
            about: "\
Lists the paths that differ from the first to the second snapshot, or folder, as `restic diff` does: + added, - removed, M
modified content, T type changed, U modified metadata (--metadata), and M? where the content changed and nothing else did. Then
the totals added and removed. SNAPSHOT is an id prefix, or latest.",
        }],
        exit: "0 when they were compared, 2 when a tree can't be read or something failed: then there are no totals.",
        ..Help::NONE
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> =
    Declared::of(FLAGS, Ok, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Word(set!(|o, word| o.sides[0] = word)),
        Operand::Word(set!(|o, word| o.sides[1] = word)),
    ]);

static FLAGS: &[Flag<Options>] = with_choice![
    spec("metadata", "", "Also list paths where only the metadata differ.")
        .sets(|o| &mut o.metadata),
    spec("json", "", "Print one object per path, then one with counts, as restic does.")
        .sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    repo: Repo,
    choice: Choice,
    sides: [OsString; 2],
    metadata: bool,
    json: bool,
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    options.repo.ask(Ahead::Index, out, |open, out| answer_of(options, open, out))
}

fn answer_of(options: &Options, open: &Repository, out: &mut Print) -> Result<u8> {
    out.in_pages();
    let mut is_broken = false;
    let sums = watched(options.repo.show(), Signals::Noted, |watch| {
        let snapshots = open.snapshots(watch)?;
        let filter = options.choice.filter();
        let [one, other] = options.sides.clone().map(snapshot_and_folder);
        let at = |word: &str| snapshot_at(&snapshots, word, &filter);
        let sides = [
            DiffSide { kept: &snapshots.kept[at(&one.0)?], below: &one.1 },
            DiffSide { kept: &snapshots.kept[at(&other.0)?], below: &other.1 },
        ];
        if !options.json && !options.repo.quiet {
            let [one, other] = sides.map(|side| side.kept.id.short());
            writeln!(out, "comparing snapshot {one} to {other}:\n")?;
        }
        open.diff(&sides, options.metadata, watch, |row| {
            match row {
                Compared::Change(_) if options.repo.quiet => {}
                Compared::Change(change) => print_change(change, options.json, out)?,
                Compared::Gap(why) => {
                    is_broken = true;
                    say(&why);
                }
            }
            Ok::<(), anyhow::Error>(())
        })
    })?;
    if is_broken {
        // What is missing is in no sum.
        return Ok(exit::FAILED);
    }
    if options.json {
        let mut line = Vec::new();
        put_sums(&sums, &options.sides.each_ref().map(|side| side.as_encoded_bytes()), &mut line);
        out.write_all(&line)?;
    } else {
        print(&sums, out)?
    }
    Ok(exit::DONE)
}

fn print_change(change: &Change, json: bool, out: &mut Print) -> io::Result<()> {
    let mut line = Vec::new();
    if json {
        put_change(change, &mut line)
    } else {
        line.extend_from_slice(format!("{:<5}", change.letters).as_bytes());
        line.extend_from_slice(&change.path);
    }
    line.push(b'\n');
    out.write_all(&line)
}

fn print(sums: &DiffSums, out: &mut Print) -> io::Result<()> {
    let DiffSums { changed_files, added, removed } = sums;
    writeln!(out)?;
    let (new, gone) = (added.files, removed.files);
    writeln!(out, "Files:       {new:5} new, {gone:5} removed, {changed_files:5} changed")?;
    for (what, new, gone) in [
        ("Dirs:        ", added.dirs, removed.dirs),
        ("Others:      ", added.others, removed.others),
        ("Data Blobs:  ", added.data_blobs, removed.data_blobs),
        ("Tree Blobs:  ", added.tree_blobs, removed.tree_blobs),
    ] {
        writeln!(out, "{what}{new:5} new, {gone:5} removed")?;
    }
    writeln!(out, "  Added:   {:<5}", bytes_in_words(added.bytes))?;
    writeln!(out, "  Removed: {:<5}", bytes_in_words(removed.bytes))
}

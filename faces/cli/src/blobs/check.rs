//! `manicule blobs check`: whether a repository is sound, and which files its broken packs cost.

use std::io::Write;

use anyhow::{Context, Result, bail};
use manicule::blobs::check::{
    BrokenPack, CheckOptions, Checked, Level, LostPaths, Missing, ReadPacks, Subset, chance,
};
use manicule::blobs::json::CheckSummary;
use manicule::blobs::{Ahead, Repository};
use manicule::sizes::bytes;

use super::repo::{Repo, with_repo};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "check",
    operands: "",
    summary: "check a repository, and list the files that its broken packs damage",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS]",
            about: "\
Checks index files, that each pack exists with the size that follows from the index, snapshots, and every tree below them: what
`restic check` finds, and more. For each pack that is missing, too short or damaged, lists the files that it damages and the
folders that it makes unreadable, with their snapshots.",
        }],
        notes: "\
Nothing is written, not even a lock: if another process writes to the repository meanwhile, packs may be reported that no index
file lists yet. With --json each line is a finding or a broken pack, and the last one is the summary, with restic's fields;
message_type distinguishes them.",
        exit: "0 when there is no error, 1 when there is one, 2 when the repository can't be opened or something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> =
    Declared::of(FLAGS, finish, Reader::Optional, answer).at_addresses();

static FLAGS: &[Flag<Options>] = with_repo![
    spec("read-data", "", "Read all packs completely: every blob, header and checksum.")
        .sets(|o| &mut o.read_data),
    spec("read-data-subset", "", "Read some packs completely: 3/10, 5% or 2.5G.")
        .takes("SUBSET")
        .more(
            "n/t selects the nth of t parts, so that t calls read everything; a percentage or a size selects random packs.",
        )
        .does(set!(|o, value| o.subset = Some(part(value.text()?)?))),
    spec("headers", "", "Read the headers of all packs, one small read each.")
        .sets(|o| &mut o.headers),
    shared::JSON.here("Print one JSON object per line: each finding and broken pack, then the summary.").sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    repo: Repo,
    read_data: bool,
    subset: Option<Part>,
    headers: bool,
    json: bool,
}

/// Which packs are read, but for chance.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Of { number: u16, count: u16 },
    Percent(f64),
    Bytes(u64),
}

struct Call {
    repo: Repo,
    read: ReadPacks,
    json: bool,
}

/// Parts are told apart by the first byte of packs' ids.
const PARTS_MAX: u16 = 256;

/// Maximum number of files and folders of broken packs.
const PATHS_MAX: usize = 1_000_000;

/// Maximum number of them that are shown to people, for each pack.
const SHOWN_MAX: usize = 20;

fn part(text: &str) -> Result<Part> {
    let wrong = || {
        format!(
            "{text:?} is no subset: wanted n/t with 1 <= n <= t <= 256, a percentage above 0 up to 100%, or a size"
        )
    };
    if let Some((number, count)) = text.split_once('/') {
        let number = number.parse().ok().with_context(wrong)?;
        let count = count.parse().ok().filter(|&count| count <= PARTS_MAX).with_context(wrong)?;
        return if (1..=count).contains(&number) {
            Ok(Part::Of { number, count })
        } else {
            bail!(wrong())
        };
    }
    if let Some(percent) = text.strip_suffix('%') {
        let percent: f64 = percent.parse().ok().with_context(wrong)?;
        return if percent > 0.0 && percent <= 100.0 {
            Ok(Part::Percent(percent))
        } else {
            bail!(wrong())
        };
    }
    match bytes(text).with_context(wrong)? {
        0 => bail!(wrong()),
        bytes => Ok(Part::Bytes(bytes)),
    }
}

fn finish(options: Options) -> Result<Call> {
    let Options { repo, read_data, subset, headers, json } = options;
    let read = match (read_data, subset, headers) {
        (false, None, false) => ReadPacks::Trees,
        (false, None, true) => ReadPacks::Headers,
        (true, None, false) => ReadPacks::Whole(Subset::All),
        (false, Some(part), false) => ReadPacks::Whole(match part {
            Part::Of { number, count } => Subset::Part { number, count },
            Part::Percent(percent) => Subset::Share { percent, seed: chance()? },
            Part::Bytes(bytes) => Subset::Bytes { bytes, seed: chance()? },
        }),
        _ => bail!("one of --read-data, --read-data-subset and --headers is taken at a time"),
    };
    Ok(Call { repo, read, json })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    call.repo.ask(Ahead::Packs, out, |open, out| answer_of(call, open, out))
}

fn answer_of(call: &Call, open: &Repository, out: &mut Print) -> Result<u8> {
    let options = CheckOptions { read: call.read, paths_max: PATHS_MAX };
    let checked = watched(call.repo.show(), Signals::Noted, |watch| open.check(&options, watch))?;
    out.in_pages();
    if call.json {
        print_json(&checked, out)?
    } else {
        print(&checked, out)?
    }
    Ok(exit::if_any(checked.is_sound()))
}

fn print(checked: &Checked, out: &mut Print) -> Result<()> {
    for finding in &checked.findings {
        let level = word(finding.level());
        writeln!(out, "{level}: {finding}")?;
    }
    for pack in &checked.broken {
        print_pack(pack, out)?;
    }
    if let Some(missing) = &checked.missing {
        print_missing(missing, out)?;
    }
    let repairs =
        [(checked.suggests_repair_index(), "repair index"), (checked.suggests_prune(), "prune")];
    for (_, what) in repairs.iter().filter(|(is_suggested, _)| *is_suggested) {
        writeln!(out, "that is what `restic {what}` is for")?;
    }
    let verdict = match checked.error_count() {
        0 => "no errors were found".to_owned(),
        count => counted(count, "error"),
    };
    writeln!(out, "{verdict}: {}", counts(checked))?;
    Ok(())
}

fn counts(checked: &Checked) -> String {
    let counts = &checked.counts;
    let mut text = format!(
        "{}, {} with {}, {}, {}; {} unused",
        counted(counts.index_files, "index file"),
        counted(counts.packs, "pack"),
        counted(counts.blobs, "blob"),
        counted(counts.snapshots, "snapshot"),
        counted(counts.trees, "tree"),
        counted(counts.unused_blobs, "blob"),
    );
    if counts.packs_read > 0 {
        let (packs, len) = (counted(counts.packs_read, "pack"), human_len(counts.bytes_read));
        text += &format!("; read {len} of {packs}");
    }
    text
}

fn print_pack(pack: &BrokenPack, out: &mut Print) -> Result<()> {
    writeln!(
        out,
        "pack {}: {} of {} lost, {} needed: {}",
        pack.id,
        pack.lost_blobs,
        counted(pack.blob_count, "blob"),
        pack.lost_used_blobs,
        sums(&pack.lost),
    )?;
    print_lost(&pack.lost, out)
}

fn print_missing(missing: &Missing, out: &mut Print) -> Result<()> {
    writeln!(
        out,
        "in no index file: {} and {}: {}",
        counted(missing.data_blobs, "blob"),
        counted(missing.trees, "tree"),
        sums(&missing.lost),
    )?;
    print_lost(&missing.lost, out)
}

fn sums(lost: &LostPaths) -> String {
    format!(
        "{} damaged, {} unreadable, in {}",
        counted(lost.damaged.len() as u64, "file"),
        counted(lost.unreadable.len() as u64, "folder"),
        counted(lost.snapshots.len() as u64, "snapshot"),
    )
}

fn print_lost(lost: &LostPaths, out: &mut Print) -> Result<()> {
    let count = lost.damaged.len() + lost.unreadable.len();
    let damaged = lost.damaged.iter().map(|file| {
        let (lost, size) = (human_len(file.lost_bytes), human_len(file.size));
        (file.snapshot, &file.path, format!("{lost} of {size} lost"))
    });
    let unreadable = lost.unreadable.iter().map(|folder| {
        (folder.snapshot, &folder.path, "unreadable, with all that is below".to_owned())
    });
    for (snapshot, path, what) in unreadable.chain(damaged).take(SHOWN_MAX) {
        writeln!(out, "    {} {}: {what}", snapshot.short(), String::from_utf8_lossy(path))?;
    }
    let more = count.saturating_sub(SHOWN_MAX);
    if more > 0 || lost.is_cut {
        let cut = if lost.is_cut { " or more" } else { "" };
        writeln!(out, "    and {more}{cut}; --json lists them")?;
    }
    Ok(())
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
    }
}

fn print_json(checked: &Checked, out: &mut Print) -> Result<()> {
    for finding in &checked.findings {
        out.report("finding", finding)?;
    }
    for pack in &checked.broken {
        out.line(pack)?;
    }
    if let Some(missing) = &checked.missing {
        out.line(missing)?;
    }
    Ok(out.line(CheckSummary(checked))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_those_that_restic_takes() {
        for (text, want) in [
            ("1/2", Part::Of { number: 1, count: 2 }),
            ("256/256", Part::Of { number: 256, count: 256 }),
            ("2.5%", Part::Percent(2.5)),
            ("100%", Part::Percent(100.0)),
            ("50M", Part::Bytes(50 << 20)),
            ("7", Part::Bytes(7)),
        ] {
            assert_eq!(part(text).unwrap(), want, "{text}");
        }
        for wrong in [
            "", "0/2", "3/2", "1/0", "1/257", "1/2/3", "0%", "100.1%", "-5%", "NaN%", "0", "x", "/",
        ] {
            assert!(part(wrong).is_err(), "{wrong}");
        }
    }
}

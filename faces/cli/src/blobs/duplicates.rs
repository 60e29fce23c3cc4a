//! `manicule blobs duplicates`: blobs that are stored in several places.

use std::io::Write;

use anyhow::Result;
use manicule::blobs::export::{Duplicate, duplicates};
use manicule::blobs::json::{DuplicateSums, Duplicated};
use manicule::blobs::{Ahead, Index, Repository};

use super::repo::{Repo, with_index};
use crate::command::{Command, Declared, Does, Flag, Help, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "duplicates",
    operands: "",
    summary: "list blobs that are stored several times, and the bytes wasted",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS]",
            about: "\
Lists every blob that the index has in several places, with the bytes of all copies but the first, and its packs in the order of
the index. Concurrent writers produce such blobs; `restic prune` keeps one of each.",
        }],
        exit: "0 when there is such a blob, 1 when there is none, 2 when something failed.",
        ..Help::NONE
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Needed, answer).at_addresses();

static FLAGS: &[Flag<Options>] = with_index![
    shared::JSON.more("The last object, of type summary, has the totals.").sets(|o| &mut o.json)
];

#[derive(Default)]
struct Options {
    repo: Repo,
    json: bool,
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    options.repo.ask(Ahead::Index, out, |open, out| answer_of(options, open, out))
}

fn answer_of(options: &Options, open: &Repository, out: &mut Print) -> Result<u8> {
    let (index, all) = watched(options.repo.show(), Signals::Noted, |watch| {
        let index = open.index(watch)?;
        let all = duplicates(&index);
        index.check_cache()?;
        Ok::<_, anyhow::Error>((index, all))
    })?;
    out.in_pages();
    for one in &all {
        if options.json {
            out.report("duplicate", Duplicated { blob: one, index: &index })?
        } else {
            writeln!(out, "{}", as_text(one, &index))?
        }
    }
    let sums = DuplicateSums::of(&all);
    if options.json {
        out.report("summary", sums)?;
    } else {
        let DuplicateSums { blobs, copies, wasted_bytes } = sums;
        let (blobs, copies) = (counted(blobs as u64, "blob"), counted(copies, "further place"));
        writeln!(out, "{blobs} with {copies}, {}", human_len(wasted_bytes))?;
    }
    Ok(exit::if_any(!all.is_empty()))
}

fn as_text(one: &Duplicate, index: &Index) -> String {
    let packs = one.places.iter().map(|found| index.pack(found.pack).id.short());
    let packs = packs.collect::<Vec<_>>().join(" ");
    let (kind, id) = (one.kind, one.id);
    format!("{kind} {id}: {} wasted, in packs {packs}", human_len(one.wasted_bytes()))
}

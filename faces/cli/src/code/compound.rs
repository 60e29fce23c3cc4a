//! `manicule code merge` and `manicule code explode`: shards of several repositories as one, and
//! back.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use manicule::code::index::INDEX_MEMORY_MIN;
use manicule::code::{CompoundCall, compound::ShardsReport, explode, merge};

use super::index::index_time;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Form, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::{counted, human_len};

pub(super) static MERGE: Command = Command {
    name: "merge",
    operands: "SHARD...",
    summary: "merge zoekt shards of several repositories into one, as zoekt-merge-index does",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] SHARD...",
            about: "\
Merges shards of a folder into a compound shard there, and removes them. A server that has thousands of small repositories needs
less memory for it. Repositories of a high priority come first; those with a tombstone are left out.",
        }],
        notes: "\
With the same --index-time the bytes are those of zoekt-merge-index merge. A repository of several shards can't be merged. All
appears at once: if killed, it leaves the old shards or the new one, and the next run that writes into the folder cleans up.",
        exit: "0 when the shards are merged, 2 when something failed.",
    },
    does: Does::Job(&MERGE_JOB),
};

pub(super) static EXPLODE: Command = Command {
    name: "explode",
    operands: "SHARD...",
    summary: "split compound zoekt shards into one of each repository, as zoekt-merge-index does",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] SHARD...",
            about: "\
Writes a shard of its own for each repository of a compound shard, beside it, and removes the compound shard. Repositories with a
tombstone are left out.",
        }],
        notes: "\
With the same --index-time the bytes are those of zoekt-merge-index explode. All appear at once: if killed, it leaves the compound
shard or the others, and the next run that writes into the folder cleans up.",
        exit: "0 when all shards are exploded, 2 when something failed.",
    },
    does: Does::Job(&EXPLODE_JOB),
};

static MERGE_JOB: Declared<Options> = Declared::of(FLAGS, finish, Reader::Optional, answer_merge)
    .taking(&[Operand::Paths(|o| &mut o.paths)]);

static EXPLODE_JOB: Declared<Options> =
    Declared::of(FLAGS, finish, Reader::Optional, answer_explode)
        .taking(&[Operand::Paths(|o| &mut o.paths)]);

static FLAGS: &[Flag<Options>] = &[
    spec("index-time", "", "Index time to record, such as 2026-01-31T12:00:00Z. Default: now.")
        .takes("TIME")
        .does(set!(|o, value| o.call.index_time = Some(index_time(&value)?))),
    spec("zoekt-version", "", "Version of zoekt to record. Default: none.")
        .takes("TEXT")
        .does(set!(|o, value| o.call.zoekt_version = value.string()?)),
    shared::MEMORY
        .more("Default: 1GiB. Minimum: 64MiB.")
        .does(set!(|o, value| o.call.memory = value.size()?.max(INDEX_MEMORY_MIN))),
    shared::THREADS.does(set!(|o, value| o.call.threads = value.threads()?)),
    shared::JSON
        .here("Print one JSON object per line: one for each new shard, then a summary.")
        .does(set!(|o, value| o.form = if value.on { Form::Json } else { Form::Text })),
    shared::QUIET.does(set!(|o, value| o.form = if value.on { Form::Nothing } else { Form::Text })),
];

struct Options {
    call: CompoundCall,
    paths: Vec<PathBuf>,
    form: Form,
}

impl Default for Options {
    fn default() -> Options {
        Options { call: CompoundCall::default(), paths: Vec::new(), form: Form::Text }
    }
}

fn finish(options: Options) -> Result<Options> {
    match options.paths.iter().find(|path| path.is_dir()) {
        Some(folder) => bail!("{} is a folder: name the shards", folder.display()),
        None => Ok(options),
    }
}

fn answer_merge(options: &Options, out: &mut Print) -> Result<u8> {
    let report = watched(Show::of(options.form), Signals::Noted, |watch| {
        merge(&options.paths, &options.call, watch)
    })?;
    tell(&report, options.form, out)?;
    Ok(exit::DONE)
}

fn answer_explode(options: &Options, out: &mut Print) -> Result<u8> {
    for path in &options.paths {
        let report = watched(Show::of(options.form), Signals::Noted, |watch| {
            explode(path, &options.call, watch)
        })?;
        tell(&report, options.form, out)?;
    }
    Ok(exit::DONE)
}

fn tell(report: &ShardsReport, form: Form, out: &mut Print) -> Result<()> {
    match form {
        Form::Nothing => {}
        Form::Text => {
            let replaced = counted(report.replaced.len() as u64, "shard");
            let shards = counted(report.shards.len() as u64, "shard");
            writeln!(out, "{replaced} replaced by {shards}")?;
            for shard in &report.shards {
                let documents = counted(shard.document_count, "document");
                let repositories = match shard.repositories.len() {
                    1 => String::new(),
                    count => format!(" of {count} repositories"),
                };
                let path = shard.path.display();
                writeln!(
                    out,
                    "{:>9}  {documents:>16}{repositories}  {path}",
                    human_len(shard.len)
                )?;
            }
            for name in &report.left_out {
                writeln!(out, "left out, as its tombstone says: {name}")?;
            }
        }
        Form::Json => print_json(report, out)?,
    }
    Ok(())
}

fn print_json(report: &ShardsReport, out: &mut Print) -> Result<()> {
    report.shards.iter().try_for_each(|shard| out.report("shard", shard))?;
    Ok(out.report("summary", report)?)
}

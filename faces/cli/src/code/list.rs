//! `manicule code list`: the repositories of shards.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use manicule::code::SearchCall;
use manicule::code::json::ListTotals;
use manicule::code::search::RepositoryEntry;
use manicule::code::shards::ShardError;
use manicule::code::shards::find::Foreseen;
use manicule::place::is_address;
use manicule::watch::Watch;

use super::opened::open_all;
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, cores, exit, shared};
use crate::messages::Messages;
use crate::print::{Print, Reader};
use crate::table::format::Sheet;
use crate::table::listed::{Listed, with_sheet};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "list",
    operands: "[QUERY] [PATH...]",
    summary: "list the repositories of shards: branches, documents, sizes, time of indexing",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] [QUERY] [PATH...]",
            about: "\
Lists the repositories that shards hold, by name: those for which QUERY holds (see `manicule code search --help`), or that have a
document for which it does. PATH is a shard or a folder of shards; without one, the current folder. A first word that is the path
of something is a PATH.",
        }],
        notes: "\
documents counts those of all shards, with those that a later shard has replaced; bytes are those of their contents and names. Of a
shard of several repositories each has the share of the file that its bytes are of all. A repository with a tombstone is left out.",
        exit: "0 when there are some, 1 when there are none, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> =
    Declared::of(FLAGS, finish, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Word(|o, word| {
            let path = Path::new(&word);
            if is_address(path) || path.exists() {
                o.paths.push(word.into());
            } else {
                let query = word.into_string().ok().context("the query is not valid UTF-8")?;
                o.query = Some(query);
            }
            Ok(())
        }),
        Operand::Paths(|o| &mut o.paths),
    ]);

static FLAGS: &[Flag<Options>] = with_sheet![
    shared::THREADS.does(set!(|o, value| o.threads = value.threads()?)),
    shared::JSON
        .here("Print one JSON object per line: one for each repository, then the totals.")
        .sets(|o| &mut o.json),
];

struct Options {
    query: Option<String>,
    paths: Vec<PathBuf>,
    threads: usize,
    json: bool,
    sheet: Sheet,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            query: None,
            paths: Vec::new(),
            threads: cores(),
            json: false,
            sheet: Sheet::default(),
        }
    }
}

fn finish(mut options: Options) -> Result<Options> {
    if options.paths.is_empty() {
        options.paths.push(PathBuf::from("."));
    }
    Ok(options)
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    if !options.sheet.is_plain() {
        return Listed::of("code.repositories", options.paths.clone())
            .threads(Some(options.threads))
            .refuse(&[("QUERY", options.query.is_some()), ("--json", options.json)])
            .print(&options.sheet, out);
    }
    let call = match &options.query {
        None => None,
        Some(query) => Some(SearchCall { threads: options.threads, ..SearchCall::new(query)? }),
    };
    let messages = Messages::new(true, true);
    let moment = open_all(&options.paths, &messages).moment();
    let foreseen = call.as_ref().map_or(Foreseen::Documents, |call| call.query.foreseen());
    let shards = moment.open_for(foreseen, &mut |error: ShardError| messages.failure(&error));
    let entries = shards.list(call.as_ref(), &Watch::none())?;
    out.in_pages();
    if options.json {
        as_json(&entries, out)?
    } else {
        as_table(&entries, out)?
    }
    Ok(if messages.failed() { exit::FAILED } else { exit::if_any(!entries.is_empty()) })
}

fn as_json(entries: &[RepositoryEntry], out: &mut Print) -> Result<()> {
    entries.iter().try_for_each(|entry| out.report("repository", entry))?;
    Ok(out.report("summary", ListTotals::of(entries))?)
}

fn as_table(entries: &[RepositoryEntry], out: &mut Print) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "shards  documents       text      index  {:30}  repository  branches",
        "time of indexing"
    )?;
    for entry in entries {
        let branches: Vec<String> = entry
            .repository
            .branches
            .iter()
            .flatten()
            .map(|branch| format!("{}@{}", branch.name, &branch.version))
            .collect();
        let line = format!(
            "{:>6}  {:>9}  {:>9}  {:>9}  {:30}  {}  {}",
            entry.shards,
            entry.documents,
            human_len(entry.content_len),
            human_len(entry.index_len),
            entry.metadata.index_time,
            entry.repository.name,
            branches.join(" "),
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    let all = ListTotals::of(entries);
    writeln!(
        out,
        "{}, {}, {} of text, {} of shards",
        counted(entries.len() as u64, "repository"),
        counted(all.documents, "document"),
        human_len(all.content_len),
        human_len(all.index_len),
    )?;
    Ok(())
}

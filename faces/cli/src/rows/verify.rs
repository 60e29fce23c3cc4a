//! `manicule rows verify`: whether SSTables are right.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use manicule::inspect::{Error, Verified};
use manicule::rows::json::VerifiedTable;
use manicule::rows::{Depth, VerifyCall, verify};
use serde_json::json;

use super::recursive::{COPIES, RECURSIVE, Tables, below};
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::inspect::{self, Shown};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "verify",
    operands: "PATH...",
    summary: "check SSTables: every checksum, row and index",
    help: Help {
        calls: &[Usage {
            words: "[--quick] [--json] [-r] PATH...",
            about: inspect::SSTABLES_ARE_RIGHT,
        }],
        notes: NOTES,
        exit: "0 when everything is valid, 1 when something is wrong, 2 when a path can't be read or has nothing to verify.",
    },
    does: Does::Job(&JOB),
};

const NOTES: &str = "\
For a damaged partition the first finding is listed, and those after it are still read. What readers rebuild or don't need is a
warning: a missing filter or summary, counts used only for estimates. With --quick rows are not read, only checksums, small
components and the index. With -r a PATH is a folder of tables, such as a node's data folder: findings have their table's path,
and each table is a line at the end. Nothing is written.";

static JOB: Declared<Options> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Paths(|o| &mut o.paths)]);

static FLAGS: &[Flag<Options>] = &[
    spec("quick", "", "Don't read rows: check checksums, small components and the index only.")
        .sets(|o| &mut o.is_quick),
    RECURSIVE.more("A line for each of them.").sets(|o| &mut o.tables.is_recursive),
    COPIES.sets(|o| &mut o.tables.has_copies),
    shared::JSON
        .here("Print one JSON object per line: one for each finding, then a summary.")
        .sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    paths: Vec<PathBuf>,
    is_quick: bool,
    tables: Tables,
    json: bool,
}

fn finish(options: Options) -> Result<Options> {
    options.tables.check()?;
    Ok(options)
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    let depth = if options.is_quick { Depth::Quick } else { Depth::Whole };
    let mut worst = 0;
    for path in &options.paths {
        let code = if options.tables.is_recursive {
            all_tables(path, depth, options, out)?
        } else if let Some(named) = below(path) {
            say(&format_args!("{named}: -r reads them all"));
            exit::FAILED
        } else {
            let call = VerifyCall { path: path.clone(), depth };
            let shown = Shown { is_json: options.json, is_named: options.paths.len() > 1 };
            inspect::verify(path, None, shown, out, |watch, failed| {
                verify(&call, watch, &mut |error| failed(Error::Rows(error))).map_err(Error::Rows)
            })?
        };
        worst = worst.max(code);
    }
    Ok(worst)
}

/// Verifies every table below a folder: findings as they come, then a line for each table.
fn all_tables(root: &Path, depth: Depth, options: &Options, out: &mut Print) -> Result<u8> {
    let is_json = options.json;
    let open = |_: &Path| Ok(());
    let (tables, has_failed) = options.tables.each(root, open, |table, ()| {
        let call = VerifyCall { path: table.to_owned(), depth };
        let mut unread_count = 0;
        let verified = watched(Show::Progress, Signals::Noted, |watch| {
            verify(&call, watch, &mut |error| {
                say(&error);
                unread_count += 1;
            })
        })?;
        inspect::show_findings(&verified.verdict, Some(table), is_json, out)?;
        Ok((verified, unread_count))
    })?;
    if !is_json {
        writeln!(
            out,
            "findings  warnings  unread  SSTables      bytes  partitions        rows  table"
        )?;
    }
    let (mut finding_count, mut unread_count) = (0, 0);
    for (path, (verified, unread)) in &tables {
        finding_count += verified.verdict.findings.count;
        unread_count += unread;
        print_table(path, verified, *unread, is_json, out)?;
    }
    let tables = tables.len() as u64;
    if is_json {
        let sums = json!({
            "tables": tables, "ok": finding_count + unread_count == 0 && !has_failed,
            "findings": finding_count, "unread": unread_count,
        });
        out.row("summary", sums)?;
    } else {
        writeln!(out, "{} in {}", counted(finding_count, "finding"), counted(tables, "table"))?;
    }
    Ok(if has_failed || unread_count > 0 { exit::FAILED } else { exit::if_any(finding_count == 0) })
}

fn print_table(
    path: &Path,
    verified: &Verified,
    unread_count: u64,
    is_json: bool,
    out: &mut Print,
) -> Result<()> {
    let finding_count = verified.verdict.findings.count;
    if is_json {
        return Ok(out.report("verified", VerifiedTable { path, verified, unread_count })?);
    }
    let of = |name: &str| {
        let named = verified.counts.iter().find(|(other, _)| *other == name);
        named.map_or(0, |(_, count)| *count)
    };
    write!(out, "{finding_count:>8}  {:>8}  {unread_count:>6}", of("warnings"))?;
    write!(out, "  {:>8}  {:>9}  {:>10}", of("sstables"), human_len(of("len")), of("partitions"))?;
    writeln!(out, "  {:>10}  {}", of("rows"), path.display())?;
    Ok(())
}

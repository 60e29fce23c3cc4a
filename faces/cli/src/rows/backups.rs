//! `manicule rows backups`: the backups of a cluster by Medusa or ScyllaDB Manager.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::rows::{Backup, backups_at};
use manicule::times::utc;

use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit};
use crate::print::{Print, Reader};
use crate::table::format::Sheet;
use crate::table::listed::{Listed, with_sheet};
use crate::units::human_len;

pub(super) static COMMAND: Command = Command {
    name: "backups",
    operands: "PREFIX",
    summary: "list the backups of a cluster by Medusa or ScyllaDB Manager: times, kind, nodes, files, bytes",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PREFIX",
            about: "\
Prints one line per backup that the index of Medusa or the manifests of ScyllaDB Manager have: when it started and finished, whether it is
full or differential, how many nodes have finished it, the number and length of its files, and its name. PREFIX is the folder or the
address in which Medusa's folder index lies, beside those of the nodes, or Manager's folder backup.",
        }],
        notes: "\
Nodes that have not finished a backup, and those of the cluster that have not begun it, are named after it. A table of a backup is
read by its manifest: by Medusa as NODE/BACKUP/KEYSPACE/TABLE below PREFIX, by ScyllaDB Manager as MANIFEST/KEYSPACE/TABLE, where MANIFEST
is that of a node, backup/meta/cluster/CLUSTER/dc/DC/node/NODE/task_TASK_tag_TAG_manifest.json.gz.",
        exit: "0 when all were listed, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.prefix)]);

static FLAGS: &[Flag<Options>] = with_sheet![];

#[derive(Default)]
struct Options {
    prefix: PathBuf,
    sheet: Sheet,
}

fn answer(call: &Options, out: &mut Print) -> Result<u8> {
    if !call.sheet.is_plain() {
        return Listed::of("rows.backups", vec![call.prefix.clone()]).print(&call.sheet, out);
    }
    let backups = backups_at(&call.prefix)?;
    writeln!(
        out,
        "{:>20}  {:>20}  kind          nodes    files      bytes  backup",
        "started", "finished"
    )?;
    for backup in &backups {
        writeln!(out, "{}", line(backup))?;
    }
    Ok(exit::DONE)
}

fn line(backup: &Backup) -> String {
    let time = |seconds: Option<i64>| {
        seconds.map_or_else(|| "-".to_owned(), |seconds| utc(seconds.saturating_mul(1000)))
    };
    let (files, all) = (backup.files(), backup.nodes.len() + backup.missing.len());
    let nodes = format!("{}/{all}", backup.nodes.len() - backup.unfinished().count());
    let kind = if backup.is_differential { "differential" } else { "full" };
    let mut line = format!(
        "{:>20}  {:>20}  {kind:<12}  {nodes:>5}  {:>7}  {:>9}  {}",
        time(backup.started()),
        time(backup.finished()),
        files.count,
        human_len(files.len),
        backup.name
    );
    let unfinished: Vec<&str> = backup.unfinished().collect();
    let missing: Vec<&str> = backup.missing.iter().map(String::as_str).collect();
    for (what, nodes) in [("not finished", unfinished), ("missing", missing)] {
        if !nodes.is_empty() {
            line += &format!(" ({what}: {})", nodes.join(", "));
        }
    }
    line
}

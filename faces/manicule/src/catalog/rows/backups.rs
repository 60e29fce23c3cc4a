//! `rows.backups`: backups of a cluster.

use serde_json::Value as Json;

use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::Table;
use crate::failure::Failure;
use crate::rows::{Backup, backups_at};

pub(crate) static BACKUPS: Table = Table {
    name: "rows.backups",
    about: "A backup of a cluster by Medusa or ScyllaDB Manager, by the index or the manifests at its prefix.",
    arguments: &[],
    order: "started, backup.",
    pushes: &[],
    partition: "all of it is one.",
    question: "SELECT backup, started FROM rows_backups('s3://backups/prod') WHERE is_complete ORDER BY started DESC LIMIT 1",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

const IS_COMPLETE: usize = 2;
const STARTED: usize = 3;
const FINISHED: usize = 4;
const FINISHED_NODES: usize = 5;
const UNFINISHED: usize = 6;
const MISSING: usize = 7;
const FILES: usize = 8;
const BYTES: usize = 9;

static FIELDS: &[Field] = &[
    Field::new("backup", Kind::Text, "Its name; by ScyllaDB Manager its tag."),
    Field::new("kind", Kind::Word, "`full` or `differential`."),
    Field::new("is_complete", Kind::Boolean, "Whether all nodes of the cluster have finished it."),
    Field::new("started", Kind::Millis, "When its first node began.").or_null(),
    Field::new("finished", Kind::Millis, "When its last node ended, once it is complete.")
        .or_null(),
    Field::new("finished_nodes", Kind::Int, "Nodes that have finished it."),
    Field::new("unfinished_nodes", Kind::TEXTS, "Those that have begun and not finished."),
    Field::new("missing_nodes", Kind::TEXTS, "Those of the cluster that have not begun."),
    Field::new("files", Kind::Int, "Files of its manifests: those that backups share in each."),
    Field::new("bytes", Kind::Int, "Length of these files."),
];

fn open(arguments: &Arguments, _: &Json, _: &mut Question) -> Result<Job, Failure> {
    let mut all = Vec::new();
    for path in &arguments.paths {
        all.extend(backups_at(path)?);
    }
    Ok(Box::new(move |rows, watch| {
        let mut count = 0;
        for backup in &all {
            watch.check()?;
            count += 1;
            push(rows, backup);
            if rows.end_row().is_break() {
                break;
            }
        }
        Ok(vec![("backups", count)])
    }))
}

fn push(rows: &mut Rows<'_>, backup: &Backup) {
    rows.text(0, &backup.name);
    rows.text(1, if backup.is_differential { "differential" } else { "full" });
    rows.boolean(IS_COMPLETE, backup.is_complete());
    for (at, seconds) in [(STARTED, backup.started()), (FINISHED, backup.finished())] {
        if let Some(seconds) = seconds {
            rows.int(at, seconds.saturating_mul(1000));
        }
    }
    let files = backup.files();
    let finished = backup.nodes.len() - backup.unfinished().count();
    for (at, count) in [(FINISHED_NODES, finished as u64), (FILES, files.count), (BYTES, files.len)]
    {
        rows.count(at, count);
    }
    if let Some(column) = rows.column(UNFINISHED) {
        column.texts(backup.unfinished());
    }
    if let Some(column) = rows.column(MISSING) {
        column.texts(&backup.missing);
    }
}

//! `blobs.costs`: what snapshots, hosts, tags and paths cost.

use serde_json::Value as Json;

use super::columns::push_ids;
use super::opened::{opened, whole, with_opening};
use super::pushed::Tests;
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::blobs::choose::chosen;
use crate::blobs::cost::{By, CostRow};
use crate::blobs::{Ahead, CostCall, SnapshotFilter};
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;

const BY: Argument = Argument {
    name: "by",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "What is weighed: `snapshot`, `host`, `tag`, `path`. Default: all four, or nothing but the set of `snapshots`.",
};
const SET: Argument = Argument {
    name: "snapshots",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Beginnings of ids of snapshots, or `latest`, that are weighed together: the set.",
};

pub(crate) static COSTS: Table = Table {
    name: "blobs.costs",
    about: "Snapshots of a restic repository that are weighed together: what they reach, and what only they reach, which deleting them frees. One walk over the distinct trees weighs all.",
    arguments: with_opening![BY, SET],
    order: "what they are grouped by, as in the argument; snapshots by time, others by their value; the set.",
    pushes: &[Push { column: "grouped_by", tests: "all: others are not weighed" }],
    partition: "all of it is one.",
    question: "SELECT value, exclusive_bytes FROM blobs_costs('repo')\n\
               WHERE grouped_by = 'host' ORDER BY exclusive_bytes DESC",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

const GROUPED_BY: usize = 0;
const VALUE: usize = 1;
const SNAPSHOTS: usize = 2;
/// The first of seven counts.
const BLOBS: usize = 3;

static FIELDS: &[Field] = &[
    Field::new("grouped_by", Kind::Word, "`snapshot`, `host`, `tag`, `path`, or `set`."),
    Field::new(
        "value",
        Kind::Text,
        "What they have in common: an id, a host, a tag, a path; of the set beginnings of its ids.",
    ),
    Field::new("snapshots", Kind::TEXTS, "Ids of the snapshots, by time."),
    Field::new("blobs", Kind::Int, "Blobs that they reach, trees among them."),
    Field::new("bytes", Kind::Int, "Stored bytes of these."),
    Field::new("exclusive_blobs", Kind::Int, "Blobs that no other snapshot reaches."),
    Field::new("exclusive_trees", Kind::Int, "Trees among these."),
    Field::new("exclusive_bytes", Kind::Int, "Stored bytes of these."),
    Field::new("shared_bytes", Kind::Int, "Stored bytes that other snapshots reach as well."),
    Field::new(
        "freed_in_headers",
        Kind::Int,
        "Bytes of the exclusive blobs in the headers of packs.",
    ),
];

/// What a call weighs.
fn groups(arguments: &Arguments) -> Result<Vec<By>, Failure> {
    let all = [By::Snapshot, By::Host, By::Tag, By::Path];
    let by = |word: &str| {
        all.into_iter().find(|by| by.word() == word).ok_or_else(|| {
            let why = "is nothing to weigh by: wanted snapshot, host, tag or path";
            Failure::asked(format!("argument by: {word} {why}"))
        })
    };
    let groups: Vec<By> = arguments.texts(BY.name).map(by).collect::<Result<_, _>>()?;
    let is_any = !groups.is_empty() || arguments.texts(SET.name).next().is_some();
    Ok(if is_any { groups } else { all.to_vec() })
}

fn open(arguments: &Arguments, _: &Json, question: &mut Question) -> Result<Job, Failure> {
    let tests = Tests::of(question, GROUPED_BY);
    let mut by = groups(arguments)?;
    by.retain(|by| tests.admit_text(by.word()));
    let words = arguments.texts(SET.name).filter(|_| tests.admit_text(By::Set.word()));
    let words: Vec<String> = words.map(str::to_owned).collect();
    let repository = opened(arguments, Ahead::Index)?;
    Ok(Box::new(move |rows, watch| {
        if by.is_empty() && words.is_empty() {
            return Ok(vec![("snapshots", 0)]);
        }
        let snapshots = repository.snapshots(watch)?;
        let filter = SnapshotFilter::any();
        let set = if words.is_empty() { Vec::new() } else { chosen(&snapshots, &words, &filter)? };
        let report = repository.cost(&snapshots, &CostCall { by, set, filter }, watch)?;
        // What is missing may be in any sum.
        whole(&report.gaps)?;
        for row in &report.rows {
            push(rows, row);
            if rows.end_row().is_break() {
                break;
            }
        }
        Ok(vec![("snapshots", snapshots.kept.len() as u64)])
    }))
}

fn push(rows: &mut Rows<'_>, row: &CostRow) {
    let (reached, exclusive) = (&row.weighed.reached, &row.weighed.exclusive);
    rows.text(GROUPED_BY, row.by.word());
    rows.text(VALUE, &row.value);
    push_ids(rows, SNAPSHOTS, &row.snapshots);
    let counts = [
        reached.blobs,
        reached.bytes,
        exclusive.blobs,
        exclusive.trees,
        exclusive.bytes,
        row.shared_bytes(),
        exclusive.header_bytes,
    ];
    (BLOBS..).zip(counts).for_each(|(at, count)| rows.count(at, count));
}

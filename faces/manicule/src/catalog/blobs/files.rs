//! `blobs.files`: the paths of snapshots.

use std::ops::ControlFlow;

use manicule_core::go::clean;
use manicule_core::watch::Watch;
use serde_json::Value as Json;

use super::columns::micros;
use super::node::{CONTENT, FIELDS, Found, HOSTNAME, PATH, SNAPSHOT, SNAPSHOT_TIME, push};
use super::opened::{opened, whole, with_opening};
use super::parts::{range, ranges};
use super::pushed::Tests;
use crate::answer::{Cell, Job, Question};
use crate::blobs::choose::chosen;
use crate::blobs::{Ahead, Below, Kept, Node, SnapshotFilter, Snapshots, is_within};
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;

const SNAPSHOTS: Argument = Argument {
    name: "snapshots",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Beginnings of ids of snapshots, or `latest`. Default: all snapshots.",
};

const BELOW: Argument = Argument {
    name: "below",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Paths, from `/` on: these, and what lies below them. Default: all paths.",
};

pub(crate) static FILES: Table = Table {
    name: "blobs.files",
    about: "A path in a snapshot of a restic repository: a file, a folder, or what else lay there. A tree that snapshots next to each other share is read once.",
    arguments: with_opening![SNAPSHOTS, BELOW],
    order: "snapshots by time; in each a folder before what it holds, names as their tree has them. Partitions follow each other in it.",
    pushes: &[
        Push { column: "snapshot", tests: "all: trees of other snapshots are not read" },
        Push { column: "snapshot_time", tests: "all, as `snapshot`" },
        Push { column: "hostname", tests: "all, as `snapshot`" },
        Push {
            column: "path",
            tests: "=, IN, LIKE: trees on the way to what is before the first wildcard, and below it",
        },
    ],
    partition: "snapshots that follow each other.",
    question: "SELECT snapshot_time, user_name, sum(size) FROM blobs_files('repo')\n\
               WHERE path LIKE '/home/%' GROUP BY 1, 2",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split,
    open,
};

/// Places of the snapshots that a call is about.
fn places(arguments: &Arguments, snapshots: &Snapshots) -> Result<Vec<usize>, Failure> {
    let words: Vec<String> = arguments.texts(SNAPSHOTS.name).map(str::to_owned).collect();
    Ok(chosen(snapshots, &words, &SnapshotFilter::any())?)
}

fn split(arguments: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    let snapshots = opened(arguments, Ahead::Snapshots)?.snapshots(&Watch::none())?;
    Ok(ranges(places(arguments, &snapshots)?.len(), wanted))
}

/// What is asked of snapshots and paths.
struct Asked {
    snapshot: Tests,
    time: Tests,
    host: Tests,
    path: Tests,
    /// Nothing where all paths are asked for.
    below: Vec<Vec<u8>>,
}

/// The paths of the argument.
fn below(arguments: &Arguments) -> Result<Vec<Vec<u8>>, Failure> {
    let path = |path: &str| {
        let wrong = || Failure::asked(format!("argument below: {path} doesn't begin with /"));
        path.starts_with('/').then(|| clean(path.as_bytes())).ok_or_else(wrong)
    };
    arguments.texts(BELOW.name).map(path).collect()
}

impl Asked {
    fn admits(&self, kept: &Kept) -> bool {
        let snapshot = &kept.snapshot;
        self.snapshot.admit_id(&kept.id)
            && self.time.admit(Cell::Int(micros(snapshot.time)))
            && self.host.admit_text(&snapshot.hostname)
    }

    /// Why snapshots can't be read that may be meant: of one that is broken only the id is known.
    fn unread(&self, snapshots: &Snapshots) -> Vec<String> {
        let may_be = |id: manicule_blobs::Id| self.snapshot.admit_id(&id);
        let meant = snapshots.broken.iter().filter(|error| error.file_id().is_none_or(may_be));
        meant.map(ToString::to_string).collect()
    }

    /// What is kept of a node, if its path is listed, and whether what it holds may be.
    fn see(&self, path: &[u8], node: &Node<'_>, has_content: bool) -> (Option<Found>, Below) {
        let lies_below = |folder: &Vec<u8>| is_within(path, folder);
        let is_on_the_way = |folder: &Vec<u8>| is_within(folder, path);
        if !self.below.is_empty() && !self.below.iter().any(lies_below) {
            let enters = node.child().is_some() && self.below.iter().any(is_on_the_way);
            return (None, if enters { Below::Enter } else { Below::Skip });
        }
        if !self.path.is_any() {
            return (Some(Found::of(path, node, has_content)), Below::Enter);
        }
        let shown = String::from_utf8_lossy(path);
        let is_listed = self.path.admit_text(&shown);
        let is_entered = node.child().is_some() && self.path.may_admit_below(&format!("{shown}/"));
        let found = is_listed.then(|| Found::of(path, node, has_content));
        (found, if is_entered { Below::Enter } else { Below::Skip })
    }
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let [snapshot, time, host, path] =
        [SNAPSHOT, SNAPSHOT_TIME, HOSTNAME, PATH].map(|at| Tests::of(question, at));
    let asked = Asked { snapshot, time, host, path, below: below(arguments)? };
    let repository = opened(arguments, Ahead::Index)?;
    let (arguments, part) = (arguments.clone(), part.clone());
    Ok(Box::new(move |rows, watch| {
        let snapshots = repository.snapshots(watch)?;
        let places = places(&arguments, &snapshots)?;
        let of_part = &places[range(&part, places.len())?];
        let wanted = of_part.iter().map(|at| &snapshots.kept[*at]);
        let wanted: Vec<&Kept> = wanted.filter(|kept| asked.admits(kept)).collect();
        let is_all = arguments.text(SNAPSHOTS.name).is_none();
        let mut unread = if is_all { asked.unread(&snapshots) } else { Vec::new() };
        let (mut snapshot_count, mut node_count) = (0, 0);
        let has_content = rows.wants(CONTENT);
        let walked = repository.walked(watch)?;
        let mut walk = walked.walk(watch);
        for kept in wanted {
            snapshot_count += 1;
            let see = |path: &[u8], node: &Node<'_>| {
                node_count += 1;
                asked.see(path, node, has_content)
            };
            let flow = walk.each_path(kept, see, |row| match row {
                Ok(found) => {
                    push(rows, kept, &found);
                    rows.end_row()
                }
                Err(why) => {
                    unread.push(why);
                    ControlFlow::Continue(())
                }
            })?;
            if flow.is_break() {
                break;
            }
        }
        whole(&unread)?;
        let trees = walk.tree_count();
        Ok(vec![("snapshots", snapshot_count), ("trees_read", trees), ("nodes", node_count)])
    }))
}

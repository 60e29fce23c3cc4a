//! The joint of `find`: the part of each kind of index in a call. A further kind is an arm and a
//! file: with a [`Place`](places::Place) where its answers are no lines, else with a [`Searched`].
//!
//! The paths of a call are dealt out once ([`manicule::kinds::Deal`]), by the systems that wrote
//! them.

mod blocks;
mod joint;
mod page;
mod places;
mod refusals;
mod repositories;
mod shards;
mod stores;
mod tables;
mod texts;
mod trees;

use std::path::PathBuf;

use anyhow::Result;
use manicule::graph::Store;
use manicule::kinds::System;
use manicule::series::Block;

use super::call::Call;
use crate::flags::{Sort, SortKey};
use crate::messages::Messages;
pub(crate) use joint::{Done, Job, Searched};
use places::Places;
use repositories::Repository;
use shards::Shards;
use tables::Table;
use trees::Trees;

/// The searching kind of a system: a new system doesn't compile without its arm.
fn searched(system: System) -> Box<dyn Searched> {
    match system {
        System::Plain | System::Tree | System::Rdf => Box::<Trees>::default(),
        System::Zoekt => Box::<Shards>::default(),
        System::Prometheus => Box::<Places<Block>>::default(),
        System::Restic => Box::<Places<Repository>>::default(),
        System::Cassandra => Box::<Places<Table>>::default(),
        System::Graph => Box::<Places<Store>>::default(),
    }
}

/// Opens the paths dealt to each kind. An impossible option ends a call of one kind alone; with
/// others, the call goes on without that kind.
pub(crate) fn open(call: &Call, messages: &Messages) -> Result<Vec<Box<dyn Searched>>> {
    let is_alone = call.deal.paths.len() == 1;
    let runs = runs(call);
    let mut kinds = Vec::with_capacity(runs.len());
    for (system, paths) in runs {
        let mut kind = searched(system);
        match kind.open(&paths, call, messages) {
            Err(refusal) if is_alone => return Err(refusal),
            Err(refusal) => messages.failure(&refusal),
            Ok(()) => {}
        }
        kinds.push(kind);
    }
    Ok(kinds)
}

/// The paths that are searched together, in the order in which results come: kind by kind, or with
/// `--sort path` as they are given, whatever their kinds.
fn runs(call: &Call) -> Vec<(System, Vec<PathBuf>)> {
    let sort = call.options.sort.filter(|sort| sort.key == SortKey::Path);
    match sort.filter(|_| call.deal.paths.len() > 1) {
        None => call.deal.paths.iter().map(|(system, paths)| (*system, paths.clone())).collect(),
        Some(Sort { reverse, .. }) => {
            let runs = call.deal.in_order();
            if reverse { backwards(runs) } else { runs }
        }
    }
}

/// All paths in the reverse order of their names, as `--sortr path` has it; neighbours of one
/// system together.
fn backwards(runs: Vec<(System, Vec<PathBuf>)>) -> Vec<(System, Vec<PathBuf>)> {
    let each =
        |(system, paths): (System, Vec<PathBuf>)| paths.into_iter().map(move |path| (path, system));
    let mut all: Vec<(PathBuf, System)> = runs.into_iter().flat_map(each).collect();
    all.sort_by(|left, right| right.cmp(left));
    let mut runs: Vec<(System, Vec<PathBuf>)> = Vec::new();
    for (path, system) in all {
        match runs.last_mut() {
            Some((last, paths)) if *last == system => paths.push(path),
            _ => runs.push((system, vec![path])),
        }
    }
    runs
}

/// Searches or lists each kind in turn.
pub(crate) fn visit(kinds: &[Box<dyn Searched>], job: &Job<'_>) -> Result<Done> {
    let mut all = Done::default();
    for kind in kinds {
        let done = kind.visit(job)?;
        all.receipt.extend(done.receipt);
        all.upkeep.extend(done.upkeep);
        all.noticed.extend(done.noticed);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backwards_is_by_name_however_the_paths_are_given() {
        let run = |system, paths: &[&str]| (system, paths.iter().map(PathBuf::from).collect());
        let given = vec![
            run(System::Plain, &["c"]),
            run(System::Graph, &["store"]),
            run(System::Plain, &["a", "b"]),
        ];
        let want = vec![run(System::Graph, &["store"]), run(System::Plain, &["c", "b", "a"])];
        assert_eq!(backwards(given), want);
    }
}

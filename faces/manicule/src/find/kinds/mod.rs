//! The joint of `find`: the part of each kind of index in a search. A further kind is an arm and a
//! file: with a [`Place`](places::Place) where its answers are no lines, else with a [`Searched`].

mod blocks;
mod joint;
mod places;
mod refusals;
mod repositories;
mod shards;
mod stores;
mod tables;
mod texts;
mod trees;

pub(super) use joint::{Job, Searched};

use crate::graph::Store;
use crate::kinds::System;
use crate::series::Block;
use places::Places;
use repositories::Repository;
use shards::Shards;
use tables::Table;
use trees::Trees;

/// The searching kind of a system: a new system doesn't compile without its arm.
pub(super) fn searched(system: System) -> Box<dyn Searched> {
    match system {
        System::Plain | System::Tree | System::Rdf => Box::<Trees>::default(),
        System::Zoekt => Box::<Shards>::default(),
        System::Prometheus => Box::<Places<Block>>::default(),
        System::Restic => Box::<Places<Repository>>::default(),
        System::Cassandra => Box::<Places<Table>>::default(),
        System::Graph => Box::<Places<Store>>::default(),
    }
}

//! The joint of `find`: the part of each kind of index in a search. A further kind is a file with a
//! [`Place`] where its answers are no lines, else with a [`Searched`]; the row of its system
//! ([`SystemRow`](crate::kinds::SystemRow)) makes it.

mod blocks;
mod joint;
mod objects;
mod places;
mod refusals;
mod repositories;
mod shards;
mod stores;
mod tables;
mod texts;
mod trees;

pub use joint::{Job, Searched};
pub use places::{Ask, Gaps, Place, Places, Take};
pub use refusals::{FilesOption, Order, Refusals};
pub(crate) use repositories::Repository;
pub(crate) use shards::Shards;
pub(crate) use tables::Table;
pub use texts::Texts;
pub(super) use trees::Trees;

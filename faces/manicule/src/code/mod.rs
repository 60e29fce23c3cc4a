//! Source code: folders indexed into zoekt shards, shards searched; trees and the files that a
//! question needs.

pub mod api;
pub mod compound;
mod ctags;
pub(crate) mod document;
pub mod git;
pub mod index;
mod inspect;
pub mod json;
mod opened;
pub mod search;
pub mod shards;
pub mod tree;

pub use compound::{CompoundCall, explode, merge};
pub use ctags::Symbols;
pub use document::document_path;
pub use git::{GitIndexCall, GitIndexed, index_git};
pub use index::{IndexCall, Indexed, index};
pub(crate) use inspect::{inspect, summarise, verify};
pub use opened::{Moment, OpenShards, Shards};
pub use search::SearchCall;

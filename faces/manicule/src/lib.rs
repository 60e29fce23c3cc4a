//! Manicule ☞: the indexes that real systems keep, and one question over all of them: where is it?
//!
//! This is the façade that programs use; the command line, SQL, HTTP and Python faces are built on
//! it. For each job there is a verb: [`code::index()`], [`series::build()`], [`series::merge()`]
//! and so on. Time, ids, memory and threads are filled in unless the caller says otherwise; a verb
//! with options has a call struct, whose `new` fills in the others.

pub mod answer;
pub mod blobs;
pub mod cache;
pub mod catalog;
pub mod code;
pub mod context;
mod failure;
pub mod find;
pub mod graph;
pub mod inspect;
pub mod json;
pub mod kinds;
#[cfg(feature = "named")]
pub mod named;
pub mod output;
pub mod place;
pub mod rows;
mod same;
pub mod series;
pub mod sizes;
pub mod tables;
pub mod times;

pub use failure::Failure;
pub use manicule_core::{ErrorClass, pattern, watch};

#[cfg(test)]
mod tests {
    /// Compiles if threads can share it.
    fn is_shared<T: Send + Sync + 'static>() {}

    #[test]
    fn what_is_open_can_be_shared_by_threads() {
        is_shared::<crate::code::Shards>();
        is_shared::<crate::series::Block>();
        is_shared::<crate::series::Data>();
        is_shared::<crate::rows::Table>();
        is_shared::<crate::graph::Store>();
        is_shared::<crate::graph::Writer>();
        is_shared::<crate::blobs::Repository>();
    }
}

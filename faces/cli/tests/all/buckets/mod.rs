//! Addresses of a bucket in place of paths: the answers, what they cost, and what goes wrong.
//!
//! The bucket is served in this process, and has the files of an example of each kind.

mod answers;
mod bucket;
mod costs;
mod found;
mod left_out;
mod manager;
mod medusa;
mod refused;
mod repair;
mod sstables;
mod writes;

//! All tests of this crate from outside, in one program: it is linked once.

mod analyze;
mod buckets;
mod build;
mod counts;
mod downsampled;
mod dump;
mod elsewhere;
mod growth;
mod merge;
mod open;
mod query;
mod regex;
mod reindex;
mod rewrite;
mod salvage;
mod samples;
mod selectors;
mod steps;
mod verify;
mod watch;
mod write;

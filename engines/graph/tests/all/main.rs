//! All tests of this crate from outside, in one program: it is linked once.

mod backup;
mod beside;
mod bulk;
mod columns;
mod common;
mod compact;
mod crash;
mod crash_publish;
mod documents;
mod elsewhere;
mod export;
mod expressions;
mod find;
mod killed;
mod lines;
mod log;
mod pages;
mod stats;
mod store;
mod triples;
mod verify;

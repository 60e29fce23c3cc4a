//! All tests of this crate from outside, in one program: it is linked once.

mod compound;
mod damage;
mod git;
mod identity;
mod queries;
mod shards;
mod shards_find;
mod shards_input;
mod steps;
mod symbols;
mod unread;
mod watch;

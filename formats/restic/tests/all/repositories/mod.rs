//! restic's and rustic's own repositories: read back whole, changed, and shown in the format's
//! document.

mod derived;
mod example;
mod golden;
mod support;
mod trees;

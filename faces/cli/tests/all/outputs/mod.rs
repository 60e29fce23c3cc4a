//! No output is lost silently: every command, with its standard output closed, full, and read
//! slowly.
//!
//! `cargo test -p manicule-cli --test all outputs -- --nocapture` prints the matrix. The list of
//! commands is the program's own, so that a new one without a row fails.

mod deep;
mod files;
mod manners;
mod matrix;
mod names;
mod run;
mod table;
mod yard;

//! `manicule rows slice`, as it is called: what Cassandra's own readers returned, and what is said.
//!
//! Where `MANICULE_GOLDEN` names the folder of the full set of golden tables, all of it is asked;
//! else what proof/golden has.

mod golden;
mod guide;
mod said;

use std::path::Path;
use std::process::{Command, Output};

/// Calls the command.
fn slice(path: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["rows", "slice"]).arg(path).args(words).output().expect("manicule runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

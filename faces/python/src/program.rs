//! The command line, as the program `manicule` of the wheel.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs the command line of these words, the first of which is the program's name. `program` is the
/// file that starts it again. Returns the exit code.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, program: Option<PathBuf>, words: Vec<OsString>) -> u8 {
    let done = py.detach(|| manicule_cli::main(program, words.into_iter()));
    // An exit code says its number to nobody but the system.
    let is_done = |code: &u8| ExitCode::from(*code) == done;
    (0..=u8::MAX).find(is_done).unwrap_or(u8::MAX)
}

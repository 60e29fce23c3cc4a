//! Go's own command.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// What `go` prints when it is run in a folder.
pub(crate) fn go(folder: &Path, words: &[&str]) -> Result<Vec<u8>> {
    let run = Command::new("go").args(words).current_dir(folder).output();
    let output = run.context("can't run `go`: install Go")?;
    if !output.status.success() {
        bail!("go {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

//! Programs that are measured: ours, built now, and those that the registries of crates and Go
//! modules have.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

const RIPGREP_VERSION: &str = "15.2.0";

/// ripgrep: in the folder `ready` already, or installed below `kept`.
pub(crate) fn ripgrep(ready: Option<&Path>, kept: &Path) -> Result<PathBuf> {
    from_crates("ripgrep", RIPGREP_VERSION, "rg", ready, kept)
}

/// A program from the registry of crates, in the version that we compare with.
pub(crate) fn from_crates(
    package: &str,
    wanted: &str,
    program: &str,
    ready: Option<&Path>,
    kept: &Path,
) -> Result<PathBuf> {
    for folder in ready.into_iter().chain([kept.join("bin").as_path()]) {
        let file = folder.join(program);
        if file.is_file() {
            let file = file.canonicalize()?;
            let said = version(package, &file);
            if !said.contains(wanted) {
                bail!("{said} is installed, and {wanted} is the version to compare with");
            }
            return Ok(file);
        }
    }
    eprintln!("installing {package} {wanted} ...");
    let status = Command::new(cargo())
        .args(["install", "--quiet", "--locked", "--version", wanted, "--root"])
        .arg(kept)
        .arg(package)
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()
        .context("cargo install")?;
    if !status.success() {
        bail!("`cargo install {package}` ended with {status}");
    }
    Ok(kept.join("bin").join(program))
}

/// Peers that a script of `proof/bench/peers` builds from the module proxy of Go or the registry of
/// crates, where they aren't built yet: returns their folder.
pub(crate) fn built(repository: &Path, peers: &str, words: &[&str]) -> Result<PathBuf> {
    eprintln!("building {peers} {} (minutes, the first time) ...", words.join(" "));
    let script = format!("proof/bench/peers/{peers}/build");
    let output = Command::new(repository.join(&script))
        .args(words)
        .stdin(Stdio::null())
        .output()
        .context(script)?;
    let line = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if !output.status.success() {
        bail!("{}", line(&output.stderr));
    }
    Ok(line(&output.stdout).into())
}

/// One line of the output of `cargo build --message-format=json`.
#[derive(Deserialize)]
struct Artifact {
    #[serde(default)]
    executable: Option<PathBuf>,
}

/// Builds our program with the profile of releases, and returns its path.
pub(crate) fn build_manicule(repository: &Path) -> Result<PathBuf> {
    let output = Command::new(cargo())
        .args(["build", "--profile", "dist", "-p", "manicule-cli", "--features", "full"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(repository)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo build")?;
    if !output.status.success() {
        bail!("`cargo build --profile dist -p manicule-cli` ended with {}", output.status);
    }
    let said = String::from_utf8_lossy(&output.stdout);
    said.lines()
        .filter_map(|line| serde_json::from_str::<Artifact>(line).ok()?.executable)
        .find(|file| file.file_stem().is_some_and(|name| name == "manicule"))
        .context("cargo built no program `manicule`")
}

fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// The first line of `--version`.
pub(crate) fn version(name: &str, program: &Path) -> String {
    version_by(name, program, &["--version"])
}

/// The first line that a program prints when it is called with `words`.
pub(crate) fn version_by(name: &str, program: &Path, words: &[&str]) -> String {
    let said = Command::new(program).args(words).stdin(Stdio::null()).output();
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let line = said.unwrap_or_default().lines().next().unwrap_or_default().to_owned();
    if line.is_empty() { format!("{name} of unknown version") } else { line }
}

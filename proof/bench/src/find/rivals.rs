//! The programs that are measured: ours, built now, and the peers from their registries.
//!
//! Callers: find/mod

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::Findings;
use crate::machine::which;

const RIPGREP_VERSION: &str = "15.2.0";
const GLEP_VERSION: &str = "2.0.0";

/// Where the programs lie, and what they say about themselves.
pub(super) struct Programs {
    pub(super) manicule: PathBuf,
    /// The judge of every answer: without it there is no bench.
    pub(super) rg: PathBuf,
    pub(super) glep: Option<PathBuf>,
    pub(super) cindex: Option<PathBuf>,
    /// One line each.
    pub(super) versions: Vec<String>,
}

/// Finds or installs the peers: `ready` holds them already; `kept` is ours to install into.
pub(super) fn gather(
    manicule: PathBuf,
    ready: Option<&Path>,
    kept: &Path,
    findings: &mut Findings,
) -> Result<Programs> {
    let rg = from_crates("ripgrep", RIPGREP_VERSION, "rg", ready, kept)?;
    let glep = from_crates("glep", GLEP_VERSION, "glep", ready, kept)
        .inspect_err(|error| findings.left_out(format!("glep: {error:#}")))
        .ok();
    let cindex = codesearch(ready, kept)
        .inspect_err(|error| findings.left_out(format!("codesearch: {error:#}")))
        .ok();
    let mut versions = vec![version("manicule", &manicule), version("ripgrep", &rg)];
    versions.extend(glep.as_deref().map(|glep| version("glep", glep)));
    versions.extend(cindex.as_deref().map(|_| format!("codesearch {}", debian_version())));
    Ok(Programs { manicule, rg, glep, cindex, versions })
}

fn from_crates(
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
                bail!("{said} is there, and {wanted} is the one to be beside");
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

/// codesearch's indexer: on the path, or unpacked from Debian's package without installing it.
fn codesearch(ready: Option<&Path>, kept: &Path) -> Result<PathBuf> {
    let unpacked = kept.join("codesearch");
    let known = ready
        .map(|folder| folder.join("cindex"))
        .into_iter()
        .chain([unpacked.join("usr/bin/cindex")]);
    if let Some(file) = known.into_iter().find(|file| file.is_file()).or_else(|| which("cindex")) {
        return Ok(file);
    }
    for tool in ["apt-get", "dpkg-deb"] {
        if which(tool).is_none() {
            bail!("no `{tool}`: it comes as a package of Debian");
        }
    }
    fs::create_dir_all(&unpacked)?;
    let status = Command::new("apt-get")
        .args(["download", "codesearch"])
        .current_dir(&unpacked)
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()?;
    let package = fs::read_dir(&unpacked)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|ext| ext == "deb"))
        .with_context(|| format!("`apt-get download codesearch` ended with {status}"))?;
    Command::new("dpkg-deb").arg("-x").arg(&package).arg(&unpacked).status()?;
    fs::remove_file(package)?;
    let file = unpacked.join("usr/bin/cindex");
    if !file.is_file() {
        bail!("Debian's package of codesearch holds no cindex");
    }
    Ok(file)
}

/// One line of what `cargo build --message-format=json` says.
#[derive(Deserialize)]
struct Artifact {
    #[serde(default)]
    executable: Option<PathBuf>,
}

/// Builds our program for release, and says where it lies.
pub(super) fn build_manicule(repository: &Path) -> Result<PathBuf> {
    let output = Command::new(cargo())
        .args(["build", "--release", "-p", "manicule-cli"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(repository)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo build")?;
    if !output.status.success() {
        bail!("`cargo build --release -p manicule-cli` ended with {}", output.status);
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
fn version(name: &str, program: &Path) -> String {
    let said = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let line = said.unwrap_or_default().lines().next().unwrap_or_default().to_owned();
    if line.is_empty() { format!("{name} of unknown version") } else { line }
}

fn debian_version() -> String {
    let said = Command::new("dpkg-query").args(["-W", "-f=${Version}", "codesearch"]).output();
    let version = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    version.ok().filter(|version| !version.is_empty()).unwrap_or_else(|| "(unpacked)".to_owned())
}

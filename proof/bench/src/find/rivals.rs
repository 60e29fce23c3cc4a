//! The peers, from their registries.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::findings::Findings;
use crate::machine::which;
use crate::programs::{from_crates, ripgrep, version};

const GLEP_VERSION: &str = "2.0.0";

/// Paths of the programs, and their versions.
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
    let rg = ripgrep(ready, kept)?;
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

fn debian_version() -> String {
    let said = Command::new("dpkg-query").args(["-W", "-f=${Version}", "codesearch"]).output();
    let version = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    version.ok().filter(|version| !version.is_empty()).unwrap_or_else(|| "(unpacked)".to_owned())
}

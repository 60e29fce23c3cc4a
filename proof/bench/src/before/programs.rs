//! The two sides of a run: the current programs, and those of an earlier commit, built in a work
//! tree of their own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The programs of one side.
pub(super) struct Programs {
    /// `manicule`.
    pub(super) manicule: PathBuf,
    /// `manicule-bench`, whose commands measure the library from within.
    pub(super) bench: PathBuf,
}

impl Programs {
    /// Those of a folder that holds both.
    pub(super) fn in_folder(folder: &Path) -> Result<Programs> {
        let program = |name: &str| {
            let path = folder.join(name);
            path.canonicalize().with_context(|| path.display().to_string())
        };
        Ok(Programs { manicule: program("manicule")?, bench: program("manicule-bench")? })
    }

    /// Copies of both in a folder of their own. What a linker wrote lies in small pieces in the
    /// page cache, a copy in large ones: 17 of 253 page faults of a small search, and 7 % of its
    /// time, when only one side was a copy.
    pub(super) fn copied(&self, folder: &Path) -> Result<Programs> {
        std::fs::create_dir_all(folder)?;
        for (program, name) in [(&self.manicule, "manicule"), (&self.bench, "manicule-bench")] {
            std::fs::copy(program, folder.join(name))
                .with_context(|| program.display().to_string())?;
        }
        Programs::in_folder(folder)
    }
}

/// Profiles by which programs are built to be measured; commits older than the first have the
/// second.
const PROFILES: [&str; 2] = ["dist", "release"];

/// Builds both programs of a commit as they were measured then, below `cache`, where they stay: a
/// commit doesn't change.
pub(super) fn of_commit(repository: &Path, cache: &Path, commit: &str) -> Result<Programs> {
    let id = said(repository, &["rev-parse", "--short=12", &format!("{commit}^{{commit}}")])
        .with_context(|| format!("the commit {commit}"))?;
    let place = cache.join(format!("commit-{id}"));
    let kept = PROFILES.iter().map(|profile| place.join("target").join(profile));
    if let Some(programs) = kept.into_iter().find_map(|built| Programs::in_folder(&built).ok()) {
        return Ok(programs);
    }
    let source = place.join("source");
    if !source.is_dir() {
        std::fs::create_dir_all(&place)?;
        let path = source.to_str().context("the cache folder's path is not valid UTF-8")?;
        said(repository, &["worktree", "prune"])?;
        said(repository, &["worktree", "add", "--detach", path, &id])?;
    }
    eprintln!("building the programs of {id} ...");
    let manifest = std::fs::read_to_string(source.join("Cargo.toml"))?;
    let has = |profile: &&&str| manifest.contains(&format!("[profile.{profile}]"));
    let profile = PROFILES.iter().find(has).context("the commit has no profile to measure by")?;
    let cli = std::fs::read_to_string(source.join("faces/cli/Cargo.toml"))?;
    let all =
        ["full", "tables"].into_iter().find(|feature| cli.contains(&format!("\n{feature} = ")));
    let features = all.map(|feature| format!("--features=manicule-cli/{feature}"));
    let status = Command::new(env!("CARGO"))
        .args(["build", "--profile", profile, "--locked"])
        .args(["-p", "manicule-cli", "-p", "manicule-bench"])
        .args(features)
        .current_dir(&source)
        .env("CARGO_TARGET_DIR", place.join("target"))
        .stdin(Stdio::null())
        .status()
        .context("cargo build")?;
    if !status.success() {
        bail!("`cargo build` of {id} ended with {status}");
    }
    said(repository, &["worktree", "remove", "--force", source.to_str().unwrap_or_default()])?;
    Programs::in_folder(&place.join("target").join(profile))
}

/// Output of git, one line.
fn said(repository: &Path, words: &[&str]) -> Result<String> {
    let output = Command::new("git").args(words).current_dir(repository).output().context("git")?;
    if !output.status.success() {
        bail!("git {}: {}", words[0], String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

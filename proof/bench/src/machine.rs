//! Circumstances of a run: processor, kernel, file system, date, commit.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use manicule_core::civil::Date;
use serde::{Deserialize, Serialize};

/// The machine of a run, without names or paths that would show whose it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// Model name of the processor.
    pub cpu: String,
    /// Number of processors that we may use.
    pub core_count: usize,
    /// Main memory.
    pub memory_gib: f64,
    /// Kernel release.
    pub kernel: String,
    /// File system type of the corpora.
    pub file_system: String,
    /// UTC date, `YYYY-MM-DD`.
    pub date: String,
    /// Commit of the project, with `+` if the work tree differs from it.
    pub commit: String,
}

impl Machine {
    /// Asks the system.
    pub(crate) fn look(repository: &Path, corpora: &Path) -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| {
            let line = text.lines().find(|line| line.starts_with(name));
            let value = line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim());
            value.unwrap_or("unknown").to_owned()
        };
        let memory = field(&read("/proc/meminfo"), "MemTotal");
        let memory_kib = memory.split(' ').next().and_then(|kib| kib.parse().ok()).unwrap_or(0.0);
        Machine {
            cpu: field(&read("/proc/cpuinfo"), "model name"),
            core_count: std::thread::available_parallelism().map_or(1, usize::from),
            memory_gib: memory_kib / f64::from(1 << 20),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            file_system: file_system(&read("/proc/self/mountinfo"), corpora),
            date: today(),
            commit: commit(repository),
        }
    }

    /// One line for the head of a report.
    pub(crate) fn line(&self) -> String {
        format!(
            "{}, {} cores, {:.0} GiB, Linux {}, {}; {}, commit {}",
            self.cpu,
            self.core_count,
            self.memory_gib,
            self.kernel,
            self.file_system,
            self.date,
            self.commit
        )
    }
}

/// The type of the mount that holds `path`: the longest mount point above it.
fn file_system(mounts: &str, path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mount = |line: &str| {
        let (place, rest) = line.split_once(" - ")?;
        let point = place.split(' ').nth(4)?.to_owned();
        let kind = rest.split(' ').next()?.to_owned();
        path.starts_with(&point).then_some((point.len(), kind))
    };
    let holder = mounts.lines().filter_map(mount).max_by_key(|&(len, _)| len);
    holder.map_or("unknown".to_owned(), |(_, kind)| kind)
}

fn commit(repository: &Path) -> String {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).current_dir(repository).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short", "HEAD"]) else {
        return "none".to_owned();
    };
    let clean = git(&["status", "--porcelain"]).is_some_and(|status| status.is_empty());
    if clean { commit } else { format!("{commit}+") }
}

fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let Date { year, month, day } = Date::of_day((since.as_secs() / 86_400) as i64);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A scratch folder below the cache folder; it goes when this is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one of this process.
    pub(crate) fn below(cache: &Path) -> Result<Scratch> {
        let path = cache.join(format!("scratch-{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(Scratch(path))
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// The project's root: the folder above the manifest that cargo runs, or above the current one.
pub(crate) fn repository() -> Result<PathBuf> {
    let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => std::env::current_dir()?,
    };
    let root = start.ancestors().find(|folder| folder.join("faces/cli/Cargo.toml").is_file());
    match root {
        Some(root) => Ok(root.to_owned()),
        None => bail!("no Manicule repository above {}: run it from there", start.display()),
    }
}

/// The folder where corpora, peers and scratch files are kept between runs.
pub(crate) fn cache_folder() -> Result<PathBuf> {
    let base = match std::env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => {
            let home =
                std::env::var_os("HOME").context("neither XDG_CACHE_HOME nor HOME is set")?;
            PathBuf::from(home).join(".cache")
        }
    };
    Ok(base.join("manicule-bench"))
}

/// Path of a program on the `PATH`.
pub(crate) fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mount_point_wins() {
        let mounts = "22 1 254:0 / / rw - ext4 /dev/vda rw\n\
                      23 22 0:5 / /proc rw shared:1 - proc proc rw\n";
        assert_eq!(file_system(mounts, Path::new("/proc")), "proc");
        assert_eq!(file_system(mounts, Path::new("/")), "ext4");
        assert_eq!(file_system("", Path::new("/")), "unknown");
    }
}

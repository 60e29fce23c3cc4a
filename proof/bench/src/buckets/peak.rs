//! Peak memory of a measured process. The bench holds a store of a million objects, and what the
//! system says of a process begins with the memory of the one that started it: so a small process
//! stands between.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::measure::Task;
use crate::sys::{self, Patience};

/// The command that starts a program and writes its peak, in KiB, to a file: that file, the
/// program, its arguments.
pub(super) fn command(words: Vec<OsString>) -> Result<()> {
    let [file, program, args @ ..] = &words[..] else {
        bail!("usage: manicule-bench buckets {NAME} FILE PROGRAM [ARGS]");
    };
    let child = Command::new(program).args(args).spawn();
    let child = child.with_context(|| format!("starting {}", program.display()))?;
    let usage = sys::wait(child.id() as i32, Patience::Block)?.context("a blocking wait")?;
    fs::write(file, usage.peak_kib.to_string())?;
    std::process::exit(usage.exit)
}

/// The command's name.
pub(super) const NAME: &str = "peak";

/// The same task with a small process between.
pub(super) fn between(task: Task, file: &Path) -> Result<Task> {
    let mut args: Vec<OsString> = vec!["buckets".into(), NAME.into(), file.into()];
    args.push(task.program.into());
    args.extend(task.args);
    let program: PathBuf = std::env::current_exe()?;
    Ok(Task { program, args, ..task })
}

/// The peak that was written to a file, in MiB.
pub(super) fn read(file: &Path) -> Result<f64> {
    let kib: f64 = fs::read_to_string(file)?.parse().context("a peak")?;
    Ok(kib / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_runs_as_an_argument_of_the_bench() {
        let task = Task::new("sh", Path::new("/bin/sh"), Path::new("/")).args(["-c", "exit 1"]);
        let between = between(task, Path::new("peak")).unwrap();
        assert_eq!(between.args, ["buckets", NAME, "peak", "/bin/sh", "-c", "exit 1"]);
        assert_eq!((&*between.name, &*between.folder), ("sh", Path::new("/")));
    }
}

//! restic itself: the program that judges what we say of a repository, and that makes real ones.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::PASSWORD;

/// Variable that names the program.
pub const RESTIC: &str = "MANICULE_RESTIC";

/// A restic program.
#[derive(Clone, Debug)]
pub struct Restic {
    program: PathBuf,
}

/// What a call of restic ended with.
#[derive(Clone, Debug)]
pub struct Said {
    /// Exit code; 255 if a signal ended it.
    pub exit: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub errors: String,
}

/// The words of a backup that are not its paths.
#[derive(Clone, Debug)]
pub struct BackupOptions<'a> {
    /// Host that the snapshot names.
    pub host: &'a str,
    /// Its tags.
    pub tags: &'a [&'a str],
    /// Its time, `2025-01-01 00:00:00`, in UTC.
    pub time: &'a str,
}

impl Restic {
    /// A program by its path.
    pub fn new(program: impl Into<PathBuf>) -> Restic {
        Restic { program: program.into() }
    }

    /// The program that [`RESTIC`] names, as `proof/bench/peers/restic/build` leaves one. If it
    /// names none, a line on standard error says that `what` is left out.
    pub fn for_test(what: &str) -> Option<Restic> {
        let program = std::env::var_os(RESTIC);
        if program.is_none() {
            eprintln!("left out: {what}: {RESTIC} names no restic");
        }
        program.map(Restic::new)
    }

    /// Calls restic with a repository that [`PASSWORD`] opens, without a cache.
    ///
    /// # Errors
    /// If it can't be started. That it failed is in the answer.
    pub fn call<S: AsRef<OsStr>>(
        &self,
        repository: &Path,
        words: impl IntoIterator<Item = S>,
    ) -> io::Result<Said> {
        let output = self.command(repository).args(words).output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Said {
            exit: output.status.code().unwrap_or(255),
            out: text(&output.stdout),
            errors: text(&output.stderr),
        })
    }

    /// The same call, for those who need its output as it comes.
    pub fn command(&self, repository: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--no-cache").arg("-r").arg(repository).env("RESTIC_PASSWORD", PASSWORD);
        command.env("TZ", "UTC").stdin(Stdio::null());
        command
    }

    /// Standard output of a call that succeeds.
    ///
    /// # Errors
    /// If it can't be started or fails; with its last words.
    pub fn answer<S: AsRef<OsStr>>(
        &self,
        repository: &Path,
        words: impl IntoIterator<Item = S>,
    ) -> io::Result<String> {
        let said = self.call(repository, words)?;
        if said.exit != 0 {
            let words = said.errors.lines().last().unwrap_or("it said nothing");
            return Err(io::Error::other(format!("restic ended with {}: {words}", said.exit)));
        }
        Ok(said.out)
    }

    /// Makes a snapshot of the given files and folders.
    ///
    /// # Errors
    /// As of [`Restic::answer`].
    pub fn backup(
        &self,
        repository: &Path,
        options: &BackupOptions<'_>,
        paths: &[PathBuf],
    ) -> io::Result<()> {
        let mut words = vec!["backup", "--quiet", "--host", options.host, "--time", options.time];
        options.tags.iter().for_each(|tag| words.extend(["--tag", tag]));
        let words = words.into_iter().map(OsStr::new);
        self.answer(repository, words.chain(paths.iter().map(|path| path.as_os_str()))).map(drop)
    }
}

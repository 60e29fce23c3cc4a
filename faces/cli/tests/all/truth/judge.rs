//! Two programs asked the same question, and the parts of their answers that must be equal.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use manicule_testkit::answers::{sorted, without_times};
use manicule_testkit::number;

/// Version of ripgrep whose behaviour we keep; another version may differ.
const VERSION: &str = "ripgrep 15.";

/// No call of these tests takes this long, unless it hangs.
const HANGS_AFTER: Duration = Duration::from_secs(60);

pub(super) fn ours() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_manicule"))
}

/// The seeds of a test: `MANICULE_ROUNDS` of them, or the number of a quick run.
pub(super) fn seeds(usual: u64) -> std::ops::Range<u64> {
    let first = number("MANICULE_SEED").unwrap_or(0);
    first..first + number("MANICULE_ROUNDS").unwrap_or(usual)
}

/// The program whose answer is right.
pub(super) enum Judge {
    /// ripgrep itself.
    Ripgrep(PathBuf),
    /// Our own walk, without any index.
    PlainWalk,
}

impl Judge {
    pub(super) fn find() -> Judge {
        let named = std::env::var_os("MANICULE_RG").map(PathBuf::from);
        let usual = ["rg", "/usr/bin/rg"].map(PathBuf::from);
        let found = named.into_iter().chain(usual).find(|path| {
            let output = Command::new(path).arg("--version").output();
            output.is_ok_and(|output| output.stdout.starts_with(VERSION.as_bytes()))
        });
        if found.is_none() {
            eprintln!("left out: rg, judged by --no-index");
        }
        found.map_or(Judge::PlainWalk, Judge::Ripgrep)
    }
}

/// Folder and environment of a call.
pub(super) struct Place<'a> {
    pub(super) current_dir: &'a Path,
    pub(super) home: &'a Path,
    pub(super) cache: &'a Path,
}

impl Place<'_> {
    /// A call of our program by `name`.
    pub(super) fn ours(&self, name: &str) -> Command {
        self.surround(Command::new(ours()), name)
    }

    fn surround(&self, mut command: Command, name: &str) -> Command {
        command.arg0(name).current_dir(self.current_dir);
        for gone in
            ["RIPGREP_CONFIG_PATH", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "MANICULE_NO_INDEX"]
        {
            command.env_remove(gone);
        }
        command.env("HOME", self.home).env("MANICULE_CACHE_DIR", self.cache);
        command
    }

    /// Our answer, with the index; `extra` are flags that only we have.
    pub(super) fn answer(&self, extra: &[&str], words: &[OsString]) -> Answer {
        let mut command = self.ours("manicule");
        command.arg("find").args(extra).args(words);
        Answer::of(command, words)
    }

    /// The right answer.
    pub(super) fn truth(&self, judge: &Judge, words: &[OsString]) -> Answer {
        Answer::of(self.judging(judge, words), words)
    }

    /// Our answer and the right one, of processes that may read what modes let them read, though
    /// they be root's.
    pub(super) fn without_rights(&self, judge: &Judge, words: &[OsString]) -> (Answer, Answer) {
        let answer = |inner: Command| {
            let mut command = self.surround(Command::new("setpriv"), "setpriv");
            command.args(["--bounding-set=-all", "--inh-caps=-all"]);
            command.arg(inner.get_program()).args(inner.get_args());
            Answer::of(command, words)
        };
        let mut ours = Command::new(ours());
        ours.arg("find").args(words);
        (answer(ours), answer(self.judging(judge, words)))
    }

    fn judging(&self, judge: &Judge, words: &[OsString]) -> Command {
        let mut command = match judge {
            Judge::Ripgrep(path) => self.surround(Command::new(path), "rg"),
            Judge::PlainWalk => self.ours("manicule"),
        };
        if let Judge::PlainWalk = judge {
            command.args(["find", "--no-index"]);
        }
        command.args(words);
        command
    }

    /// Builds the index or brings it up to date; returns its messages and whether it succeeded.
    pub(super) fn build(&self, tree: &Path, flags: &[&str]) -> Result<String, String> {
        let mut command = self.ours("manicule");
        command.args(["cache", "build"]).args(flags).arg(tree).stdin(Stdio::null());
        let output = command.output().expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            Ok(text(&output.stdout))
        } else {
            Err(format!("{}: {}", output.status, text(&output.stderr)))
        }
    }
}

/// Result of a call, without the parts that may differ between two runs of the same program.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

impl Answer {
    fn of(mut command: Command, words: &[OsString]) -> Answer {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stdout = drain(child.stdout.take().expect("a pipe"));
        let stderr = drain(child.stderr.take().expect("a pipe"));
        let started = Instant::now();
        let status = loop {
            match child.try_wait().expect("a child of ours") {
                Some(status) => break status,
                None if started.elapsed() > HANGS_AFTER => {
                    let _ = child.kill();
                    panic!("{command:?} hangs");
                }
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        let join = |reader: std::thread::JoinHandle<Vec<u8>>| reader.join().expect("a reader");
        let answer = Answer { code: status.code(), stdout: join(stdout), stderr: join(stderr) };
        answer.tidy(words)
    }

    fn tidy(mut self, words: &[OsString]) -> Answer {
        let has = |flag: &str| words.iter().any(|word| word == flag);
        if has("--json") || has("--stats") {
            self.stdout = without_times(&self.stdout);
        }
        if has("--null-data") || has("-0") {
            self.stdout.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b'\n');
        }
        if !has("--sort=path") {
            self.stdout = sorted(&self.stdout);
        }
        let lines = self.stderr.split(|byte| *byte == b'\n').map(|line| {
            let named = [&b"rg: "[..], b"manicule: "];
            named.iter().find_map(|name| line.strip_prefix(*name)).unwrap_or(line)
        });
        let lines: Vec<&[u8]> = lines.collect();
        let text =
            String::from_utf8_lossy(&lines.join(&b'\n')).replace("means manicule", "means ripgrep");
        self.stderr = sorted(text.as_bytes());
        self
    }

    /// Lines that only this answer has, compared with the other.
    pub(super) fn beside(&self, other: &Answer) -> String {
        let mut shown = format!("exit {:?}", self.code);
        let streams =
            [(&self.stdout, &other.stdout, "stdout"), (&self.stderr, &other.stderr, "stderr")];
        for (bytes, others, name) in streams {
            let known: Vec<&[u8]> = others.split(|byte| *byte == b'\n').collect();
            let own = bytes.split(|byte| *byte == b'\n').filter(|line| !known.contains(line));
            for line in own.take(6) {
                let text: String = String::from_utf8_lossy(line).chars().take(300).collect();
                shown += &format!("\n    only {name}: {text:?}");
            }
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
            shown += &format!("\n    {name}: {lines} lines in all, {} bytes", bytes.len());
        }
        shown
    }
}

fn drain(mut pipe: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

/// Words of a command line.
pub(super) fn words<W: AsRef<OsStr>>(words: &[W]) -> Vec<OsString> {
    words.iter().map(|word| word.as_ref().to_owned()).collect()
}

//! Calls of the program within bounds of time and memory.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Seconds after which a call hangs.
const SECONDS_MAX: u32 = 30;
/// KiB of memory of its own that a call may take: what damaged lengths ask for is more.
const MEMORY_KIB_MAX: u32 = 3 << 20;

/// The program: that of `MANICULE_PROGRAM`, if it names one, which may be optimised.
fn program() -> OsString {
    env::var_os("MANICULE_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_manicule").into())
}

/// What a call printed, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Nothing if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Seen {
    /// Calls the program in a folder. Its caches lie in `cache` beside it.
    pub(crate) fn of(folder: &Path, words: &str) -> Seen {
        let script = format!(
            "ulimit -c 0; ulimit -d {MEMORY_KIB_MAX}; exec timeout -s KILL {SECONDS_MAX} \"$@\""
        );
        let output: Output = Command::new("sh")
            .args(["-c", &script, "sh"])
            .arg(program())
            .args(words.split_whitespace())
            .current_dir(folder)
            .env("MANICULE_CACHE_DIR", folder.join("cache"))
            .env("RESTIC_PASSWORD", "manicule-golden")
            .env_remove("MANICULE_NO_INDEX")
            .env_remove("RIPGREP_CONFIG_PATH")
            .env_remove("RESTIC_REPOSITORY")
            .stdin(Stdio::null())
            .output()
            .expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Seen { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Whether it was killed for its time.
    pub(crate) fn hung(&self) -> bool {
        self.code == Some(137)
    }
}

//! The cache of our indexes: its folder, its limits, and its background maintenance.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use manicule_code::shards::SEEN;
use manicule_code::tree::{
    self, BuildError, BuildOptions, BuildReport, IndexUse, Reuse, Upkeep, WhenBusy,
};
use manicule_core::bytes::mix;
use manicule_core::watch::Watch;

/// Limit of all indexes together in bytes, unless the user says otherwise.
pub const LEN_MAX: u64 = 4 << 30;

/// Default memory of a build in bytes, approximate: enough for one segment of a Linux tree.
pub const BUILD_MEMORY: u64 = 256 << 20;

/// Name of the file of hashes of what was said once, a line each.
const TOLD: &str = "told";

/// Length from which on that file is begun again.
const TOLD_LEN_MAX: usize = 64 << 10;

/// The cache folder and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// The folder; it may not exist yet.
    pub folder: PathBuf,
    /// Limit of all indexes together in bytes.
    pub len_max: u64,
}

impl Cache {
    /// The user's cache: `MANICULE_CACHE_DIR`, or `manicule` in `XDG_CACHE_HOME` or in `~/.cache`;
    /// its limit in bytes is `MANICULE_CACHE_MAX`. `None` where `MANICULE_NO_INDEX` is set to
    /// anything but `0`, and where there is no such folder.
    pub fn of_user() -> Option<Self> {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        if set("MANICULE_NO_INDEX").is_some_and(|value| value != "0") {
            return None;
        }
        let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
        let in_home = || Some(absolute(set("HOME")?)?.join(".cache/manicule"));
        let in_xdg = || Some(absolute(set("XDG_CACHE_HOME")?)?.join("manicule"));
        let folder =
            set("MANICULE_CACHE_DIR").map(PathBuf::from).or_else(in_xdg).or_else(in_home)?;
        let len_max = set("MANICULE_CACHE_MAX").and_then(|len| len.to_str()?.parse().ok());
        Some(Cache { folder, len_max: len_max.unwrap_or(LEN_MAX) })
    }

    /// The use of the cache by a search. `max_age`: age up to which an earlier check is believed.
    pub fn index_use(&self, max_age: Option<std::time::Duration>) -> IndexUse {
        IndexUse { cache: self.folder.clone(), max_age, clock: now_ns }
    }

    /// Whether a text that is about paths below `current_dir` is said to this user for the first
    /// time; it counts as said then. Where that can't be remembered it always is.
    pub fn tells_once(&self, text: &str, current_dir: &Path) -> bool {
        let mut words = text.as_bytes().to_vec();
        words.extend_from_slice(current_dir.as_os_str().as_encoded_bytes());
        let hash = words.chunks(8).fold(words.len() as u64, |hash, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            mix(hash, u64::from_le_bytes(word))
        });
        let (path, line) = (self.folder.join(TOLD), format!("{hash:016x}\n"));
        let told = std::fs::read_to_string(&path).unwrap_or_default();
        if told.lines().any(|told| told == line.trim_end()) {
            return false;
        }
        let mut file = std::fs::OpenOptions::new();
        file.create(true).write(true);
        if told.len() < TOLD_LEN_MAX {
            file.append(true)
        } else {
            file.truncate(true)
        };
        // Said again is better than not at all.
        let _ = std::fs::create_dir_all(&self.folder)
            .and_then(|()| file.open(&path))
            .and_then(|mut file| file.write_all(line.as_bytes()));
        true
    }

    /// Forgets what was said once, and what runs over folders have seen.
    pub fn forget_notes(&self) {
        for name in [TOLD, SEEN] {
            // Emptied: nothing has to be removed for that.
            let mut file = std::fs::OpenOptions::new();
            let _ = file.write(true).truncate(true).open(self.folder.join(name));
        }
    }

    /// Builds the index of the tree at `root`, or brings it up to date.
    pub fn build(
        &self,
        root: &Path,
        work: &Work,
        watch: &Watch<'_>,
    ) -> Result<BuildReport, BuildError> {
        tree::build(
            root,
            &BuildOptions {
                cache: &self.folder,
                reuse: work.reuse,
                when_busy: work.when_busy,
                threads: work.threads,
                memory: work.memory,
                cache_len_max: self.len_max,
                clock: &now_ns,
            },
            watch,
        )
    }
}

/// Limits of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Whether entries of an existing index are reused.
    pub reuse: Reuse,
    /// Behaviour while another process is building the same index.
    pub when_busy: WhenBusy,
    /// Number of threads.
    pub threads: usize,
    /// Memory in bytes, approximate.
    pub memory: u64,
}

/// Starts a process of lowest priority that looks after an index, and doesn't wait for it. It can
/// be killed at any time.
///
/// `program` is this program, which has the command `cache build`.
pub fn look_after(program: &Path, upkeep: &Upkeep) -> io::Result<()> {
    let mut command = Command::new(program);
    // Not the name of this call: that may be `rg`.
    command.arg0("manicule").args(["cache", "build", "--background"]);
    if upkeep.from_scratch {
        command.arg("--all");
    }
    command.arg("--").arg(&upkeep.root).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

/// Gives this process the lowest priority, in a session of its own.
pub fn run_in_background() {
    manicule_store::run_in_background();
}

/// The clock, in nanoseconds since 1970.
pub fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

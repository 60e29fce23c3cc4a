//! By how much a process grows while it does something: in a process of its own, where nothing
//! else is tested.

use std::collections::HashMap;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;
use std::{env, fs};

/// Says to a test that it is in the process that is measured.
const MEASURED: &str = "MANICULE_MEASURED";

/// By how many bytes a process has grown at most.
#[derive(Debug)]
pub(super) struct Grown {
    /// Of its own: mapped files, which the system may drop, are no part of them.
    pub(super) own: u64,
    /// All that was resident.
    pub(super) all: u64,
    /// What the job has returned.
    pub(super) answered: u64,
}

/// Does a job of a test, which is called by its name, in a process of its own, and measures what
/// comes after its preparation; `None` in that process.
pub(super) fn grown<T>(
    test: &str,
    prepare: impl FnOnce() -> T,
    job: impl FnOnce(&T) -> u64,
) -> Option<Grown> {
    if env::var_os(MEASURED).is_some() {
        measure(&prepare(), job);
        return None;
    }
    let mut child = Command::new(env::current_exe().expect("this program"));
    child.args(["--exact", test, "--nocapture"]).env(MEASURED, "1");
    let output = child.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{error}");
    let line = said.lines().find_map(|line| line.split_once("measured: "));
    let (_, numbers) = line.unwrap_or_else(|| panic!("{said}{error}"));
    let numbers: Vec<u64> = numbers.split(' ').map(|one| one.parse().expect("bytes")).collect();
    let [own, all, answered] = numbers[..] else { panic!("{said}") };
    Some(Grown { own, all, answered })
}

fn measure<T>(prepared: &T, job: impl FnOnce(&T) -> u64) {
    // The peak of all that is resident begins again, where the kernel lets it.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let before = status();
    let is_over = AtomicBool::new(false);
    let (answered, peak) = thread::scope(|scope| {
        let sampler = scope.spawn(|| {
            let mut peak = 0;
            while !is_over.load(Relaxed) {
                peak = peak.max(status()["RssAnon"]);
                thread::sleep(Duration::from_millis(1));
            }
            peak
        });
        let over = Over(&is_over);
        let answered = job(prepared);
        drop(over);
        (answered, sampler.join().expect("a peak"))
    });
    let own = peak.saturating_sub(before["RssAnon"]);
    let all = status()["VmHWM"].saturating_sub(before["VmRSS"]);
    println!("measured: {own} {all} {answered}");
}

/// Says that it is over when it is dropped, also by a panic.
struct Over<'o>(&'o AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Bytes of this process by the kernel's names.
fn status() -> HashMap<String, u64> {
    let status = fs::read_to_string("/proc/self/status").expect("the status of this process");
    let line = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let kib: u64 = rest.trim().strip_suffix(" kB")?.parse().ok()?;
        Some((name.to_owned(), kib << 10))
    };
    status.lines().filter_map(line).collect()
}

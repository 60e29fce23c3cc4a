//! Requests of a process to its host: a limit on handles that suffices, none that children inherit,
//! and a lower priority.

use std::os::fd::AsFd;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Whether the process may hold the handles that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// There is.
    Granted,
    /// The limit of the process is too low.
    Refused,
}

/// Raises the limit on open handles by `count` above the few that a process has anyway.
///
/// Call it before threads start: the table of handles then grows at once and without waiting, where
/// growing it under several threads waits for a grace period of the kernel each time it doubles,
/// some milliseconds in all.
pub fn reserve_handles(count: usize) -> Reserve {
    const SPARE: u64 = 256;
    let want = count as u64 + SPARE;
    let limit = getrlimit(Resource::Nofile);
    let enough = |limit: Option<u64>| limit.is_none_or(|limit| limit >= want);
    if !enough(limit.current) {
        if !enough(limit.maximum) {
            return Reserve::Refused;
        }
        let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
        if setrlimit(Resource::Nofile, raised).is_err() {
            return Reserve::Refused;
        }
    }
    // A handle with a high number makes the table that long; it can go at once.
    let Ok(root) = std::fs::File::open("/") else { return Reserve::Refused };
    match fcntl_dupfd_cloexec(root.as_fd(), want as i32 - 1) {
        Ok(_) => Reserve::Granted,
        Err(_) => Reserve::Refused,
    }
}

/// Makes this process stand back: lowest priority, a session of its own, so that no terminal's
/// signal ends it.
pub fn run_in_background() {
    leave_terminal();
    stand_back();
}

/// Gives this process a session of its own, so that no terminal's signal ends it.
pub fn leave_terminal() {
    // It may be refused, as to a process that leads a session already. The work is the same then.
    let _ = rustix::process::setsid();
}

/// Gives this thread, and those that it starts, the lowest priority; where threads have none of
/// their own, the process.
pub fn stand_back() {
    let _ = rustix::process::setpriority_process(None, 19);
}

/// Has children not inherit what this process has inherited, but for the standard streams: a pipe
/// that somebody reads would stay open as long as they run.
pub fn keep_handles() {
    #[cfg(target_os = "linux")]
    // SAFETY: no handle is closed here, only marked to be closed in a program that is started. The
    // kernel takes any bounds.
    let _ = unsafe { libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC as _) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_handles_are_granted_and_too_many_refused() {
        assert_eq!(reserve_handles(100), Reserve::Granted);
        if getrlimit(Resource::Nofile).maximum.is_some() {
            assert_eq!(reserve_handles(usize::MAX / 4), Reserve::Refused);
        }
    }
}

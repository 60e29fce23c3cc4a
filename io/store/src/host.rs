//! Requests of a process to its host: a limit on handles that suffices, and a lower priority.

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
/// Call it before threads start: the table of handles then grows at once and without waiting, where growing it under
/// several threads waits for a grace period of the kernel each time it doubles, some milliseconds in all.
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

/// Makes this process stand back: lowest priority, a session of its own, so that no terminal's signal ends it.
pub fn run_in_background() {
    // Either may be refused, as to a process that leads a session already. The work is the same then.
    let _ = rustix::process::setsid();
    let _ = rustix::process::setpriority_process(None, 19);
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

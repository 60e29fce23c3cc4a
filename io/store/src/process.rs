//! This process and its machine, as others shall read of them: names for locks.

use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::{Pid, getgid, getuid, test_kill_process};

/// Name of the machine.
pub fn hostname() -> io::Result<String> {
    let name = fs::read("/proc/sys/kernel/hostname")?;
    Ok(String::from_utf8_lossy(name.trim_ascii()).into_owned())
}

/// Who runs this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Name by `/etc/passwd`; empty where it has none, as of users that a directory service knows.
    pub name: String,
    /// The user's number.
    pub uid: u32,
    /// The group's number.
    pub gid: u32,
}

/// Who runs this process.
pub fn user() -> User {
    let (uid, gid) = (getuid().as_raw(), getgid().as_raw());
    let passwd = fs::read("/etc/passwd").unwrap_or_default();
    User { name: name_in(&passwd, uid).unwrap_or_default(), uid, gid }
}

/// A user's name in the lines `name:password:uid:...`.
fn name_in(passwd: &[u8], uid: u32) -> Option<String> {
    let uid = uid.to_string();
    passwd.split(|byte| *byte == b'\n').find_map(|line| {
        let mut fields = line.split(|byte| *byte == b':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number == uid.as_bytes()).then(|| String::from_utf8_lossy(name).into_owned())
    })
}

/// Whether a process of this machine is running; one of another user too.
pub fn is_running(pid: i64) -> bool {
    let pid = i32::try_from(pid).ok().filter(|pid| *pid > 0).and_then(Pid::from_raw);
    pid.is_some_and(|pid| !matches!(test_kill_process(pid), Err(Errno::SRCH)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_lines_with_the_number() {
        let passwd = b"root:x:0:0:root:/root:/bin/sh\n\nkim:x:1000:100::/:\nlee:x:10\n";
        assert_eq!(name_in(passwd, 0).as_deref(), Some("root"));
        assert_eq!(name_in(passwd, 1000).as_deref(), Some("kim"));
        assert_eq!(name_in(passwd, 10).as_deref(), Some("lee"));
        assert_eq!(name_in(passwd, 1), None);
        assert!(!hostname().unwrap().is_empty());
    }

    #[test]
    fn a_process_runs_until_it_was_waited_for() {
        assert!(is_running(std::process::id().into()) && is_running(1));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = i64::from(child.id());
        assert!(is_running(pid));
        child.wait().unwrap();
        assert!(!is_running(pid) && !is_running(0) && !is_running(-1) && !is_running(i64::MAX));
    }
}

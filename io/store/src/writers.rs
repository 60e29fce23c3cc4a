//! Who may change a file without its times showing it: whoever has it mapped for writing.
//!
//! A store through a shared mapping sets a file's times when its page is first written to, and not
//! again before the kernel has written that page out. So times prove contents only if nobody had
//! the file mapped when it was read. The kernel knows: it grants a read lease (fcntl(2)) only on a
//! file that nobody has open for writing, and who has it mapped for writing has it open, though its
//! handle be closed. Three calls, about 2 microseconds.

use std::fs::File;
use std::os::fd::AsRawFd;

/// Names the signal that fcntl(2) sends; the `libc` crate has its number for some systems only.
const F_SETSIG: libc::c_int = 10;

/// Whether anybody has a file open, or mapped, for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// Nobody.
    None,
    /// Somebody.
    Some,
    /// Unknown: the file is another user's, or the file system has no leases.
    Unknown,
}

/// Asks the kernel who has a file open for writing; it must be open for reading only.
pub fn writers(file: &File) -> Writers {
    // Whoever opens the file for writing while the lease is ours waits for its end, and we are sent
    // a signal. That one must not be SIGIO, which ends the process: SIGURG is passed over where
    // nobody waits for it.
    if !is_done(file, F_SETSIG, libc::SIGURG) {
        return Writers::Unknown;
    }
    if is_done(file, libc::F_SETLEASE, libc::F_RDLCK) {
        is_done(file, libc::F_SETLEASE, libc::F_UNLCK);
        return Writers::None;
    }
    match std::io::Error::last_os_error().raw_os_error() {
        Some(libc::EAGAIN) => Writers::Some,
        _ => Writers::Unknown,
    }
}

fn is_done(file: &File, command: libc::c_int, argument: libc::c_int) -> bool {
    // SAFETY: the handle is open as long as the file is borrowed, and these commands take a number,
    // no address.
    unsafe { libc::fcntl(file.as_raw_fd(), command, argument) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_a_file_open_or_mapped_for_writing_is_seen() {
        let mut made = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut made, b"text").unwrap();
        let read = File::open(made.path()).unwrap();
        assert_eq!(writers(&read), Writers::Some, "open");
        // SAFETY: nobody else writes to the file.
        let map = unsafe { memmap2::MmapMut::map_mut(made.as_file()).unwrap() };
        let path = made.into_temp_path();
        assert_eq!(writers(&read), Writers::Some, "mapped and closed");
        drop(map);
        assert_eq!(writers(&read), Writers::None);
        let other = File::open(&path).unwrap();
        assert_eq!(writers(&read), Writers::None, "open for reading");
        drop(other);
    }

    #[test]
    fn a_lease_does_not_stay() {
        let made = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let read = File::open(&made).unwrap();
        assert_eq!(writers(&read), Writers::None);
        // Would wait for the end of a lease.
        drop(File::options().write(true).open(&made).unwrap());
        assert_eq!(writers(&read), Writers::None);
    }
}

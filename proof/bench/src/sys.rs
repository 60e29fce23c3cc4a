//! The few system calls that std lacks: waiting with resource usage, adopting orphans, dropping
//! cached pages, and statx by handle and name. Each is a safe function around one call.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Resources used by a process, from start to end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// User and system time of the process and of the children it waited for.
    pub cpu_ms: f64,
    /// The largest resident set.
    pub peak_kib: i64,
    /// Exit code, or 128 + signal.
    pub exit: i32,
}

/// Whether a wait blocks until a process ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// It blocks.
    Block,
    /// It returns at once.
    Poll,
}

/// Waits for one child (or any, with `pid` -1). `None`: nothing has ended yet, when polling.
/// An error of kind `NotFound`: there is no child left.
pub(crate) fn wait(pid: i32, patience: Patience) -> io::Result<Option<Usage>> {
    let options = if patience == Patience::Poll { libc::WNOHANG } else { 0 };
    loop {
        let mut status = 0;
        // SAFETY: rusage is plain integers, for which all zeroes is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both pointers are to live locals of the types that wait4 fills.
        let ended = unsafe { libc::wait4(pid, &mut status, options, &mut usage) };
        if ended > 0 {
            let exit = if libc::WIFEXITED(status) {
                libc::WEXITSTATUS(status)
            } else {
                128 + libc::WTERMSIG(status)
            };
            let cpu_ms = time_ms(usage.ru_utime) + time_ms(usage.ru_stime);
            return Ok(Some(Usage { cpu_ms, peak_kib: usage.ru_maxrss, exit }));
        }
        if ended == 0 {
            return Ok(None);
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::ECHILD) => return Err(io::ErrorKind::NotFound.into()),
            _ => return Err(error),
        }
    }
}

fn time_ms(time: libc::timeval) -> f64 {
    time.tv_sec as f64 * 1e3 + time.tv_usec as f64 / 1e3
}

/// User and system time of this process so far.
pub(crate) fn own_cpu_ms() -> f64 {
    // SAFETY: rusage is plain integers, for which all zeroes is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live local of the type that getrusage fills.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    time_ms(usage.ru_utime) + time_ms(usage.ru_stime)
}

/// User and system time of this thread so far, in us: as fine as the clock.
pub(crate) fn thread_cpu_us() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live local of the type that clock_gettime fills.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// From now on a process whose parent is gone becomes our child, so that what a measured program
/// left running is waited for (and counted) before the next one starts.
pub(crate) fn adopt_orphans() {
    // SAFETY: PR_SET_CHILD_SUBREAPER takes one integer and touches no memory of ours.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Returns the allocator's free memory to the system, so that memory taken from here on is
/// measured.
pub(crate) fn give_memory_back() {
    // SAFETY: malloc_trim takes one integer and touches no memory that is in use.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Asks the kernel to forget the cached pages of a file. Dirty pages stay: sync before.
pub(crate) fn drop_pages(file: &File) -> io::Result<()> {
    // SAFETY: an open descriptor and three integers; no memory of ours is touched.
    match unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Opens a folder as a handle for names below it, without the right to read it.
pub(crate) fn open_folder(at: Option<&OwnedFd>, path: &CStr) -> io::Result<OwnedFd> {
    let at = at.map_or(libc::AT_FDCWD, AsRawFd::as_raw_fd);
    let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
    // SAFETY: `path` ends in a NUL and outlives the call.
    let fd = unsafe { libc::openat(at, path.as_ptr(), flags) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: openat just gave us this descriptor; nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The fields that prove a file unchanged, mixed into one number; `None` if it doesn't exist.
/// With an empty name: of the folder itself.
pub(crate) fn fingerprint(folder: &OwnedFd, name: &CStr) -> Option<u64> {
    let mask = libc::STATX_TYPE
        | libc::STATX_SIZE
        | libc::STATX_MTIME
        | libc::STATX_CTIME
        | libc::STATX_INO;
    let flags = libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH;
    // SAFETY: statx is plain integers, for which all zeroes is a value.
    let mut got: libc::statx = unsafe { std::mem::zeroed() };
    // SAFETY: `name` ends in a NUL and outlives the call; `got` is a live local of the right type.
    let code = unsafe { libc::statx(folder.as_raw_fd(), name.as_ptr(), flags, mask, &mut got) };
    (code == 0).then(|| {
        let time = |t: libc::statx_timestamp| {
            (t.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(u64::from(t.tv_nsec))
        };
        let device = u64::from(got.stx_dev_major) << 32 | u64::from(got.stx_dev_minor);
        [time(got.stx_mtime), time(got.stx_ctime), got.stx_ino, u64::from(got.stx_mode), device]
            .into_iter()
            .fold(got.stx_size, |mix, field| {
                (mix ^ field).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
            })
    })
}

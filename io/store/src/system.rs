//! File systems and kernel settings: what a file's times can prove.

use std::ffi::{CString, OsStr};
use std::fs;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::CWD;
use rustix::io::Errno;

use super::entry::{look_at, open_folder};

/// Whether a file system notes changes in the times of its entries so that they can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepsTimes {
    /// A local file system: every change is there for the next look, but for stores into a mapped
    /// page that is to be written out already.
    Yes,
    /// The same, through an overlay: [`super::writers`] doesn't see who has a file mapped and
    /// closed it.
    Stacked,
    /// A network, user-space or made-up one, where times may be cached, coarse or absent; or one in
    /// memory, where no store through a mapping ever sets them.
    No,
}

/// The magic numbers of statfs(2): ext2/3/4, xfs, btrfs, f2fs, zfs, bcachefs. Not tmpfs and ramfs:
/// a page that was read through a shared mapping there can be written at once, and nobody is
/// notified.
const LOCAL: [u64; 6] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e];
const OVERLAY: u64 = 0x794c_7630;
const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];

/// Asks the file system that `folder` lies on.
pub fn keeps_times(folder: BorrowedFd<'_>) -> Result<KeepsTimes, Errno> {
    let magic = magic(folder)?;
    Ok(match magic {
        OVERLAY if lies_in_memory(folder) => KeepsTimes::No,
        OVERLAY => KeepsTimes::Stacked,
        _ if LOCAL.contains(&magic) => KeepsTimes::Yes,
        _ => KeepsTimes::No,
    })
}

fn magic(folder: BorrowedFd<'_>) -> Result<u64, Errno> {
    Ok(rustix::fs::fstatfs(folder)?.f_type as u64 & 0xffff_ffff)
}

/// Whether the layer that an overlay writes to is known to lie in memory. Within a container it
/// mostly can't be seen.
fn lies_in_memory(folder: BorrowedFd<'_>) -> bool {
    let upper = || {
        let device = look_at(folder).ok()?.device;
        let mounts = fs::read("/proc/self/mountinfo").ok()?;
        let upper = CString::new(upper_of(&mounts, device)?.into_os_string().into_encoded_bytes());
        magic(open_folder(CWD, &upper.ok()?).ok()?.as_fd()).ok()
    };
    upper().is_some_and(|magic| IN_MEMORY.contains(&magic))
}

/// The upper layer of the overlay with this device, out of the lines of mountinfo, proc(5).
fn upper_of(mounts: &[u8], device: u64) -> Option<PathBuf> {
    let wanted = format!("{}:{}", device >> 32, device & 0xffff_ffff);
    let mut lines = mounts.split(|byte| *byte == b'\n');
    let line =
        lines.find(|line| line.split(|byte| *byte == b' ').nth(2) == Some(wanted.as_bytes()))?;
    let options = line.rsplit(|byte| *byte == b' ').next()?;
    let mut options = options.split(|byte| *byte == b',');
    let upper = options.find_map(|option| option.strip_prefix(b"upperdir="))?;
    Some(PathBuf::from(OsStr::from_bytes(&unescaped(upper))))
}

/// Blanks and the like stand in mountinfo as a backslash and three octal digits.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let code =
            digits.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 8).ok());
        out.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    out
}

/// Time after a store into it by which a page has been written out, by this kernel's settings and
/// with as much time again to spare; `None` where they don't say so.
pub fn written_out_after() -> Option<Duration> {
    let setting = |name: &str| -> Option<u64> {
        fs::read_to_string(format!("/proc/sys/vm/{name}")).ok()?.trim().parse().ok()
    };
    let (age, pause) = (setting("dirty_expire_centisecs")?, setting("dirty_writeback_centisecs")?);
    (pause > 0).then(|| Duration::from_millis(age.saturating_add(pause).saturating_mul(2 * 10)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_layer_of_an_overlay_is_found() {
        let mounts = b"44 27 0:38 / /a rw - overlay overlay rw,lowerdir=/l,upperdir=/no,workdir=/w\n\
            45 27 0:39 / /b rw shared:1 - overlay overlay rw,lowerdir=/l,upperdir=/u\\040v,workdir=/w\n";
        assert_eq!(upper_of(mounts, 39), Some(PathBuf::from("/u v")));
        assert_eq!(upper_of(mounts, 40), None);
    }

    #[test]
    fn file_systems_in_memory_keep_no_times() {
        match open_folder(CWD, c"/dev/shm") {
            Ok(folder) => assert_eq!(keeps_times(folder.as_fd()), Ok(KeepsTimes::No)),
            Err(_) => eprintln!("left out: /dev/shm"),
        }
    }
}

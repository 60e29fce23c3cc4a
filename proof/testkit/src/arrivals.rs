//! Names that appear in a folder, as the kernel reports them.

use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;

/// A watch over a folder, from its making on.
#[derive(Debug)]
pub struct Arrivals {
    events: OwnedFd,
}

impl Arrivals {
    /// Begins to note names.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        add_watch(&events, folder, WatchFlags::CREATE | WatchFlags::MOVED_TO)?;
        Ok(Arrivals { events })
    }

    /// Names that were created in the folder or moved there until now, in order.
    pub fn names(self) -> io::Result<Vec<OsString>> {
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(&self.events, &mut buffer);
        let mut names = Vec::new();
        loop {
            let event = match reader.next() {
                Err(Errno::AGAIN) => return Ok(names),
                event => event?,
            };
            if let Some(name) = event.file_name() {
                names.push(OsString::from_vec(name.to_bytes().to_vec()));
            }
        }
    }
}

//! Number of opens of a folder and its files, as the kernel reports them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;

/// A watch over a folder, from its making on.
#[derive(Debug)]
pub struct Opens {
    events: OwnedFd,
}

/// Numbers of opens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenCounts {
    /// Opens of the folder itself: each listing is one.
    pub folder: usize,
    /// Opens of its entries, by name; those that were not opened are missing.
    pub entries: BTreeMap<OsString, usize>,
}

impl Opens {
    /// Begins to count.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        // Closes are between the opens: of events that are alike and in a row the kernel keeps one.
        add_watch(&events, folder, WatchFlags::OPEN | WatchFlags::CLOSE_NOWRITE)?;
        Ok(Opens { events })
    }

    /// The opens until now.
    pub fn counts(self) -> io::Result<OpenCounts> {
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(&self.events, &mut buffer);
        let mut counts = OpenCounts::default();
        loop {
            let event = match reader.next() {
                Err(Errno::AGAIN) => return Ok(counts),
                event => event?,
            };
            if !event.events().contains(ReadFlags::OPEN) {
                continue;
            }
            match event.file_name() {
                None => counts.folder += 1,
                Some(name) => {
                    let name = OsString::from_vec(name.to_bytes().to_vec());
                    *counts.entries.entry(name).or_default() += 1;
                }
            }
        }
    }
}

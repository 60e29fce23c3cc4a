//! Classes of errors, the same for all engines and faces.

use std::io;

use crate::watch::Stopped;

/// Class of an error: what a program makes an exit code of, a server a status, a library an
/// exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// What was named isn't there: no file, no index, no table, no snapshot of that name.
    Missing,
    /// The question can't be understood, or can't be asked of what is there.
    Asked,
    /// The system, or the lack of a password, forbids it.
    Denied,
    /// Bytes contradict their format, or a part is gone.
    Damaged,
    /// Another process has it. The same call may succeed later.
    Busy,
    /// It would take more memory, time or rows than the caller allows.
    TooMuch,
    /// The caller's watch ended the call.
    Stopped,
    /// It is well formed, and of a kind that isn't read or written, or not by this build.
    Unsupported,
    /// Anything else: a disk that fails, a defect.
    Failed,
}

impl ErrorClass {
    /// Class of the system's error about a file.
    pub fn of_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                ErrorClass::Denied
            }
            io::ErrorKind::NotFound => ErrorClass::Missing,
            io::ErrorKind::Unsupported => ErrorClass::Unsupported,
            // Of files on the net: a server that asks to be left alone for a while.
            io::ErrorKind::ResourceBusy => ErrorClass::Busy,
            _ if error.get_ref().is_some_and(|inner| inner.is::<Stopped>()) => ErrorClass::Stopped,
            _ => ErrorClass::Failed,
        }
    }
}

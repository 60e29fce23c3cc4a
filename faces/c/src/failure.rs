//! Failures of calls: a status, and a message for people.

use std::cell::RefCell;

use manicule_labels::{FreezeError, Refused, StaleSnapshot};
use manicule_series::write::WriteError;

/// Status of a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The call succeeded.
    Ok = 0,
    /// There is no such series.
    NotFound = 1,
    /// A required pointer is null.
    Null = 2,
    /// A label set can't be taken.
    LabelsRefused = 3,
    /// The store is full.
    Full = 4,
    /// A boundary that no id has reached.
    BoundaryTooLarge = 5,
    /// The snapshot is of another store or another state.
    StaleSnapshot = 6,
    /// Another part of the index comes first, or an earlier call of this writer failed.
    WrongOrder = 7,
    /// The series or their chunks can't be written.
    Unwritable = 8,
    /// The caller's sink failed.
    SinkFailed = 9,
    /// The caller's source of chunks failed.
    SourceFailed = 10,
}

/// A status and its message.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Failure { status, message: message.into() }
    }

    pub(crate) fn null(what: &str) -> Self {
        Failure::new(Status::Null, format!("{what} is null"))
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        let is_full = refused == Refused::Full;
        let status = if is_full { Status::Full } else { Status::LabelsRefused };
        Failure::new(status, refused.to_string())
    }
}

impl From<FreezeError> for Failure {
    fn from(error: FreezeError) -> Self {
        Failure::new(Status::BoundaryTooLarge, error.to_string())
    }
}

impl From<StaleSnapshot> for Failure {
    fn from(error: StaleSnapshot) -> Self {
        Failure::new(Status::StaleSnapshot, error.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let is_source = matches!(error, WriteError::Source(_));
        let status = if is_source { Status::SourceFailed } else { Status::Unwritable };
        Failure::new(status, error.to_string())
    }
}

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs the body of a call, and keeps the message if it fails.
pub(crate) fn status(call: impl FnOnce() -> Result<(), Failure>) -> Status {
    match call() {
        Ok(()) => Status::Ok,
        Err(failure) => {
            LAST.with_borrow_mut(|last| *last = failure.message);
            failure.status
        }
    }
}

/// Copies the message of this thread's last failed call, and a zero byte, cut to `len`. Returns the
/// length of the whole message without the zero byte.
///
/// # Safety
/// `buffer` is null, or can hold `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manicule_error_message(buffer: *mut u8, len: usize) -> usize {
    LAST.with_borrow(|message| {
        if !buffer.is_null() && len > 0 {
            // SAFETY: the caller promises space for `len` bytes, and that nothing else writes there
            // during the call.
            let room = unsafe { std::slice::from_raw_parts_mut(buffer, len) };
            let shown = message.len().min(len - 1);
            room[..shown].copy_from_slice(&message.as_bytes()[..shown]);
            room[shown] = 0;
        }
        message.len()
    })
}

/// The items denoted by a pointer and a count.
///
/// # Safety
/// If `items` is not null, it points to `count` items that don't change as long as the slice is
/// used.
pub(crate) unsafe fn slice<'a, T>(
    items: *const T,
    count: usize,
    what: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    let is_possible =
        count.checked_mul(size_of::<T>()).is_some_and(|len| len <= isize::MAX as usize);
    if items.is_null() || !items.is_aligned() || !is_possible {
        return Err(Failure::null(what));
    }
    // SAFETY: not null, aligned and of a possible length as was checked; the caller promises the
    // items.
    Ok(unsafe { std::slice::from_raw_parts(items, count) })
}

/// Target of a handle.
///
/// # Safety
/// `handle` is null, or was given by this library, is not freed, and isn't used elsewhere
/// meanwhile.
pub(crate) unsafe fn handle<'a, T>(handle: *mut T, what: &str) -> Result<&'a mut T, Failure> {
    // SAFETY: the caller promises that a handle that is not null is alive and used by one thread.
    unsafe { handle.as_mut() }.ok_or_else(|| Failure::null(what))
}

/// Writes a result through the caller's pointer.
///
/// # Safety
/// `place` is null, or can be written.
pub(crate) unsafe fn put<T>(place: *mut T, value: T, what: &str) -> Result<(), Failure> {
    if place.is_null() || !place.is_aligned() {
        return Err(Failure::null(what));
    }
    // SAFETY: not null and aligned as was checked; the caller promises that it can be written.
    unsafe { place.write(value) };
    Ok(())
}

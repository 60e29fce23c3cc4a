//! What a parser of a window gives: a thing, or how long the window must be.
//!
//! Callers: data, index

use manicule_core::bytes::DecodeError;

/// A thing that was read from the front of a window, or the length that the window lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parsed<T> {
    /// It is there.
    Done(T),
    /// The window has to hold at least this many bytes, counted from its start; perhaps more after that.
    More {
        /// The length in bytes.
        len: usize,
    },
}

impl<T> Parsed<T> {
    /// What a function makes of the thing, if it is there.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Parsed<U> {
        match self {
            Parsed::Done(thing) => Parsed::Done(make(thing)),
            Parsed::More { len } => Parsed::More { len },
        }
    }

    /// The thing, where no more bytes can come: the file ends with the window.
    pub fn last(self, what: &'static str, at: u64, window: &[u8]) -> Result<T, DecodeError> {
        match self {
            Parsed::Done(thing) => Ok(thing),
            Parsed::More { len } => {
                let (need, have) = (len as u64, window.len() as u64);
                Err(DecodeError::Short { what, at, need, have })
            }
        }
    }
}

/// A result of reading a window that begins at `at`: where it says short, the window is, not the file.
pub(crate) fn windowed<T>(
    result: Result<T, DecodeError>,
    at: u64,
) -> Result<Parsed<T>, DecodeError> {
    match result {
        Ok(thing) => Ok(Parsed::Done(thing)),
        Err(DecodeError::Short { what, at: place, need, have }) => {
            let len = (place - at).checked_add(need).and_then(|len| usize::try_from(len).ok());
            let len = len.filter(|len| *len <= isize::MAX as usize);
            let error = DecodeError::Short { what, at: place, need, have };
            len.map(|len| Parsed::More { len }).ok_or(error)
        }
        Err(error) => Err(error),
    }
}

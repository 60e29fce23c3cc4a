//! What a parser of a window gives: a thing, or how long the window must be.

use manicule_core::bytes::DecodeError;

/// A thing that was read from the front of a window, or the length that the window lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parsed<T> {
    /// It is there.
    Done(T),
    /// The window has to hold at least this many bytes, counted from its start; perhaps more after
    /// that.
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

/// A result of reading a window that begins at `at`: where it says short, the window is, not the
/// file.
pub(crate) fn windowed<T>(
    result: Result<T, DecodeError>,
    at: u64,
) -> Result<Parsed<T>, DecodeError> {
    match result {
        Ok(thing) => Ok(Parsed::Done(thing)),
        Err(DecodeError::Short { what, at: place, need, .. }) => {
            let len = (place - at).checked_add(need).and_then(|len| usize::try_from(len).ok());
            // No window can be so long, whatever this one has.
            let (want, got) = (isize::MAX as u64, need);
            let error = DecodeError::Corrupt { what, at: place, want, got };
            len.filter(|len| *len as u64 <= want).map(|len| Parsed::More { len }).ok_or(error)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_that_no_window_has_is_the_same_error_in_all_windows() {
        let read = |have| {
            let error = DecodeError::Short { what: "value", at: 36, need: 1 << 63, have };
            windowed::<()>(Err(error), 30)
        };
        assert!(matches!(read(0), Err(DecodeError::Corrupt { at: 36, .. })));
        assert_eq!(read(0), read(2));
        let short = DecodeError::Short { what: "value", at: 36, need: 4, have: 2 };
        assert_eq!(windowed::<()>(Err(short), 30), Ok(Parsed::More { len: 10 }));
    }
}

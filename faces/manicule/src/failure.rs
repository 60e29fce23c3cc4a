//! The error of an answer, whatever it is of.

use std::fmt;

use manicule_core::ErrorClass;
use manicule_core::watch::Stopped;

/// Error of an answer: what went wrong in words, and its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    class: ErrorClass,
    text: String,
}

impl Failure {
    /// An error in the words of another one.
    pub fn new(class: ErrorClass, text: impl fmt::Display) -> Failure {
        Failure { class, text: text.to_string() }
    }

    /// What was asked can't be answered, for this reason.
    pub fn asked(why: impl fmt::Display) -> Failure {
        Failure::new(ErrorClass::Asked, why)
    }

    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        self.class
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        Failure::new(ErrorClass::Stopped, stopped)
    }
}

/// Errors of the kinds, each with its class.
macro_rules! from {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::new(error.class(), error)
            }
        })+
    };
}

from!(
    crate::blobs::Error,
    crate::graph::Error,
    crate::rows::Error,
    crate::series::Error,
    manicule_code::shards::ShardError,
    manicule_series::BlockError,
);

//! The error of an answer, whatever it is of.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

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

    /// The result of a call, or its panic as an error: for the border of a request, beyond which
    /// nobody knows of it. What the call borrows mustn't be used after a panic, only dropped.
    pub fn caught<T>(call: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let text = text.unwrap_or("a panic");
            Err(Failure::new(ErrorClass::Failed, format!("a defect of manicule: {text}")))
        })
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

//! The error of an answer, whatever it is of.

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

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

    /// An error with its causes, each after what it caused. Many say their cause themselves: that
    /// is not said again.
    pub fn with_causes(class: ErrorClass, error: &dyn Error) -> Failure {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let own = error.to_string();
            if own.strip_prefix(&text).is_some_and(|rest| rest.starts_with(": ")) {
                // A path in front of an error that begins with it.
                text = own;
            } else if !text.ends_with(&own) {
                text += ": ";
                text += &own;
            }
            cause = error.source();
        }
        Failure { class, text }
    }

    /// With a path in front, unless it begins with it.
    #[must_use]
    pub fn of_path(mut self, path: &Path) -> Failure {
        let path = path.display().to_string();
        if !self.text.strip_prefix(&path).is_some_and(|rest| rest.starts_with(": ")) {
            self.text = format!("{path}: {}", self.text);
        }
        self
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

impl Error for Failure {}

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
    crate::code::api::Error,
    crate::graph::Error,
    crate::rows::Error,
    crate::series::Error,
    manicule_code::shards::ShardError,
    manicule_series::BlockError,
    manicule_store::store::StoreError,
);

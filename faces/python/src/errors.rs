//! Failures as exceptions, one for each class of errors.

use manicule::{ErrorClass, Failure};
use pyo3::prelude::*;

/// Where the exceptions are declared.
const MODULE: &str = "manicule._errors";

fn name(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Missing => "MissingError",
        ErrorClass::Asked => "AskedError",
        ErrorClass::Denied => "DeniedError",
        ErrorClass::Damaged => "DamagedError",
        ErrorClass::Busy => "BusyError",
        ErrorClass::TooMuch => "TooMuchError",
        ErrorClass::Stopped => "StoppedError",
        ErrorClass::Unsupported => "UnsupportedError",
        ErrorClass::Failed => "FailedError",
    }
}

/// The exception of a failure.
pub(crate) fn raised(py: Python<'_>, failure: &Failure) -> PyErr {
    let exception = || class_named(py, name(failure.class()))?.call1((failure.to_string(),));
    exception().map_or_else(|error| error, PyErr::from_value)
}

/// The class of an exception.
pub(crate) fn class_named<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(MODULE)?.getattr(name)
}

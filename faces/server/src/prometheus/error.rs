//! Errors in the words of Prometheus' API.

use manicule::series::query::ExpressionError;
use manicule::{ErrorClass, Failure};

/// Kinds of errors, as `errorType` has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    BadData,
    Execution,
    Timeout,
    Unavailable,
    Internal,
    NotFound,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::BadData => "bad_data",
            Kind::Execution => "execution",
            Kind::Timeout => "timeout",
            Kind::Unavailable => "unavailable",
            Kind::Internal => "internal",
            Kind::NotFound => "not_found",
        }
    }
}

/// Error of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ApiError {
    pub(super) kind: Kind,
    pub(super) text: String,
}

impl ApiError {
    /// What was asked makes no sense.
    pub(super) fn bad(text: impl Into<String>) -> ApiError {
        ApiError { kind: Kind::BadData, text: text.into() }
    }

    /// A parameter makes no sense.
    pub(super) fn param(name: &str, text: impl AsRef<str>) -> ApiError {
        ApiError::bad(format!("invalid parameter {name:?}: {}", text.as_ref()))
    }

    /// An expression that is not answered: one that is none, or PromQL beyond selectors, with who
    /// answers that. `read` is the path of remote read here.
    pub(super) fn expression(error: &ExpressionError, read: &str) -> ApiError {
        if !error.is_beyond {
            return ApiError::param("query", error.to_string());
        }
        let text = format!(
            "{error}: this server answers selectors and numbers; a Prometheus that reads from it \
             answers the rest: remote_read: [{{url: \"http://HOST:PORT{read}\"}}]"
        );
        ApiError { kind: Kind::Execution, text }
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        let kind = match failure.class() {
            ErrorClass::Missing => Kind::NotFound,
            ErrorClass::Asked | ErrorClass::TooMuch | ErrorClass::Unsupported => Kind::Execution,
            ErrorClass::Stopped => Kind::Timeout,
            ErrorClass::Busy => Kind::Unavailable,
            ErrorClass::Denied | ErrorClass::Damaged | ErrorClass::Failed => Kind::Internal,
        };
        ApiError { kind, text: failure.to_string() }
    }
}

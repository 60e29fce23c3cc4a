//! Requests that weren't done, as answers: a status and a sentence in plain text.

use axum::http::header::ALLOW;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use manicule::graph::Error;
use manicule::{ErrorClass, Failure};

use super::refused::Refused;
use crate::refusal::{plain, refuse};

/// Why a request wasn't done.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It can't be, as it is.
    Refused(Refused),
    /// The call has failed.
    Failed(Failure),
}

impl From<Refused> for Trouble {
    fn from(refused: Refused) -> Trouble {
        Trouble::Refused(refused)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        Trouble::Failed(failure)
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        match self {
            Trouble::Failed(failure) => refuse(&failure),
            Trouble::Refused(Refused { status, why, allow }) => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
                let mut response = plain(status, &why);
                if let Some(allow) = allow {
                    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
                }
                response
            }
        }
    }
}

/// The failure of a change. A document that contradicts its syntax is what was asked, and not
/// damage of the server's.
pub(super) fn failure(error: Error) -> Failure {
    match error.place() {
        Some(_) => Failure::new(ErrorClass::Asked, error),
        None => Failure::from(error),
    }
}

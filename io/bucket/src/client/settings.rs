//! Settings of all clients.

use std::error::Error;
use std::io;

use object_store::{BackoffConfig, ClientOptions, RetryConfig};

use super::failure::innermost;
use crate::options::Limits;

/// Settings of all clients. There is no limit on the time that a request takes in all, as a slow
/// line is not an error; but something has to come.
pub(super) fn client_options(limits: &Limits, endpoint: Option<&str>) -> ClientOptions {
    ClientOptions::new()
        .with_timeout_disabled()
        .with_read_timeout(limits.silence)
        .with_allow_http(endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")))
        .with_user_agent(USER_AGENT.parse().expect("visible characters"))
}

const USER_AGENT: &str = concat!("manicule/", env!("CARGO_PKG_VERSION"));

pub(super) fn retry_config(limits: &Limits) -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: limits.first_wait,
        max_backoff: limits.first_wait * 100,
        base: 2.0,
    };
    RetryConfig { backoff, max_retries: limits.retries, retry_timeout: limits.patience }
}

/// The error of a client that can't be made.
pub(super) fn unset(error: &dyn Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, innermost(error))
}

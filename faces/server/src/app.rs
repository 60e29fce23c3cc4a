//! What every request sees.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::calls::Calls;
use crate::guard::Guard;
use crate::log::Log;
use crate::metrics::Metrics;
use crate::served::Served;

/// What every request sees. A clone is the same.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) served: Served,
    pub(crate) calls: Calls,
    pub(crate) guard: Arc<Guard>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Arc<Log>,
    /// Of its URLs.
    pub(crate) scheme: &'static str,
    /// Length of a request's body, in bytes.
    pub(crate) body_max: usize,
    /// File with the password of restic repositories, for the page.
    pub(crate) password_file: Option<Arc<Path>>,
}

/// Says a sentence on standard error.
pub(crate) fn say(sentence: &dyn fmt::Display) {
    eprintln!("manicule serve: {sentence}");
}

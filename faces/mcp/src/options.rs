//! What a service is set to.

use std::path::PathBuf;

use manicule::cache::Cache;

use crate::places::Places;

/// What a service is set to.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which paths calls may read.
    pub places: Places,
    /// Bytes of an answer, where the call says no budget.
    pub answer_len: usize,
    /// Number of threads of a call.
    pub threads: usize,
    /// The cache with the indexes of trees, which searches use and keep; `None`: they walk.
    pub cache: Option<Cache>,
    /// The program that keeps an index while nobody waits for it; `None`: it is left as it is.
    pub program: Option<PathBuf>,
    /// Whether the environment's passwords open restic repositories.
    pub has_passwords: bool,
}

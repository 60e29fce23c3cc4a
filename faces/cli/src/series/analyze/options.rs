//! What `manicule series analyze` takes, after its words were read.

use std::path::PathBuf;

use manicule::series::Matcher;
use manicule::series::analyze::{Bytes, Chunks, Matrix};

/// What is analysed, and how it is shown.
pub(super) struct Options {
    pub(super) path: PathBuf,
    pub(super) block: Option<String>,
    pub(super) against: Option<PathBuf>,
    pub(super) matchers: Option<(String, Vec<Matcher>)>,
    pub(super) by: Option<String>,
    pub(super) limit: usize,
    pub(super) matrix: Matrix,
    pub(super) chunks: Chunks,
    pub(super) bytes: Bytes,
    pub(super) bars: bool,
    pub(super) json: bool,
}

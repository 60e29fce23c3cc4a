//! Paths that are not text: recognised, named, and left out of a search.
//!
//! Callers: find

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use manicule::kinds::{Can, Kind, recognise};

use crate::messages::{Messages, say};

/// Takes the Prometheus blocks, indexes and data folders out of `paths`: they are searched in their own way.
pub(crate) fn take_blocks(paths: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let may_be = |path: &Path| path.extension().is_none() || path.is_dir();
    let is_block = |path: &PathBuf| {
        let kind = Some(path).filter(|path| may_be(path)).and_then(|path| recognise(path).ok());
        matches!(kind, Some(Kind::PrometheusBlock | Kind::PrometheusData | Kind::PrometheusIndex))
    };
    paths.extract_if(.., |path| is_block(path)).collect()
}

/// Takes the shards and the folders of shards out of `paths`: they are searched in their own way.
pub(crate) fn take_shards(paths: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let may_be = |path: &Path| path.extension() == Some(OsStr::new("zoekt")) || path.is_dir();
    let is_shard = |path: &PathBuf| {
        may_be(path)
            && recognise(path)
                .is_ok_and(|kind| matches!(kind, Kind::ZoektShard | Kind::ZoektShards))
    };
    paths.extract_if(.., |path| is_shard(path)).collect()
}

/// Takes out of `paths` what can't be read yet, and says what each is. That fails the call's exit code, as a path that
/// can't be read does. What is text is searched as text, with a word about it.
pub(crate) fn leave_out(paths: &mut Vec<PathBuf>, messages: &Messages) {
    paths.retain(|path| {
        // What can't be looked at is the search's to complain about.
        let kind = Some(path).filter(|path| path.as_path() != Path::new("-"));
        let Some(kind) = kind.and_then(|path| recognise(path).ok()) else { return true };
        match kind.can() {
            Can::Everything => {}
            Can::BeSearchedAsText if messages.shows() => say(&format_args!(
                "{} is {kind}; it is searched as text, its triples can't be read yet",
                path.display()
            )),
            Can::BeSearchedAsText => {}
            Can::Nothing => messages
                .failure(&format_args!("{} is {kind}; it can't be read yet", path.display())),
        }
        kind.can() != Can::Nothing
    });
}

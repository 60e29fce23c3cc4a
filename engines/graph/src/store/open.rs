//! The log of a store that is opened for writing: what of it goes on, and what is given up.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use manicule_format_leaf::log::{LOG_HEAD_LEN, log_version, put_log_head};
use manicule_format_leaf::synced::Synced;
use manicule_format_leaf::{LOG_VERSION_TRIPLES, Tag, VERSION};
use manicule_store::SharedFiles;
use manicule_store::log::{Log, segments};

use super::folder::{LOG_FOLDER, remove_logs};
use super::replay::Replayed;
use super::synced::SyncedFile;
use crate::dictionary::{PerTag, place_of};
use crate::error::{GraphError, LostCommits};
use crate::snapshot::State;

/// Number of the first log of a store: that of its first commit.
pub(super) const FIRST_LOG: u64 = 1;

/// What opening a store for writing does about a damaged log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenLost {
    /// An error: nothing is written.
    Refuse,
    /// All after the damage is removed from the log, and what is committed then comes after what
    /// can be read.
    Forget,
}

/// A log that is written, and what is known of it.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) log: Log,
    pub(super) synced_file: SyncedFile,
    /// Bytes of the newest segment that are on the disk for certain.
    pub(super) synced: u64,
    /// The last commit that was appended.
    pub(super) commit: u64,
    /// The version of the newest segment.
    pub(super) version: u32,
}

impl Written {
    /// What can be said when all that was appended has been synced.
    pub(super) fn state(&self) -> Synced {
        Synced { commit: self.commit, log: self.log.segment().number, len: self.log.len() }
    }
}

/// What a log of a version begins with.
pub(super) fn log_head(version: u32) -> Vec<u8> {
    let mut head = Vec::new();
    put_log_head(version, &mut head);
    head
}

/// The version of the log that goes on with some terms.
pub(super) fn version_with(next: &PerTag<u64>) -> u32 {
    let triples = place_of(Tag::TRIPLE).map_or(0, |place| next[place]);
    if triples > 0 { LOG_VERSION_TRIPLES } else { VERSION }
}

/// Makes the log of a store that is made in a folder, in place of what is left of another one.
pub(super) fn begin_first_log(files: &SharedFiles, folder: &Path) -> Result<(), GraphError> {
    let logs = folder.join(LOG_FOLDER);
    remove_logs(folder, files)?;
    let begun = Log::begin(files, &logs, FIRST_LOG, &log_head(VERSION));
    begun.map(drop).map_err(|source| GraphError::Io { file: logs, source })
}

/// Opens the log of a state for writing. What was given up of it is returned.
pub(super) fn open_log(
    files: &SharedFiles,
    folder: &Path,
    state: &State,
    replayed: Replayed,
    lost: WhenLost,
) -> Result<(Written, Option<LostCommits>), GraphError> {
    let logs = folder.join(LOG_FOLDER);
    let failed = |source| GraphError::Io { file: logs.clone(), source };
    let replayed = if lost == WhenLost::Refuse { replayed.whole()? } else { replayed };
    // A segment that has not even a head is made again.
    let last = replayed.last.filter(|(_, len)| *len > 0);
    if replayed.lost.is_some() {
        // The newest first: where this is stopped, the next to open the store finds the same
        // damage.
        let kept = last.as_ref().map_or(0, |(segment, _)| segment.number);
        for segment in segments(&logs).map_err(failed)?.iter().rev() {
            if segment.number > kept {
                files.remove(&segment.path).map_err(failed)?;
            }
        }
    }
    let (log, version) = match &last {
        Some((segment, len)) => (Log::resume(files, segment, *len), read_version(&segment.path)),
        None => {
            let version = version_with(&state.next_terms);
            (Log::begin(files, &logs, state.commit + 1, &log_head(version)), Ok(version))
        }
    };
    let (log, version) = (log.map_err(failed)?, version.map_err(failed)?);
    let mut synced_file = SyncedFile::new(files, &logs);
    let number = log.segment().number;
    let known = replayed.synced.filter(|synced| synced.log == number && synced.len <= log.len());
    let synced = match known {
        Some(known) => known.len,
        None => {
            // Nobody knows of what another process has written.
            log.file().sync().map_err(failed)?;
            log.len()
        }
    };
    if replayed.lost.is_some() {
        synced_file.put(&Synced { commit: state.commit, log: number, len: log.len() })?;
    }
    Ok((Written { log, synced_file, synced, commit: state.commit, version }, replayed.lost))
}

/// The version of a segment that was read before.
fn read_version(segment: &Path) -> io::Result<u32> {
    let mut head = [0; LOG_HEAD_LEN];
    File::open(segment)?.read_exact(&mut head)?;
    Ok(log_version(&head))
}

//! Commits merged: now, or beside the processes that write by a child of theirs.

use std::env::temp_dir;
use std::fs::canonicalize;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use manicule_core::watch::Watch;
use manicule_graph::{Beside, GraphError, MergedWhen, merge_beside as merge_store};

use super::error::Error;
use super::open::{LOOK_AGAIN, Writing, options};
use crate::place::local;

/// Merges all commits of a store into its leaves and dictionaries, beside those who read and write
/// it: leaves that have no change stay.
/// Returns whether there were any.
pub fn merge(store: &Path, writing: Writing, watch: &Watch<'_>) -> Result<bool, Error> {
    local(store).map_err(GraphError::from)?;
    // A merge that another process makes has an end.
    let again = |error: &GraphError, tries| match error {
        GraphError::Merging { .. } => waited(tries, Duration::MAX),
        _ => waited(tries, writing.wait),
    };
    let how = Beside { when: MergedWhen::Any, again: &again, stand_back: &|| {} };
    Ok(merge_store(store, &options(writing)?, &how, watch)? > 0)
}

/// Pauses before another try; `false` when that many pauses have used up the time to wait.
fn waited(tries: u32, wait: Duration) -> bool {
    let is_early = LOOK_AGAIN * tries <= wait;
    if is_early {
        sleep(LOOK_AGAIN);
    }
    is_early
}

/// How long a process that merges waits for those that write.
const WRITER_WAIT: Duration = Duration::from_secs(30);
/// How long it waits for others that merge: a writer that opens the store has the right to for less
/// than a millisecond.
const MERGER_WAIT: Duration = Duration::from_millis(50);

/// Merges the commits of a store while others write, as long as there are enough of them. Whoever
/// is at it already does this one's work too. Returns the number of merges.
pub fn merge_beside(store: &Path, watch: &Watch<'_>) -> Result<u64, Error> {
    manicule_store::leave_terminal();
    let again = |error: &GraphError, tries| match error {
        GraphError::Merging { .. } => waited(tries, MERGER_WAIT),
        _ => waited(tries, WRITER_WAIT),
    };
    let stand_back = &manicule_store::stand_back;
    let how = Beside { when: MergedWhen::Due, again: &again, stand_back };
    match merge_store(store, &options(Writing::PLAIN)?, &how, watch) {
        Err(GraphError::Busy { .. } | GraphError::Merging { .. }) => Ok(0),
        merged => Ok(merged?),
    }
}

/// Starts a process of lowest priority that merges, and doesn't wait for it; none for a store among
/// temporary files, which may be removed at any moment. It can be killed at any time.
///
/// `program` is this program, which has the command `graph compact`.
pub fn merge_later(program: &Path, store: &Path) -> io::Result<()> {
    let store = canonicalize(store)?;
    if is_temporary(&store) {
        return Ok(());
    }
    manicule_store::keep_handles();
    let mut command = Command::new(program);
    command.arg0("manicule").args(["graph", "compact", "--merge", "--background", "--"]);
    command.arg(store).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

fn is_temporary(store: &Path) -> bool {
    canonicalize(temp_dir()).is_ok_and(|place| store.starts_with(place))
}

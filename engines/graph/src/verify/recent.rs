//! Commits that no generation holds: the log is whole, its frames follow each other and name terms
//! that are there, and with them the orders still agree.

use manicule_core::findings::FileFinding;
use manicule_format_leaf::Order;
use manicule_format_leaf::log::{LogEnd, LogReader};
use manicule_format_leaf::synced::Synced;
use manicule_store::log::segments_in;

use super::checked::Checked;
use super::files::part;
use crate::error::GraphError;
use crate::store::{LOG_FOLDER, read_store_in, synced_file};

pub(super) fn check_recent(checked: &mut Checked<'_>) -> Result<(), GraphError> {
    let read = read_store_in(checked.files, checked.random);
    let Some(snapshot) = checked.taken(read)? else { return Ok(()) };
    end_of_log(checked)?;
    check_synced(checked)?;
    let state = snapshot.state();
    checked.counts.commits = state.commit - state.base.manifest().commit;
    for layer in &state.layers {
        checked.counts.changes += layer.row_count() as u64;
        checked.watch.check()?;
    }
    // Each change of a commit changes something, or the counts that queries are planned by would be
    // wrong.
    if state.layers.is_empty() {
        return Ok(());
    }
    for orders in [&Order::DEFAULT[..], &Order::NAMED[..]] {
        for order in orders {
            let want = state.count(*order, &[])?;
            let mut got = 0;
            for row in state.scan(*order, &[])? {
                row?;
                got += 1;
                if got % 1024 == 0 {
                    checked.watch.check()?;
                }
            }
            if got != want {
                let name = order.name();
                checked.find(
                    LOG_FOLDER,
                    format!("quads of {name} with all commits: wanted {want}, got {got}"),
                );
            }
        }
    }
    Ok(())
}

/// Notes that the file which says how far the log was synced isn't whole: then nothing refutes a
/// log that was cut.
fn check_synced(checked: &mut Checked<'_>) -> Result<(), GraphError> {
    let Some((path, bytes)) = synced_file(checked.files.store())? else { return Ok(()) };
    if let Err(error) = Synced::decode(&bytes) {
        let name = checked.name_of(&path);
        checked.verdict.warnings.push(FileFinding::whole(name, error.to_string()));
    }
    Ok(())
}

/// Notes a log that is gone, and a frame at its end that was not finished: its commit wasn't
/// acknowledged.
fn end_of_log(checked: &mut Checked<'_>) -> Result<(), GraphError> {
    let (store, folder) = (checked.files.store(), part(LOG_FOLDER));
    let Some(last) = segments_in(store, &folder)?.pop() else {
        let what =
            "no segment is there; commits that no generation holds are lost, if there were any";
        checked.verdict.warnings.push(FileFinding::whole(LOG_FOLDER, what.to_owned()));
        return Ok(());
    };
    let bytes = last.read_in(store, &folder, 0)?;
    // What is damaged has been found by who read the commits.
    let Ok(mut reader) = LogReader::open(&bytes) else { return Ok(()) };
    reader.by_ref().for_each(drop);
    let torn = match reader.end() {
        Some(LogEnd::Torn { len }) => bytes.len() as u64 - len,
        Some(LogEnd::Whole) | None => 0,
    };
    if torn > 0 {
        let what = format!("{torn} bytes of a commit that was not finished");
        let (name, offset) = (checked.name_of(&last.path), Some(bytes.len() as u64 - torn));
        checked.verdict.warnings.push(FileFinding { offset, ..FileFinding::whole(name, what) });
    }
    Ok(())
}

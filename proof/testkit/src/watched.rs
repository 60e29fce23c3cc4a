//! Long calls, watched to their end and stopped before it.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Mutex;

use manicule_core::watch::{Phase, Progress, Watch};

/// Checks the duties of a call to its watch. Each phase begins at zero, increases, and ends at its
/// total; and stopped in any of them, at its begin or before its end, the call ends with its error
/// for that, and leaves nothing that `left` reports. Each run gets an empty folder of its own.
///
/// # Panics
/// If one of these does not hold.
pub fn check_watched<T, E: Debug>(
    phases: &[Phase],
    call: &dyn Fn(&Path, &Watch<'_>) -> Result<T, E>,
    is_stopped: &dyn Fn(&E) -> bool,
    left: &dyn Fn(&Path),
) {
    let reports = watched(call);
    let mut begins: Vec<usize> = (0..reports.len())
        .filter(|at| *at == 0 || reports[*at].done == 0 && !repeats(&reports, *at))
        .collect();
    let got: Vec<Phase> = begins.iter().map(|at| reports[*at].phase).collect();
    assert_eq!(got, phases, "{reports:#?}");
    let firsts = begins.clone();
    begins.push(reports.len());
    for phase in begins.windows(2).map(|ends| &reports[ends[0]..ends[1]]) {
        let last = phase.last().expect("a phase has a begin");
        assert!(phase[0].done == 0 && last.done > 0, "{phase:#?}");
        assert!(phase.is_sorted_by_key(|at| at.done), "{phase:#?}");
        assert_eq!(Some(last.done), last.all, "{phase:#?}");
    }
    let on_the_way = (0..reports.len()).filter(|at| {
        reports[*at].done > 0 && reports[*at].all.is_none_or(|all| reports[*at].done < all)
    });
    let middle: Vec<usize> = on_the_way.collect();
    for stop_at in
        firsts.iter().copied().chain(middle.iter().copied().step_by(1 + middle.len() / 4))
    {
        stopped(call, stop_at, is_stopped, left);
    }
}

/// Whether a report equals the one before.
fn repeats(reports: &[Progress], at: usize) -> bool {
    reports[at] == reports[at - 1]
}

/// The reports of a whole run.
fn watched<T, E: Debug>(call: &dyn Fn(&Path, &Watch<'_>) -> Result<T, E>) -> Vec<Progress> {
    let folder = tempfile::tempdir().expect("a folder");
    let reports = Mutex::new(Vec::new());
    let report = |at: Progress| reports.lock().expect("no reporter panics").push(at);
    if let Err(error) = call(folder.path(), &Watch::new(&report, &|| false)) {
        panic!("a call that was not stopped: {error:?}");
    }
    reports.into_inner().expect("no reporter panics")
}

/// A run that is asked to stop from a report on.
fn stopped<T, E: Debug>(
    call: &dyn Fn(&Path, &Watch<'_>) -> Result<T, E>,
    stop_at: usize,
    is_stopped: &dyn Fn(&E) -> bool,
    left: &dyn Fn(&Path),
) {
    let folder = tempfile::tempdir().expect("a folder");
    let reports = Mutex::new(Vec::new());
    let report = |at: Progress| reports.lock().expect("no reporter panics").push(at);
    let stop = || reports.lock().expect("no reporter panics").len() > stop_at;
    let result = call(folder.path(), &Watch::new(&report, &stop));
    let at = reports.into_inner().expect("no reporter panics").into_iter().nth(stop_at);
    match result {
        Ok(_) => panic!("a call that was stopped at {at:?} went to its end"),
        Err(error) => assert!(is_stopped(&error), "stopped at {at:?}: {error:?}"),
    }
    left(folder.path());
}

//! Progress of a call as notifications: rising, and not too many.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use manicule::watch::{self, Phase};
use serde_json::{Value, json};

/// Time between two notifications.
const EVERY: Duration = Duration::from_millis(100);

/// What was said of a call's progress.
#[derive(Debug)]
pub struct Progress {
    token: Value,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    phase: Option<Phase>,
    /// Units of the phases before.
    before: u64,
    /// Units of this phase.
    done: u64,
    /// What was said last, and when.
    last: Option<(u64, Instant)>,
}

impl Progress {
    /// Of a call of which nothing was said yet, by the token that its client gave.
    pub fn new(token: Value) -> Progress {
        Progress { token, state: Mutex::default() }
    }

    /// Parameters of the notification that is due, if one is.
    pub fn next(&self, progress: watch::Progress, now: Instant) -> Option<Value> {
        let watch::Progress { phase, done, all, .. } = progress;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.phase != Some(phase) || done < state.done {
            state.before += state.done;
            state.phase = Some(phase);
        }
        state.done = done;
        let sum = state.before + done;
        if state.last.is_some_and(|(said, at)| sum <= said || now.duration_since(at) < EVERY) {
            return None;
        }
        state.last = Some((sum, now));
        let mut params =
            json!({ "progressToken": self.token, "progress": sum, "message": phase.word() });
        if let Some(all) = all {
            params["total"] = (state.before + all).into();
        }
        Some(params)
    }
}

#[cfg(test)]
mod tests {
    use manicule::watch::Unit;

    use super::*;

    #[test]
    fn progress_rises_through_the_phases() {
        let (told, start) = (Progress::new("t".into()), Instant::now());
        let next = |phase, done, all, ms| {
            let progress = watch::Progress { phase, unit: Unit::Files, done, all };
            let said = told.next(progress, start + Duration::from_millis(ms))?;
            Some((said["progress"].as_u64()?, said["total"].as_u64()))
        };
        assert_eq!(next(Phase::Reading, 0, Some(9), 0), Some((0, Some(9))));
        assert_eq!(next(Phase::Reading, 4, Some(9), 50), None, "too soon");
        assert_eq!(next(Phase::Reading, 9, Some(9), 100), Some((9, Some(9))));
        assert_eq!(next(Phase::Verifying, 0, None, 300), None, "no more than before");
        assert_eq!(next(Phase::Verifying, 2, None, 300), Some((11, None)));
    }
}

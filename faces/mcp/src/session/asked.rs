//! The client's roots: asked after a handshake, and when they have changed.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::running::Running;
use crate::roots::Roots;

/// How long a call waits for the client's answer.
const WAIT: Duration = Duration::from_secs(10);
/// How often it looks whether it is over.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Roots that a client was asked for.
#[derive(Debug, Default)]
pub(super) struct AskedRoots {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Number of times that it was asked: the last part of the request's id.
    count: u64,
    /// Its last answer, unless it was asked again since.
    roots: Option<Roots>,
    /// No answer will come.
    has_left: bool,
}

impl AskedRoots {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of a request for them: what was known counts no more.
    pub(super) fn ask(&self) -> String {
        let mut state = self.state();
        state.count += 1;
        state.roots = None;
        id(state.count)
    }

    /// Takes an answer; those of earlier requests, and of none of ours, are passed over. After an
    /// error the client has no roots: nothing may be read.
    pub(super) fn answered(&self, given: &Value, result: Option<&Value>) {
        let mut state = self.state();
        if state.count > 0 && *given == *id(state.count) {
            let none = Roots::Within(Vec::new());
            state.roots = Some(result.map_or(none, Roots::of_result));
            self.changed.notify_all();
        }
    }

    /// The client has left.
    pub(super) fn leave(&self) {
        self.state().has_left = true;
        self.changed.notify_all();
    }

    /// The roots, when they are there; `None` if they don't come.
    pub(super) fn awaited(&self, running: &Running) -> Option<Roots> {
        let mut state = self.state();
        let mut left = WAIT;
        loop {
            if let Some(roots) = &state.roots {
                return Some(roots.clone());
            }
            if state.has_left || running.is_over() || left.is_zero() {
                return None;
            }
            let waited = self.changed.wait_timeout(state, LOOK_UP);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            left = left.saturating_sub(LOOK_UP);
        }
    }
}

fn id(count: u64) -> String {
    format!("roots-{count}")
}

//! Commits that wait for the disk together: one of them syncs for all that were appended by then.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use crate::snapshot::State;

/// States of a store: the visible one, and those whose commits aren't durable yet.
#[derive(Debug)]
pub(super) struct Group {
    states: Mutex<States>,
    is_changed: Condvar,
}

#[derive(Debug)]
struct States {
    visible: Arc<State>,
    /// Of commits that are appended but not synced, oldest first.
    waiting: VecDeque<Arc<State>>,
    is_syncing: bool,
    /// Whether somebody has the right to append.
    is_writing: bool,
    /// Why nothing is appended any more.
    stopped: Option<String>,
}

/// Why a commit isn't durable: what stopped the writer.
#[derive(Debug)]
pub(super) struct Stopped(pub(super) String);

impl Group {
    /// Begins with a state that is durable.
    pub(super) fn new(visible: Arc<State>) -> Self {
        let (waiting, stopped) = (VecDeque::new(), None);
        let states = States { visible, waiting, is_syncing: false, is_writing: false, stopped };
        Group { states: Mutex::new(states), is_changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, States> {
        self.states.lock().expect("nobody panics with it")
    }

    /// The state that readers see.
    pub(super) fn visible(&self) -> Arc<State> {
        self.lock().visible.clone()
    }

    /// Waits for the right to append, which [`Group::end_writing`] gives back. Returns the state to
    /// write on.
    pub(super) fn begin_writing(&self) -> Result<Arc<State>, Stopped> {
        let mut states = self.lock();
        loop {
            if let Some(why) = &states.stopped {
                return Err(Stopped(why.clone()));
            }
            if !states.is_writing {
                states.is_writing = true;
                return Ok(states.waiting.back().unwrap_or(&states.visible).clone());
            }
            states = self.is_changed.wait(states).expect("nobody panics with it");
        }
    }

    /// Gives the right to append back.
    pub(super) fn end_writing(&self) {
        self.lock().is_writing = false;
        self.is_changed.notify_all();
    }

    /// Adds a state whose commit has been appended, by who has the right to.
    pub(super) fn appended(&self, state: State) {
        let mut states = self.lock();
        let base = &states.visible.base;
        // The generation may have been replaced since the transaction began.
        let state = if state.base.manifest().generation < base.manifest().generation {
            state.rebased(base)
        } else {
            state
        };
        states.waiting.push_back(Arc::new(state));
    }

    /// Replaces all states by what they are on a newer generation.
    pub(super) fn replace(&self, with: impl Fn(&State) -> State) {
        let mut states = self.lock();
        states.visible = Arc::new(with(&states.visible));
        states.waiting.iter_mut().for_each(|state| *state = Arc::new(with(state)));
    }

    /// The state on the newest generation.
    pub(super) fn on_newest(&self, state: &State) -> State {
        let base = self.visible().base.clone();
        if state.base.manifest().generation < base.manifest().generation {
            state.rebased(&base)
        } else {
            state.clone()
        }
    }

    /// Nothing is appended from now on.
    pub(super) fn stop(&self, why: String) {
        let mut states = self.lock();
        states.stopped.get_or_insert(why);
        states.waiting.clear();
        self.is_changed.notify_all();
    }

    /// Waits until a commit that was appended is durable, and so visible. One of those who wait
    /// calls `sync`, which syncs all that was appended before the call.
    pub(super) fn wait_until_durable(
        &self,
        commit: u64,
        sync: impl Fn() -> Result<(), String>,
    ) -> Result<(), Stopped> {
        let mut states = self.lock();
        loop {
            if states.visible.commit >= commit {
                return Ok(());
            }
            if let Some(why) = &states.stopped {
                return Err(Stopped(why.clone()));
            }
            let newest = states.waiting.back().map(|state| state.commit);
            let Some(target) = newest.filter(|_| !states.is_syncing) else {
                states = self.is_changed.wait(states).expect("nobody panics with it");
                continue;
            };
            states.is_syncing = true;
            drop(states);
            let synced = sync();
            states = self.lock();
            states.is_syncing = false;
            match synced {
                Ok(()) => {
                    while states.waiting.front().is_some_and(|state| state.commit <= target) {
                        states.visible = states.waiting.pop_front().expect("it was looked at");
                    }
                }
                // What the disk holds of them is unknown, and a second try would find nothing to
                // write.
                Err(why) => {
                    states.stopped.get_or_insert(why);
                    states.waiting.clear();
                }
            }
            self.is_changed.notify_all();
        }
    }
}

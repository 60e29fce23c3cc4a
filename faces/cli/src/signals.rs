//! Signals that end the program: noted first, so that long work can leave nothing lying about.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// What SIGINT and SIGTERM have asked since it was made.
pub(crate) struct Interrupts {
    /// The signal that came, or 0.
    signal: Arc<AtomicUsize>,
}

impl Interrupts {
    /// From now on both signals are noted, and the next one after that ends the program at once.
    /// One that whoever started the program has turned off, as `nohup` and a shell's `&` do, stays
    /// so.
    ///
    /// They are noted once for the program. Where they can't be, each ends it at once.
    pub(crate) fn noted() -> Option<&'static Interrupts> {
        static NOTED: OnceLock<Option<Interrupts>> = OnceLock::new();
        NOTED.get_or_init(|| Interrupts::note().ok()).as_ref()
    }

    fn note() -> io::Result<Interrupts> {
        let signal = Arc::new(AtomicUsize::new(0));
        let is_second = Arc::new(AtomicBool::new(false));
        let ignored = ignored_signals();
        for number in [SIGINT, SIGTERM].into_iter().filter(|n| ignored >> (n - 1) & 1 == 0) {
            // What is registered first runs first: the first signal finds the flag unset.
            flag::register_conditional_default(number, Arc::clone(&is_second))?;
            flag::register(number, Arc::clone(&is_second))?;
            flag::register_usize(number, Arc::clone(&signal), number as usize)?;
        }
        Ok(Interrupts { signal })
    }

    /// Whether one came.
    pub(crate) fn came(&self) -> bool {
        self.signal.load(Relaxed) != 0
    }

    /// Ends the program as the signal that came would have, so that shells and scripts see what
    /// happened. Without one nothing is done.
    pub(crate) fn obey(&self) {
        let signal = self.signal.load(Relaxed);
        if signal != 0 {
            // It returns only for a signal that can't be raised.
            let _ = low_level::emulate_default_handler(signal as i32);
        }
    }
}

/// The signals that this process ignores, a bit each, from 1 on.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

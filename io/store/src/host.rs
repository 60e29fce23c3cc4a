//! What a process asks of its host: to stand back.

/// Makes this process stand back: lowest priority, a session of its own, so that no terminal's signal ends it.
pub fn run_in_background() {
    // Either may be refused, as to a process that leads a session already. The work is the same then.
    let _ = rustix::process::setsid();
    let _ = rustix::process::setpriority_process(None, 19);
}

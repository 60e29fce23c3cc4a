//! Memory maps: the only unsafe part of `find`.
//!
//! Callers: find/call/searcher

use grep_searcher::MmapChoice;

/// Lets the searcher map files where it thinks that this is faster.
pub(in crate::find) fn allowed() -> MmapChoice {
    // SAFETY: a map is only read, its bytes are looked at as bytes and nothing that is kept relies on them staying the
    // same. Should another program cut the file short meanwhile, the system ends this one with SIGBUS; that is
    // ripgrep's bargain too, and `--no-mmap` declines it. The twin is the searcher's plain reading.
    unsafe { MmapChoice::auto() }
}

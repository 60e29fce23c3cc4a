//! Memory maps: the only unsafe part of `find`.

use grep_searcher::MmapChoice;

/// Lets the searcher map files if it expects that to be faster.
pub(super) fn allowed() -> MmapChoice {
    // SAFETY: a map is only read, its bytes are used as bytes only, and nothing that is kept relies
    // on them staying the same. Should another program cut the file short meanwhile, the system
    // ends this one with SIGBUS; that is ripgrep's behaviour too, and `Reading::mapped` is a choice
    // of the caller. The twin is the searcher's plain reading.
    unsafe { MmapChoice::auto() }
}

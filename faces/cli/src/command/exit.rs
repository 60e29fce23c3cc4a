//! Exit codes of every command.

/// It was done, or something was found.
pub(crate) const DONE: u8 = 0;
/// There was nothing to find or to do; of commands that judge: something is wrong, or differs.
pub(crate) const NOTHING: u8 = 1;
/// Wrong use, or something failed.
pub(crate) const FAILED: u8 = 2;

/// For commands whose code is that something was found.
pub(crate) fn if_any(found: bool) -> u8 {
    if found { DONE } else { NOTHING }
}

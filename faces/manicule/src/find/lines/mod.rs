//! Lines of files and documents that match.
//!
//! | file | what |
//! |---|---|
//! | plain.rs | the common case, fast: text as it is, line by line |
//! | source.rs | everything else: ripgrep's searcher over a file, a text, a stream |
//! | probe.rs | whether any line of a piece matches |

pub(super) mod plain;
pub(super) mod probe;
pub(super) mod source;

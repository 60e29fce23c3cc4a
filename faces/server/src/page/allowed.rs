//! Which tables are of which system, and which of their arguments a request may give.

/// Arguments that a request may give. Others name files and commands of this machine, or bounds
/// that are the server's.
const ALLOWED: [&str; 22] = [
    "as_text",
    "at",
    "below",
    "by",
    "decimals",
    "end",
    "extra",
    "file",
    "gc_grace",
    "key",
    "labels",
    "max_repack_size",
    "max_unused",
    "now",
    "per_block",
    "query",
    "selector",
    "snapshots",
    "start",
    "tokens",
    "types",
    "union",
];

/// Whether a request may give an argument.
pub(super) fn is_allowed(argument: &str) -> bool {
    ALLOWED.contains(&argument)
}

/// The system that a table is of; of tables of searches through all of them, none.
pub(super) fn system_of(table: &str) -> Option<&str> {
    table.split_once('.').map(|(system, _)| system)
}

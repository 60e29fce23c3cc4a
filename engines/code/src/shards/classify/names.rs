//! Names of documents taken apart, and tables of one entry a line: below languages and categories.

use manicule_format_zoekt::Skip;

/// A document before its language and category are known.
#[derive(Clone, Copy, Debug)]
pub struct Unclassified<'d> {
    /// Its path below the root.
    pub name: &'d [u8],
    /// Its content as read; empty where it wasn't.
    pub content: &'d [u8],
    /// Reason that its content isn't stored.
    pub skip: Option<Skip>,
}

/// The lines of a table but for its head.
pub(super) fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with("# "))
}

/// The last name of a path.
pub(super) fn base(name: &[u8]) -> &[u8] {
    memchr::memrchr(b'/', name).map_or(name, |slash| &name[slash + 1..])
}

/// The text from the last dot of a base name.
pub(super) fn extension(base: &[u8]) -> &[u8] {
    memchr::memrchr(b'.', base).map_or(b"", |dot| &base[dot..])
}

//! A key, clustering or value, as CQL writes it.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::shown::{Ranges, on_one_line, shifted};
use crate::find::matcher::Matcher;
use crate::rows::{Found, FoundRow};

/// `'anvil' (2026, 'x') note = 'text'`, on one line whatever the texts hold.
pub(in crate::find) fn text(found: &Found<'_>) -> Vec<u8> {
    let mut text = one_line(found.key).into_owned();
    // A String takes everything.
    let _ = match found.row {
        FoundRow::None => Ok(()),
        FoundRow::Static => write!(text, " static"),
        FoundRow::Row(row) => write!(text, " {}", one_line(row)),
    };
    if let Some((column, value)) = found.cell {
        let _ = write!(text, " {} = {}", one_line(column), one_line(value));
    }
    text.into_bytes()
}

/// In the part of a line that matches: the value, the clustering or the key.
pub(in crate::find) fn matches_in(found: &Found<'_>, text: &[u8], matcher: &Matcher) -> Ranges {
    let part_len = match (found.cell, found.row) {
        (Some((column, value)), _) => one_line(column).len() + 3 + one_line(value).len(),
        (None, FoundRow::Row(row)) => one_line(row).len(),
        (None, _) => text.len(),
    };
    let start = text.len() - part_len;
    Ok(shifted(matcher.matches(&text[start..])?, start))
}

fn one_line(text: &str) -> Cow<'_, str> {
    on_one_line(text, |char| char.escape_default().to_string())
}

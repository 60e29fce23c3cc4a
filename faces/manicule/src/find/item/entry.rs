//! An entry of an index of a system that a program has added.

use std::fmt;

use super::shown::{Ranges, own_or_whole};
use crate::find::matcher::Matcher;

/// What matches in an index of a system that a program has [added](crate::kinds::add).
pub struct Entry<'e> {
    /// One word for what it is, for programs.
    pub word: &'static str,
    /// Where in the index it is, such as its key.
    pub place: &'e str,
    /// It as text, on one line.
    pub text: &'e [u8],
    /// Where in its text the part begins that the patterns were tested on.
    pub tested_at: usize,
    /// It as a JSON object, made when it is asked for.
    pub json: &'e dyn Fn() -> serde_json::Value,
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry { word, place, text, tested_at, json: _ } = self;
        let mut shown = f.debug_struct("Entry");
        shown.field("word", word).field("place", place).field("text", text);
        shown.field("tested_at", tested_at).finish_non_exhaustive()
    }
}

/// In what was tested, or in the whole text.
pub(in crate::find) fn matches_in(entry: &Entry<'_>, text: &[u8], matcher: &Matcher) -> Ranges {
    let tested = text.get(entry.tested_at..).unwrap_or_default();
    own_or_whole(text, tested, entry.tested_at, matcher)
}

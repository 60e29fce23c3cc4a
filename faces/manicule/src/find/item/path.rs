//! A path in snapshots.

use super::shown::{Ranges, own_or_whole};
use crate::find::matcher::Matcher;

/// In its name, or in the whole path.
pub(in crate::find) fn matches_in(text: &[u8], matcher: &Matcher) -> Ranges {
    let start = text.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    own_or_whole(text, &text[start..], start, matcher)
}

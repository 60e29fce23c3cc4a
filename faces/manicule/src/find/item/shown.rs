//! Texts of hits: on one line, and where in them the patterns match.

use std::borrow::Cow;
use std::ops::Range;

use crate::failure::Failure;
use crate::find::matcher::Matcher;

/// Ranges of a text that match.
pub(super) type Ranges = Result<Vec<Range<usize>>, Failure>;

/// Ranges of the matches in a text as it is shown, of which the own text of the hit is the part
/// from `start` on: those in that; without any, those in the whole. None if the own text is shown
/// in another way.
pub(super) fn own_or_whole(text: &[u8], own: &[u8], start: usize, matcher: &Matcher) -> Ranges {
    let found = matcher.matches(own)?;
    if found.is_empty() {
        return matcher.matches(text);
    }
    let is_shown = text.get(start..).is_some_and(|rest| rest.starts_with(own));
    Ok(if is_shown { shifted(found, start) } else { Vec::new() })
}

/// Ranges in a part of a text, as ranges of the text.
pub(super) fn shifted(ranges: Vec<Range<usize>>, start: usize) -> Vec<Range<usize>> {
    ranges.into_iter().map(|range| range.start + start..range.end + start).collect()
}

/// A text without control characters: those are escaped.
pub(super) fn on_one_line(text: &str, escape: fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let escaped = |char: char| if char.is_control() { escape(char) } else { char.to_string() };
    text.chars().map(escaped).collect::<String>().into()
}

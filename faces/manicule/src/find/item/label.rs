//! A label's name or value, as Prometheus writes it.

use super::shown::{Ranges, own_or_whole};
use crate::find::matcher::Matcher;
use crate::series::query::Occurrence;
use crate::series::{ShownLabel, ShownName};

/// `job="api"`; `job`.
pub(in crate::find) fn text(found: &Occurrence<'_>) -> Vec<u8> {
    match found.value {
        Some(value) => ShownLabel(found.name, value).to_string().into_bytes(),
        None => ShownName(found.name).to_string().into_bytes(),
    }
}

/// In its value or name, or in the label as a whole.
pub(in crate::find) fn matches_in(
    found: &Occurrence<'_>,
    text: &[u8],
    matcher: &Matcher,
) -> Ranges {
    let own = found.value.unwrap_or(found.name);
    // A value is followed by its quote; a name may be in quotes.
    let quote_len = usize::from(text.ends_with(b"\""));
    own_or_whole(text, own, text.len().saturating_sub(quote_len + own.len()), matcher)
}

//! An IRI, a literal or a triple term, as N-Triples writes it.

use super::shown::{Ranges, on_one_line, own_or_whole};
use crate::find::matcher::Matcher;
use crate::graph::{Found, TermRef, put_term};

/// As N-Triples writes it, without control characters: those are escaped.
pub(in crate::find) fn text(found: &Found<'_>) -> Vec<u8> {
    let mut line = Vec::new();
    put_term(found.term, &mut line);
    let text = String::from_utf8_lossy(&line);
    let escape = |char| format!("\\u{:04X}", u32::from(char));
    on_one_line(&text, escape).into_owned().into_bytes()
}

/// In its text, or in the term as a whole. None if the text is not shown as it is.
pub(in crate::find) fn matches_in(found: &Found<'_>, text: &[u8], matcher: &Matcher) -> Ranges {
    if let TermRef::Triple(_) = found.term {
        return matcher.matches(text);
    }
    let (own, ..) = parts(found.term);
    // After the bracket or the quote.
    if text.get(1..).is_none_or(|rest| !rest.starts_with(own.as_bytes())) {
        return Ok(Vec::new());
    }
    own_or_whole(text, own.as_bytes(), 1, matcher)
}

/// Its own text, and the parts of a literal: language tag, datatype. What a triple term is made of
/// is the business of [`text`].
pub(super) fn parts(term: TermRef<'_>) -> (&str, Option<&str>, Option<&str>) {
    match term {
        TermRef::Blank(_) | TermRef::Triple(_) => ("", None, None),
        TermRef::Iri(text) | TermRef::Simple(text) => (text, None, None),
        TermRef::Tagged(text, language) | TermRef::Directional(text, language, _) => {
            (text, Some(language), None)
        }
        TermRef::Typed(text, datatype) => (text, None, Some(datatype)),
    }
}

//! Regexes of REGEX and REPLACE, as the evaluator compiles them.

use oxrdf::vocab::xsd;
use regex::{Regex, RegexBuilder, escape};
use spargebra::algebra::Expression;

/// Maximum size of a compiled regex in bytes: the evaluator's.
const REGEX_SIZE_MAX: usize = 1_000_000;

/// The regex of a constant pattern and constant flags, as the evaluator compiles it; none if it
/// doesn't.
pub(super) fn regex(pattern: &Expression, flags: Option<&Expression>) -> Option<Regex> {
    let (mut pattern, flags) = texts(pattern, flags)?;
    if flags.contains('q') {
        pattern = escape(&pattern);
    }
    let mut builder = RegexBuilder::new(&pattern);
    builder.size_limit(REGEX_SIZE_MAX);
    for flag in flags.chars() {
        match flag {
            's' => builder.dot_matches_new_line(true),
            'm' => builder.multi_line(true),
            'i' => builder.case_insensitive(true),
            'x' => builder.ignore_whitespace(true),
            'q' => &mut builder,
            _ => return None,
        };
    }
    builder.build().ok()
}

/// A constant pattern and constant flags.
fn texts(pattern: &Expression, flags: Option<&Expression>) -> Option<(String, String)> {
    let text = |expression: &Expression| match expression {
        Expression::Literal(literal) if literal.datatype() == xsd::STRING => {
            Some(literal.value().to_owned())
        }
        _ => None,
    };
    Some((text(pattern)?, flags.map_or(Some(String::new()), text)?))
}

/// Whether a constant pattern is no regex, or one that is too large: an error, for which the
/// evaluator would compile it at every row.
pub(super) fn is_no_regex(pattern: &Expression, flags: Option<&Expression>) -> bool {
    texts(pattern, flags).is_some() && regex(pattern, flags).is_none()
}

/// Whether a regex matches the empty text: to REPLACE what it matches is an error of XPath's
/// fn:replace.
pub(super) fn matches_nothing(regex: &Regex) -> bool {
    regex.is_match("")
}

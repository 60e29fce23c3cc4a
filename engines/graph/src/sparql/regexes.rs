//! Regexes of REGEX and REPLACE, as the evaluator compiles them.
//!
//! Callers: rewrite, columns/native

use oxrdf::vocab::xsd;
use regex::{Regex, RegexBuilder, escape};
use spargebra::algebra::Expression;

/// Maximum size of a compiled regex in bytes: the evaluator's.
const REGEX_SIZE_MAX: usize = 1_000_000;

/// The regex of a constant pattern and constant flags, as the evaluator compiles it; none if it doesn't.
pub(super) fn regex(pattern: &Expression, flags: Option<&Expression>) -> Option<Regex> {
    let text = |expression: &Expression| match expression {
        Expression::Literal(literal) if literal.datatype() == xsd::STRING => {
            Some(literal.value().to_owned())
        }
        _ => None,
    };
    let (mut pattern, flags) = (text(pattern)?, flags.map_or(Some(String::new()), text)?);
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

/// Whether a regex matches the empty text: to REPLACE what it matches is an error of XPath's fn:replace.
pub(super) fn matches_nothing(regex: &Regex) -> bool {
    regex.is_match("")
}

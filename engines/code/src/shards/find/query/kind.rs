//! Properties of a regex that decide how it is searched for: lines, capitals, plain bytes.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::super::super::dialect::DEPTH_MAX;

/// Whether a literal or the border of a class is a capital of ASCII: then letters are compared as
/// they are.
pub(super) fn has_capital(source: &str) -> bool {
    parsed(source, false).is_ok_and(|hir| {
        any(&hir, &|hir| match hir.kind() {
            HirKind::Literal(literal) => literal.0.iter().any(u8::is_ascii_uppercase),
            HirKind::Class(Class::Unicode(class)) => class.ranges().iter().any(|range| {
                range.start().is_ascii_uppercase() || range.end().is_ascii_uppercase()
            }),
            HirKind::Class(Class::Bytes(class)) => class.ranges().iter().any(|range| {
                range.start().is_ascii_uppercase() || range.end().is_ascii_uppercase()
            }),
            _ => false,
        })
    })
}

/// Facts about a regex.
pub(super) struct Kind {
    /// It matches nothing but the empty text, anywhere.
    pub(super) is_empty: bool,
    /// No match holds a line end, or depends on more than its line.
    pub(super) by_line: bool,
    /// It is a text without U+FFFD.
    pub(super) is_plain: bool,
}

/// Reads a regex in Rust's words.
pub(super) fn kind_of(source: &str, folds: bool) -> Kind {
    let Ok(hir) = parsed(source, folds) else {
        return Kind { is_empty: false, by_line: false, is_plain: false };
    };
    let holds_line_end = any(&hir, &|hir| match hir.kind() {
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().any(|range| range.start() <= '\n' && '\n' <= range.end())
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.ranges().iter().any(|range| range.start() <= b'\n' && b'\n' <= range.end())
        }
        _ => false,
    });
    let sees_text = hir.properties().look_set().contains_anchor_haystack();
    let replaced = '\u{fffd}'.to_string();
    let is_plain = match hir.kind() {
        HirKind::Literal(literal) => {
            memchr::memmem::find(&literal.0, replaced.as_bytes()).is_none()
        }
        _ => false,
    };
    let is_empty = matches!(hir.kind(), HirKind::Empty);
    Kind { is_empty, by_line: !holds_line_end && !sees_text, is_plain }
}

/// The regex of a source in Rust's words.
pub(super) fn parsed(source: &str, folds: bool) -> Result<Hir, Box<regex_syntax::Error>> {
    let mut builder = ParserBuilder::new();
    builder.nest_limit(DEPTH_MAX).utf8(false).multi_line(true).case_insensitive(folds);
    builder.build().parse(source).map_err(Box::new)
}

fn any(hir: &Hir, holds: &dyn Fn(&Hir) -> bool) -> bool {
    holds(hir) || hir.kind().subs().iter().any(|sub| any(sub, holds))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::dialect::translate;
    use super::*;

    #[test]
    fn capitals_are_those_of_literals_and_borders() {
        for (source, want) in
            [("ab", false), ("aB", true), ("[a-z]", false), ("[A-Z]", true), ("Ü", false)]
        {
            assert_eq!(has_capital(source), want, "{source}");
        }
        assert!(!has_capital(&translate("\\W").unwrap().source));
        assert!(has_capital(&translate("\\w").unwrap().source));
    }
}

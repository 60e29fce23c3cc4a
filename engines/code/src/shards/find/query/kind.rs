//! Properties of a regex that decide how it is searched for: lines, capitals, plain bytes.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::expr::Texts;
use super::regex::parsed;

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
    /// It is runes that follow each other, none of which may be U+FFFD.
    pub(super) is_plain: bool,
    pub(super) texts: Texts,
    /// Its alternatives, where it stands for several texts: the longest first.
    pub(super) alternatives: Vec<String>,
}

/// The least runes of a text that zoekt looks up as such.
const TEXT_RUNES_MIN: usize = 3;

/// The texts that a regex stands for, letters as they are written.
fn texts(source: &str) -> (Texts, Vec<String>) {
    let Ok(hir) = parsed(source, false) else { return (Texts::Pattern, Vec::new()) };
    let text = |hir: &Hir| match hir.kind() {
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok(),
        _ => None,
    };
    match hir.kind() {
        HirKind::Literal(_) => {
            let long = text(&hir).filter(|text| text.chars().count() >= TEXT_RUNES_MIN);
            (long.map_or(Texts::Pattern, |text| Texts::One(text.to_lowercase())), Vec::new())
        }
        HirKind::Alternation(parts) => {
            let Some(mut all) = parts.iter().map(text).collect::<Option<Vec<String>>>() else {
                return (Texts::Pattern, Vec::new());
            };
            let first = |text: &String| text.chars().next();
            // Neighbours with a common front are one pattern with a fork in it.
            let forks = all.windows(2).any(|pair| first(&pair[0]) == first(&pair[1]));
            if forks || all.iter().any(|text| text.len() < TEXT_RUNES_MIN) {
                return (Texts::Pattern, Vec::new());
            }
            all.sort_by_key(|text| std::cmp::Reverse(text.len()));
            (Texts::Several, all)
        }
        _ => (Texts::Pattern, Vec::new()),
    }
}

/// Reads a regex in Rust's words.
pub(super) fn kind_of(source: &str, folds: bool) -> Kind {
    let Ok(hir) = parsed(source, folds) else {
        let (texts, alternatives) = (Texts::Pattern, Vec::new());
        return Kind { is_empty: false, by_line: false, is_plain: false, texts, alternatives };
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
    let is_plain = is_plain(&hir);
    let is_empty = matches!(hir.kind(), HirKind::Empty);
    let (texts, alternatives) = texts(source);
    Kind { is_empty, by_line: !holds_line_end && !sees_text, is_plain, texts, alternatives }
}

/// Whether it matches the same in bytes as they are as in what Go reads of them.
fn is_plain(hir: &Hir) -> bool {
    const BAD: char = char::REPLACEMENT_CHARACTER;
    match hir.kind() {
        HirKind::Literal(literal) => {
            memchr::memmem::find(&literal.0, BAD.to_string().as_bytes()).is_none()
        }
        HirKind::Class(Class::Unicode(class)) => {
            !class.iter().any(|range| range.start() <= BAD && BAD <= range.end())
        }
        HirKind::Concat(parts) => parts.iter().all(is_plain),
        HirKind::Capture(capture) => is_plain(&capture.sub),
        _ => false,
    }
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
    #[test]
    fn texts_are_literals_and_alternatives_of_them() {
        let check = |source: &str, want: (Texts, &[&str])| {
            let (texts, alternatives) = texts(source);
            assert_eq!(
                (texts, alternatives),
                (want.0, want.1.iter().map(|t| (*t).into()).collect())
            );
        };
        check("aBc", (Texts::One("abc".into()), &[]));
        check("(?:ab)c", (Texts::One("abc".into()), &[]));
        check("ab", (Texts::Pattern, &[]));
        check("dong|tides", (Texts::Several, &["tides", "dong"]));
        check("dong|ti", (Texts::Pattern, &[]));
        check("lamp|lantern", (Texts::Pattern, &[]));
        check("one|two|three", (Texts::Pattern, &[]));
        check("(?:abc|xyz)d", (Texts::Pattern, &[]));
    }
}

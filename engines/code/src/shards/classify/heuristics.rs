//! Heuristics: regexes that tell apart the languages which share an extension.
//!
//! Written by `cargo run -p xtask -- linguist`, a line an extension or a rule of it:
//!
//! ```text
//! .inc
//! \tPHP\t+(?m)^<\\?(?:php)?
//! \tSourcePawn\tPawn\t+REGEX\t-REGEX
//! ```
//!
//! The first rule that fits tells its languages. It fits if each regex behind a `+` matches the
//! content, and none behind a `-` does; `!` stands for a regex that the peer can't express, and
//! never matches.

use std::sync::OnceLock;

use manicule_format_zoekt::as_valid_utf8;
use regex::bytes::{Regex, RegexBuilder};

use super::super::dialect::translate;
use super::super::mix::MixMap;
use super::names::rows;
use super::tables::Tables;

const HEURISTICS: &str = include_str!("tables/heuristics.tsv");

/// Maximum number of bytes of a compiled regex.
const COMPILED_LEN_MAX: usize = 32 << 20;

/// The rules of all extensions, compiled when one is met.
pub(super) struct Heuristics {
    extensions: MixMap<&'static [u8], Extension>,
}

struct Extension {
    /// Rules, a line each.
    lines: Vec<&'static str>,
    rules: OnceLock<Rules>,
}

/// The rules of an extension.
struct Rules {
    /// What any `+` of the rules matches: most contents match none, which this tells in one pass.
    any: Option<Regex>,
    rules: Vec<Rule>,
}

struct Rule {
    languages: Vec<&'static str>,
    conditions: Vec<Condition>,
}

/// A regex that has to match, or must not.
enum Condition {
    Matches(Regex),
    MatchesNot(Regex),
    Never,
}

impl Heuristics {
    pub(super) fn new() -> Heuristics {
        let mut extensions = MixMap::default();
        let mut current = None;
        for row in rows(HEURISTICS) {
            match (row.strip_prefix('\t'), current) {
                (None, _) => {
                    current = Some(row);
                    let none = Extension { lines: Vec::new(), rules: OnceLock::new() };
                    extensions.insert(row.as_bytes(), none);
                }
                (Some(rule), Some(extension)) => {
                    let of: Option<&mut Extension> = extensions.get_mut(extension.as_bytes());
                    of.into_iter().for_each(|of| of.lines.push(rule));
                }
                (Some(_), None) => {}
            }
        }
        Heuristics { extensions }
    }

    /// Languages that the rules of an extension see in a content.
    pub(super) fn languages(
        &self,
        last_extension: &[u8],
        content: &[u8],
        tables: &Tables,
    ) -> Vec<&'static str> {
        // zoekt takes C apart from C++ as linguist does it in headers.
        let extension = if last_extension == b".c" { b".h" } else { last_extension };
        let Some(extension) = self.extensions.get(extension) else { return Vec::new() };
        let rules = extension.rules.get_or_init(|| Rules::new(&extension.lines));
        let found = rules.first(&as_valid_utf8(content)).map(|rule| &rule.languages[..]);
        found
            .unwrap_or_default()
            .iter()
            .filter_map(|name| tables.by_alias(name.as_bytes()))
            .collect()
    }
}

impl Rules {
    fn new(lines: &[&'static str]) -> Rules {
        let positive: Vec<String> = lines
            .iter()
            .flat_map(|line| line.split('\t').filter_map(|field| field.strip_prefix('+')))
            .map(|pattern| format!("(?:{})", source(pattern)))
            .collect();
        let any = (!positive.is_empty()).then(|| compiled(&positive.join("|")));
        Rules { any, rules: lines.iter().map(|line| Rule::new(line)).collect() }
    }

    fn first(&self, content: &[u8]) -> Option<&Rule> {
        let is_any = self.any.as_ref().is_some_and(|any| any.is_match(content));
        self.rules.iter().find(|rule| rule.fits(content, is_any))
    }
}

impl Rule {
    fn new(line: &'static str) -> Rule {
        let mut rule = Rule { languages: Vec::new(), conditions: Vec::new() };
        for field in line.split('\t') {
            match (field.strip_prefix('+'), field.strip_prefix('-')) {
                (Some(pattern), _) => {
                    rule.conditions.push(Condition::Matches(compiled(&source(pattern))));
                }
                (_, Some(pattern)) => {
                    rule.conditions.push(Condition::MatchesNot(compiled(&source(pattern))));
                }
                _ if field == "!" => rule.conditions.push(Condition::Never),
                _ => rule.languages.push(field),
            }
        }
        rule
    }

    /// `is_any`: whether a regex that has to match does so in any rule.
    fn fits(&self, content: &[u8], is_any: bool) -> bool {
        self.conditions.iter().all(|condition| match condition {
            Condition::Matches(regex) => is_any && regex.is_match(content),
            Condition::MatchesNot(regex) => !regex.is_match(content),
            Condition::Never => false,
        })
    }
}

/// A pattern of the table in the words of the library.
fn source(pattern: &str) -> String {
    translate(pattern).expect("the peer takes the patterns of the table").source
}

fn compiled(source: &str) -> Regex {
    let mut builder = RegexBuilder::new(source);
    builder.size_limit(COMPILED_LEN_MAX).build().expect("translated patterns are regexes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles_and_names_languages() {
        let (heuristics, tables) = (Heuristics::new(), Tables::new());
        let mut rule_count = 0;
        for extension in heuristics.extensions.values() {
            for rule in &Rules::new(&extension.lines).rules {
                rule_count += 1;
                assert!(!rule.languages.is_empty());
                let known = |name: &&str| tables.by_alias(name.as_bytes()).is_some();
                assert!(rule.languages.iter().all(known), "{:?}", rule.languages);
            }
        }
        assert_eq!((heuristics.extensions.len(), rule_count), (148, 376));
    }

    #[track_caller]
    fn check(extension: &str, content: &[u8], want: &[&str]) {
        let got = Heuristics::new().languages(extension.as_bytes(), content, &Tables::new());
        assert_eq!(got, want, "{extension} {content:?}");
    }

    #[test]
    fn headers_are_told_apart() {
        check(".h", b"int a;\n", &["C"]);
        check(".c", b"#include <vector>\n", &["C++"]);
        check(".h", b"@interface A\n", &["Objective-C"]);
        check(".h", b"// \xff\n  class A\n", &["C++"]);
    }

    #[test]
    fn a_rule_may_want_that_a_regex_does_not_match() {
        check(".pl", b"use v6\n", &["Raku"]);
        check(".pl", b"use strict;\n", &["Perl"]);
        check(".pl", b"nothing\n", &[]);
    }

    #[test]
    fn rules_that_the_peer_cant_express_never_match() {
        check(".tpl", b"{if $a}\n", &[]);
    }
}

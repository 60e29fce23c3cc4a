//! Categories of documents, by their paths, and what their contents say.
//!
//! Bytes:   docs/formats/zoekt.md, section *categories*

use std::sync::LazyLock;

use manicule_format_zoekt::{Category, Skip};
use regex::bytes::{Regex, RegexBuilder};

use super::generated::is_generated;
use super::names::{Unclassified, base, rows};

/// Paths of tests, of other people's code and of text for people: linguist's, one a line.
const TEST: &str = include_str!("tables/tests.txt");
const VENDORED: &str = include_str!("tables/vendored.txt");
const DOCUMENTATION: &str = include_str!("tables/documentation.txt");

/// Paths of what programs make.
const GENERATED: [&str; 19] = [
    r"(?i)\.(nib|xcworkspacedata|xcuserstate)$",
    r"(^|/)\.idea/",
    r"(^Pods|/Pods)/",
    r"(^|/)Carthage/Build/",
    r"(?i)\.designer\.(cs|vb)$",
    r"(?i)\.feature\.cs$",
    r"node_modules/",
    r"vendor/([-0-9A-Za-z]+\.)+(com|edu|gov|in|me|net|org|fm|io)",
    r"((Gopkg|glide|poetry|pdm|uv|deno|composer|Cargo|Pipfile)\.lock|Cargo\.toml\.orig)$",
    r"(npm-shrinkwrap\.json|package-lock\.json|pnpm-lock\.yaml)$",
    r"(^|/)(\w+\.)?esy.lock$",
    r"(^|/)\.pnp\..*$",
    r"Godeps/|__generated__/",
    r".\.zep\.(c|h|php)$",
    r"(^|/)(flake\.lock|MODULE\.bazel\.lock|\.terraform\.lock\.hcl)$",
    r"(?i)_tlb\.pas$",
    r"(^|/)htmlcov/",
    r"(^|/)\.sqlx/query-.+\.json$",
    r"(?i)\.(js|css)\.map$",
];

/// The rules, ready to be asked.
#[derive(Debug)]
pub(super) struct Rules {
    /// Any of the four below: most paths match none, and are done at once.
    any: Regex,
    test: LazyLock<Regex>,
    vendored: LazyLock<Regex>,
    generated: LazyLock<Regex>,
    documentation: LazyLock<Regex>,
}

impl Rules {
    /// Compiles the first of them, some milliseconds; the others when they are asked.
    pub(super) fn new() -> Rules {
        let all = [TEST, VENDORED, DOCUMENTATION].into_iter().flat_map(rows).chain(GENERATED);
        Rules {
            any: one_of(all),
            test: LazyLock::new(|| one_of(rows(TEST))),
            vendored: LazyLock::new(|| one_of(rows(VENDORED))),
            generated: LazyLock::new(|| one_of(GENERATED)),
            documentation: LazyLock::new(|| one_of(rows(DOCUMENTATION))),
        }
    }

    /// The first category that fits; `is_config` if the extension is one of settings.
    pub(super) fn category(&self, document: &Unclassified<'_>, is_config: bool) -> Category {
        let name = document.name;
        if document.skip == Some(Skip::Binary) {
            return Category::Binary;
        }
        let any = self.any.is_match(name);
        if any && self.test.is_match(name) {
            Category::Test
        } else if base(name).starts_with(b".") {
            Category::Dotfile
        } else if any && self.vendored.is_match(name) {
            Category::Vendored
        } else if any && self.generated.is_match(name) || says_generated(document) {
            Category::Generated
        } else if is_config {
            Category::Config
        } else if any && self.documentation.is_match(name) {
            Category::Documentation
        } else {
            Category::Default
        }
    }
}

/// One regex for many; letters, digits and dots are bytes, as in the peer.
fn one_of(patterns: impl IntoIterator<Item = &'static str>) -> Regex {
    let all: Vec<String> = patterns.into_iter().map(|pattern| format!("(?:{pattern})")).collect();
    RegexBuilder::new(&all.join("|")).unicode(false).build().expect("the rules are regexes")
}

/// Whether the content says that a program wrote it. What is too large was not read.
fn says_generated(document: &Unclassified<'_>) -> bool {
    document.skip != Some(Skip::TooLarge) && is_generated(document.name, document.content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_all(rows: &[(&str, &str)]) {
        let rules = Rules::new();
        for (name, want) in rows {
            let document = Unclassified { name: name.as_bytes(), content: b"", skip: None };
            assert_eq!(rules.category(&document, false).name(), *want, "{name}");
        }
    }

    #[test]
    fn paths_tell() {
        check_all(&[
            ("a/b.go", "default"),
            ("a/b_test.go", "test"),
            ("test_a/b.py", "test"),
            (".a_test.go", "test"),
            ("vendor/a.go", "vendored"),
            ("vendor/.a", "dotfile"),
            ("a/jquery.js", "vendored"),
            ("a.designer.cs", "generated"),
            ("Cargo.lock", "generated"),
            ("docs/a", "documentation"),
            ("a/docs/b", "default"),
            ("README.md", "documentation"),
            ("a/.b/c", "default"),
        ]);
    }

    fn check(name: &str, content: &str, skip: Option<Skip>, want: Category) {
        let document = Unclassified { name: name.as_bytes(), content: content.as_bytes(), skip };
        assert_eq!(Rules::new().category(&document, false), want, "{name} {content:?}");
    }

    #[test]
    fn contents_tell_that_a_program_wrote_them() {
        let said = "// Code generated by x. DO NOT EDIT.\n\n\n";
        check("a.go", said, None, Category::Generated);
        check("a.go", said, Some(Skip::TooLarge), Category::Default);
        check("a.go", said, Some(Skip::TooManyTrigrams), Category::Generated);
        check("a_test.go", said, None, Category::Test);
    }

    #[test]
    fn binary_before_all() {
        check("vendor/a_test.go", "", Some(Skip::Binary), Category::Binary);
    }
}

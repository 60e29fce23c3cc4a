//! Scores of files that a search has found, on the scale of zoekt's: so those of its shards, which
//! come from their own ranking, and of other files are in one order.

use std::ops::Range;
use std::path::Path;

use manicule::find::{Hit, Item, Patterns};

/// A match that something defines, as zoekt has it.
const DEFINED: i64 = 7000;
/// A file whose name is what was looked for.
const NAMED: i64 = 2000;
/// A match of whole words.
const WORD: i64 = 500;
/// A file whose name holds it.
const IN_NAME: i64 = 400;
/// Any other match.
const PART: i64 = 50;
/// Each doubling of the number of matches.
const DOUBLED: i64 = 100;
/// A folder on the way to a file.
const DEPTH: i64 = 20;
/// Files that are rarely meant.
const ASIDE: i64 = 3000;

/// Words before the name of something that they define, in languages of most code.
const DEFINES: &[&str] = &[
    "fn",
    "func",
    "def",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "module",
    "mod",
    "namespace",
    "function",
    "const",
    "static",
    "let",
    "var",
    "val",
    "macro_rules!",
    "#define",
    "union",
    "object",
    "record",
    "package",
    "sub",
    "proc",
    "CREATE",
    "TABLE",
    "message",
    "service",
];

/// Folders of tests, of others' code, and of what is made.
const FOLDERS_ASIDE: &[&str] = &[
    "test",
    "tests",
    "testdata",
    "__tests__",
    "spec",
    "fixtures",
    "vendor",
    "third_party",
    "node_modules",
    "dist",
    "generated",
    "target",
];

/// Score of a file, while its hits come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    path: i64,
    best: i64,
    hits: u64,
    /// zoekt's own, of a document in a shard.
    pub(super) of_zoekt: Option<f64>,
}

impl Score {
    /// A file of this path, of which no hit has come yet.
    pub(super) fn of_path(path: &str, patterns: &Patterns) -> Score {
        let path = Path::new(path);
        let lower = |text: &str| text.to_lowercase();
        let stem = path.file_stem().map(|stem| lower(&stem.to_string_lossy())).unwrap_or_default();
        let text = patterns.texts.first().map(|text| lower(text)).unwrap_or_default();
        let of_name = match () {
            () if text.is_empty() => 0,
            () if stem == text => NAMED,
            () if stem.contains(&text) => IN_NAME,
            () => 0,
        };
        let folders = path.parent().into_iter().flat_map(Path::components);
        let names: Vec<String> =
            folders.map(|part| lower(&part.as_os_str().to_string_lossy())).collect();
        let is_aside = names.iter().any(|name| FOLDERS_ASIDE.contains(&name.as_str()))
            || stem.ends_with(".min")
            || stem.ends_with("_test")
            || stem.starts_with("test_");
        let aside = if is_aside { ASIDE } else { 0 };
        let path = of_name - aside - DEPTH * names.len() as i64;
        Score { path, ..Score::default() }
    }

    /// Adds a hit.
    pub(super) fn add(&mut self, hit: i64) {
        self.best = self.best.max(hit);
        self.hits += 1;
    }

    /// The score of all.
    pub(super) fn total(&self) -> i64 {
        match self.of_zoekt {
            Some(score) => score as i64,
            None => self.path + self.best + DOUBLED * i64::from(self.hits.max(1).ilog2()),
        }
    }
}

/// Score of a hit by itself.
pub(super) fn of_hit(hit: &Hit<'_>, text: &[u8], matches: &[Range<usize>]) -> i64 {
    let is_line = matches!(hit.item, Item::Line(_));
    let of_match = |range: &Range<usize>| {
        let (before, after) = (&text[..range.start], &text[range.end.min(text.len())..]);
        let is_word =
            !before.last().is_some_and(is_of_word) && !after.first().is_some_and(is_of_word);
        match (is_word, is_line && defines(before)) {
            (true, true) => DEFINED,
            (true, false) => WORD,
            (false, _) => PART,
        }
    };
    matches.iter().map(of_match).max().unwrap_or(PART)
}

fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80
}

/// Whether a line that begins so defines what comes next.
fn defines(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let start = before.iter().rposition(|byte| byte.is_ascii_whitespace() || *byte == b'(');
    let word = &before[start.map_or(0, |at| at + 1)..];
    DEFINES.iter().any(|own| own.as_bytes() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_before_a_name_defines_it() {
        for (before, want) in [
            ("pub fn ", true),
            ("class ", true),
            ("#define ", true),
            ("export default function ", true),
            ("return ", false),
            ("x = ", false),
            ("afn ", false),
            ("", false),
        ] {
            assert_eq!(defines(before.as_bytes()), want, "{before:?}");
        }
    }

    #[test]
    fn names_count_and_tests_come_last() {
        let patterns = Patterns::new(vec!["Parse".to_owned()]);
        let of = |path: &str| Score::of_path(path, &patterns).path;
        let rising = ["tests/parse_all.rs", "a/b/c.rs", "c.rs", "a/parser.rs", "a/parse.rs"];
        assert!(rising.is_sorted_by(|one, other| of(one) < of(other)), "{:?}", rising.map(of));
    }
}

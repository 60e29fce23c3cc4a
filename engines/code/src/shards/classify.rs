//! What is told of a document beside its bytes: its language and its category.
//!
//! [`ByName`] tells both from the name, and what is generated also from the first lines. It is not exact: linguist
//! decides 168 extensions by looking at contents, `ByName` takes the language that most such files have.
//!
//! Bytes:   docs/formats/zoekt.md, sections *languages* and *categories*
//! Callers: shards

use std::borrow::Cow;
use std::sync::OnceLock;

use manicule_format_zoekt::{Category, Skip};

use super::categories::Rules;

/// A document before its language and category are known.
#[derive(Clone, Copy, Debug)]
pub struct Unclassified<'d> {
    /// Its path below the root.
    pub name: &'d [u8],
    /// Its content as read; empty where it wasn't.
    pub content: &'d [u8],
    /// Why its content isn't stored.
    pub skip: Option<Skip>,
}

/// What a document is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The name of its language; empty if unknown.
    pub language: Cow<'static, str>,
    /// What kind of file it is.
    pub category: Category,
}

/// Tells language and category of documents.
pub trait Classify: Sync {
    /// What `document` is.
    fn classify(&self, document: &Unclassified<'_>) -> Class;
}

/// Tells by names: extensions and file names for the language, folders and file names for the category.
#[derive(Debug, Default)]
pub struct ByName {
    rules: OnceLock<Rules>,
}

impl Classify for ByName {
    fn classify(&self, document: &Unclassified<'_>) -> Class {
        let rules = self.rules.get_or_init(Rules::new);
        Class {
            language: Cow::Borrowed(language(document.name)),
            category: rules.category(document),
        }
    }
}

/// A row for each extension (with its dot) and each file name (behind a slash): language, and `config` where the
/// extension says that the file holds settings. No language: such files aren't text, or nobody knows.
/// Derived from linguist 537297c (MIT) and the rules of zoekt; sorted by bytes.
const LANGUAGES: &str = include_str!("languages.tsv");

/// Extensions that zoekt gives a language before it looks for longer ones, such as `.html` in `.blade.html`.
const FIRST: [&[u8]; 17] = [
    b".apex",
    b".apxc",
    b".apxt",
    b".cs",
    b".fs",
    b".html",
    b".json",
    b".magik",
    b".md",
    b".pkl",
    b".rs",
    b".trigger",
    b".ts",
    b".tsx",
    b".txt",
    b".yaml",
    b".yml",
];

/// What the table says of an extension or a file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub language: &'static str,
    pub is_config: bool,
}

/// The longest extension that the table can hold. Longer ones aren't looked for.
const EXTENSION_LEN_MAX: usize = 32;

/// The row that begins with `key`.
fn known(key: &[u8]) -> Option<Known> {
    let text = LANGUAGES.as_bytes();
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = memchr::memrchr(b'\n', &text[low..middle]).map_or(low, |at| low + at + 1);
        let end = memchr::memchr(b'\n', &text[middle..high]).map_or(high, |at| middle + at);
        let line = &LANGUAGES[start..end];
        let mut fields = line.split('\t');
        let name = fields.next().unwrap_or_default();
        match name.as_bytes().cmp(key) {
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = start,
            std::cmp::Ordering::Equal => {
                let language = fields.next().unwrap_or_default();
                return Some(Known { language, is_config: fields.next() == Some("config") });
            }
        }
    }
    None
}

/// The last name of a path.
pub(super) fn base(name: &[u8]) -> &[u8] {
    memchr::memrchr(b'/', name).map_or(name, |slash| &name[slash + 1..])
}

/// The text from the last dot of a base name.
pub(super) fn extension(base: &[u8]) -> &[u8] {
    memchr::memrchr(b'.', base).map_or(b"", |dot| &base[dot..])
}

/// The row of the longest extension that is known. Capitals don't matter.
pub(super) fn known_extension(base: &[u8]) -> Option<Known> {
    let mut lower = [0; EXTENSION_LEN_MAX];
    memchr::memchr_iter(b'.', base).find_map(|dot| {
        let extension = &base[dot..];
        let lower = lower.get_mut(..extension.len())?;
        lower.copy_from_slice(extension);
        lower.make_ascii_lowercase();
        known(lower)
    })
}

fn language(name: &[u8]) -> &'static str {
    let base = base(name);
    if let Some(known) = known_name(base) {
        return known.language;
    }
    let extension = extension(base);
    if extension.is_empty() {
        return "";
    }
    let last = known_extension(extension);
    let is_first = FIRST.iter().any(|first| first.eq_ignore_ascii_case(extension));
    match last {
        // The last extension decides where zoekt says so, and where such files aren't text.
        Some(last) if is_first || last.language.is_empty() => last.language,
        _ => known_extension(base).map_or("", |known| known.language),
    }
}

fn known_name(base: &[u8]) -> Option<Known> {
    let mut key = [b'/'; EXTENSION_LEN_MAX + 1];
    let key = key.get_mut(..=base.len())?;
    key[1..].copy_from_slice(base);
    known(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, want: &str) {
        assert_eq!(language(name.as_bytes()), want, "{name}");
    }

    #[test]
    fn names_come_before_extensions() {
        check("Makefile", "Makefile");
        check("a/b/Dockerfile", "Dockerfile");
        check("go.mod", "Go Module");
        check("CMakeLists.txt", "CMake");
        check("makefile.am", "");
    }

    #[test]
    fn extensions_know_no_capitals() {
        check("a.go", "Go");
        check("a.GO", "Go");
        check("a.Rs", "Rust");
    }

    #[test]
    fn the_longest_known_extension_decides() {
        check("a.html.erb", "HTML+ERB");
        check("v1.2.gradle.kts", "Gradle Kotlin DSL");
        check("v1.2.3.go", "Go");
    }

    #[test]
    fn some_last_extensions_decide_before_longer_ones() {
        check("a.antlers.html", "HTML");
        check("a.js.png", "");
    }

    #[test]
    fn a_dot_of_a_folder_is_none_of_the_file() {
        check("a.go/README", "");
        check("a.go/b", "");
    }

    #[test]
    fn nothing_known_is_no_language() {
        check("", "");
        check("a", "");
        check("a.", "");
        check("a.nobody-knows-this-extension-of-more-than-32-bytes", "");
    }

    #[test]
    fn each_row_of_the_table_is_found() {
        for row in LANGUAGES.lines() {
            let mut fields = row.split('\t');
            let key = fields.next().expect("a key");
            let known = known(key.as_bytes()).unwrap_or_else(|| panic!("{key} is lost"));
            assert_eq!(known.language, fields.next().unwrap_or_default(), "{key}");
        }
    }

    #[test]
    fn the_table_rises_and_its_keys_fit() {
        let keys: Vec<&[u8]> = LANGUAGES
            .lines()
            .map(|row| row.split('\t').next().expect("a key").as_bytes())
            .collect();
        assert!(keys.is_sorted_by(|left, right| left < right));
        let len_max = keys.iter().map(|key| key.len()).max();
        assert!(len_max <= Some(EXTENSION_LEN_MAX), "{len_max:?}");
    }
}

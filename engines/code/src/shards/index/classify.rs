//! Classification of documents: language and category.
//!
//! [`ByName`] finds both by the name, and what is generated also from the first lines. It is not
//! exact: linguist decides 168 extensions by looking at contents, `ByName` takes the language that
//! most such files have.
//!
//! Bytes:   docs/formats/zoekt.md, sections *languages* and *categories*

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

use manicule_format_zoekt::Category;

use super::categories::Rules;
use super::names::{Unclassified, base, extension, rows};
use super::skip::MixHasher;

/// Class of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The name of its language; empty if unknown.
    pub language: Cow<'static, str>,
    /// Kind of the file.
    pub category: Category,
}

/// Tells language and category of documents.
pub trait Classify: Sync {
    /// Class of `document`.
    fn classify(&self, document: &Unclassified<'_>) -> Class;
}

/// Tells by names: extensions and file names for the language, folders and file names for the
/// category.
#[derive(Debug, Default)]
pub struct ByName {
    ready: OnceLock<(Languages, Rules)>,
}

impl Classify for ByName {
    fn classify(&self, document: &Unclassified<'_>) -> Class {
        let (languages, rules) = self.ready.get_or_init(|| (Languages::new(), Rules::new()));
        let base = base(document.name);
        let (name, extension) = languages.known(base);
        let is_config = extension.is_some_and(|known| known.is_config);
        Class {
            language: Cow::Borrowed(languages.language(base, name, extension)),
            category: rules.category(document, is_config),
        }
    }
}

/// A row for each extension (with its dot) and each file name (after a slash): language, and
/// `config` where the extension says that the file holds settings. No language: such files aren't
/// text, or nobody knows.
/// Of linguist's ambiguous extensions the language that most files of the golden tables have.
const LANGUAGES: &str = include_str!("languages.tsv");

/// Extensions that zoekt gives a language before it looks for longer ones, such as `.html` in
/// `.blade.html`.
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

/// Row of the table for an extension or a file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub language: &'static str,
    pub is_config: bool,
}

/// Extensions and names that the table can hold are no longer. Longer ones aren't looked for.
const KEY_LEN_MAX: usize = 32;

/// The table, ready to be asked: some 60 us to make, 20 ns a question instead of 200 by binary
/// search in the text.
#[derive(Debug)]
pub(super) struct Languages {
    rows: HashMap<&'static [u8], Known, BuildHasherDefault<MixHasher>>,
}

impl Languages {
    fn new() -> Languages {
        let row = |line: &'static str| {
            let mut fields = line.split('\t');
            let key = fields.next().unwrap_or_default();
            let language = fields.next().unwrap_or_default();
            (key.as_bytes(), Known { language, is_config: fields.next() == Some("config") })
        };
        Languages { rows: rows(LANGUAGES).map(row).collect() }
    }

    /// The row of a base name, and that of its longest extension that is known.
    fn known(&self, base: &[u8]) -> (Option<Known>, Option<Known>) {
        let mut key = [b'/'; KEY_LEN_MAX];
        let name = key.get_mut(..=base.len()).and_then(|key| {
            key[1..].copy_from_slice(base);
            self.rows.get(&*key)
        });
        let extension =
            memchr::memchr_iter(b'.', base).find_map(|dot| self.extension(&base[dot..]));
        (name.copied(), extension)
    }

    /// The row of an extension. Capitals don't matter.
    fn extension(&self, extension: &[u8]) -> Option<Known> {
        let mut key = [0; KEY_LEN_MAX];
        let key = key.get_mut(..extension.len())?;
        key.copy_from_slice(extension);
        key.make_ascii_lowercase();
        self.rows.get(&*key).copied()
    }

    /// The language of a base name of which `name` and `extension` are known.
    fn language(&self, base: &[u8], name: Option<Known>, extension: Option<Known>) -> &'static str {
        if let Some(name) = name {
            return name.language;
        }
        let Some(longest) = extension else { return "" };
        let last = super::classify::extension(base);
        if memchr::memchr(b'.', base) == Some(base.len() - last.len()) {
            return longest.language;
        }
        let is_first = FIRST.iter().any(|first| first.eq_ignore_ascii_case(last));
        match self.extension(last) {
            // The last extension decides where zoekt says so, and where such files aren't text.
            Some(last) if is_first || last.language.is_empty() => last.language,
            _ => longest.language,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, want: &str) {
        let document = Unclassified { name: name.as_bytes(), content: b"", skip: None };
        assert_eq!(ByName::default().classify(&document).language, want, "{name}");
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
    fn the_table_rises_and_its_keys_fit() {
        let keys: Vec<&[u8]> =
            rows(LANGUAGES).map(|row| row.split('\t').next().expect("a key").as_bytes()).collect();
        assert!(keys.is_sorted_by(|left, right| left < right));
        let len_max = keys.iter().map(|key| key.len()).max();
        assert!(len_max <= Some(KEY_LEN_MAX), "{len_max:?}");
    }
}

//! Tables of linguist: languages by file name, extension, interpreter and alias.
//!
//! Written by `cargo run -p xtask -- linguist`.

use std::borrow::Cow;

use manicule_core::go;

use super::super::mix::MixMap;
use super::names::{extension, rows};

/// An extension with its dot, or a file name, and its languages, with tabs in between.
const EXTENSIONS: &str = include_str!("tables/extensions.tsv");
const FILE_NAMES: &str = include_str!("tables/file_names.tsv");
const INTERPRETERS: &str = include_str!("tables/interpreters.tsv");
/// An alias as a key, see [`Tables::by_alias`], and its language.
const ALIASES: &str = include_str!("tables/aliases.tsv");
/// Extensions of files that aren't text.
const BINARY: &str = include_str!("tables/binary.txt");

/// Extensions that zoekt gives a language before linguist is asked. None is a binary file's.
const FIRST: [(&[u8], &str); 17] = [
    (b".apex", "Apex"),
    (b".apxc", "Apex"),
    (b".apxt", "Apex"),
    (b".trigger", "Apex"),
    (b".magik", "Magik"),
    (b".cs", "C#"),
    (b".fs", "F#"),
    (b".html", "HTML"),
    (b".json", "JSON"),
    (b".md", "Markdown"),
    (b".rs", "Rust"),
    (b".tsx", "TSX"),
    (b".ts", "TypeScript"),
    (b".txt", "Text"),
    (b".yaml", "YAML"),
    (b".yml", "YAML"),
    (b".pkl", "Pkl"),
];

/// Languages whose files are settings.
const SETTINGS: [&str; 7] = ["XML", "JSON", "TOML", "YAML", "MiniYAML", "INI", "SQL"];

type Lists = MixMap<&'static [u8], &'static str>;

/// What zoekt makes of the last extension of a name.
pub(super) enum First {
    /// It says the language, or that there is none.
    Decided(&'static str),
    /// Linguist is asked.
    Open,
}

/// The tables, ready to be asked: 20 ns a question instead of 200 by binary search in the text.
pub(super) struct Tables {
    extensions: Lists,
    file_names: Lists,
    interpreters: Lists,
    aliases: Lists,
    first: Lists,
}

impl Tables {
    pub(super) fn new() -> Tables {
        let binary = rows(BINARY).map(|extension| (extension.as_bytes(), ""));
        Tables {
            extensions: lists(EXTENSIONS),
            file_names: lists(FILE_NAMES),
            interpreters: lists(INTERPRETERS),
            aliases: lists(ALIASES),
            first: binary.chain(FIRST).collect(),
        }
    }

    /// Languages of a base name.
    pub(super) fn by_file_name(&self, base: &[u8]) -> Vec<&'static str> {
        split(self.file_names.get(base))
    }

    /// Languages of the longest extension of a base name that has any, capitals apart.
    pub(super) fn by_extension(&self, base: &[u8]) -> Vec<&'static str> {
        split(self.languages_of(base))
    }

    fn languages_of(&self, base: &[u8]) -> Option<&&'static str> {
        let lower = go::to_lower(base);
        memchr::memchr_iter(b'.', &lower).find_map(|dot| self.extensions.get(&lower[dot..]))
    }

    /// Whether the extension of a base name is one of settings.
    pub(super) fn is_config(&self, base: &[u8]) -> bool {
        let languages = self.languages_of(base).copied().unwrap_or_default();
        SETTINGS.contains(&languages.split('\t').next().unwrap_or_default())
    }

    /// What zoekt's own rules make of the last extension, in lower case.
    pub(super) fn first(&self, last_extension: &[u8]) -> First {
        self.first.get(last_extension).map_or(First::Open, |language| First::Decided(language))
    }

    /// Languages of an interpreter that a shebang names.
    pub(super) fn by_interpreter(&self, interpreter: &[u8]) -> Vec<&'static str> {
        split(self.interpreters.get(interpreter))
    }

    /// The language that has this name or alias: what stands before a comma, spaces and capitals
    /// apart.
    pub(super) fn by_alias(&self, alias: &[u8]) -> Option<&'static str> {
        self.aliases.get(&*alias_key(alias)).copied()
    }
}

/// The same for one question, without the tables: 10 us.
pub(super) fn language_of_alias(alias: &[u8]) -> Option<&'static str> {
    let key = alias_key(alias);
    let mut pairs = rows(ALIASES).filter_map(|row| row.split_once('\t'));
    pairs.find(|(own, _)| own.as_bytes() == &*key).map(|(_, language)| language)
}

fn alias_key(alias: &[u8]) -> Vec<u8> {
    let first = memchr::memchr(b',', alias).map_or(alias, |comma| &alias[..comma]);
    let words: Vec<u8> =
        first.iter().map(|byte| if *byte == b' ' { b'_' } else { *byte }).collect();
    go::to_lower(&words).into_owned()
}

fn lists(table: &'static str) -> Lists {
    rows(table)
        .filter_map(|row| row.split_once('\t'))
        .map(|(key, of)| (key.as_bytes(), of))
        .collect()
}

fn split(languages: Option<&&'static str>) -> Vec<&'static str> {
    languages.map(|languages| languages.split('\t').collect()).unwrap_or_default()
}

/// The last extension of a base name in lower case.
pub(super) fn last_extension(base: &[u8]) -> Cow<'_, [u8]> {
    go::to_lower(extension(base))
}

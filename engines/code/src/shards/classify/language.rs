//! The language of a document: candidates by its name, narrowed by what its content says.
//!
//! Bytes:   docs/formats/zoekt.md, section *languages*

use std::sync::OnceLock;

use super::bayes::Bayes;
use super::heuristics::Heuristics;
use super::modeline::Modelines;
use super::names::{Unclassified, base};
use super::shebang::Shebangs;
use super::tables::{First, Tables, last_extension};

/// Number of bytes in which a NUL says that a content isn't text.
const SNIFFED_LEN: usize = 8000;

/// zoekt's name for the language that linguist calls Wolfram Language.
const RENAMED: (&str, &str) = ("Wolfram Language", "Mathematica");

/// A language of linguist under zoekt's name.
pub(super) fn renamed(language: &'static str) -> &'static str {
    if language == RENAMED.0 { RENAMED.1 } else { language }
}

/// What languages are told by.
pub(super) struct Languages {
    tables: Tables,
    heuristics: Heuristics,
    modelines: OnceLock<Modelines>,
    shebangs: OnceLock<Shebangs>,
    bayes: OnceLock<Bayes>,
}

impl Languages {
    pub(super) fn new() -> Self {
        Languages {
            tables: Tables::new(),
            heuristics: Heuristics::new(),
            modelines: OnceLock::new(),
            shebangs: OnceLock::new(),
            bayes: OnceLock::new(),
        }
    }

    /// The name of a document's language; empty if nothing tells it.
    pub(super) fn of(&self, document: &Unclassified<'_>) -> &'static str {
        // What the shard doesn't store isn't asked either.
        let content = if document.skip.is_some() { b"" } else { document.content };
        renamed(self.first_of(base(document.name), content))
    }

    /// Whether the name says that a file holds settings.
    pub(super) fn is_config(&self, name: &[u8]) -> bool {
        self.tables.is_config(base(name))
    }

    fn first_of(&self, base: &[u8], content: &[u8]) -> &'static str {
        let mut candidates = self.tables.by_file_name(base);
        if let [one] = candidates[..] {
            return one;
        }
        let last = last_extension(base);
        if let First::Decided(language) = self.tables.first(&last) {
            return language;
        }
        let mut by_extension = self.tables.by_extension(base);
        if *last == *b".c" {
            by_extension.push("C++");
        }
        match by_extension[..] {
            [] => {}
            [one] => return one,
            _ => candidates = by_extension,
        }
        self.by_content(&last, content, candidates)
    }

    /// The first of `candidates` that the content leaves, of all languages where there are none.
    fn by_content(
        &self,
        last_extension: &[u8],
        content: &[u8],
        mut candidates: Vec<&'static str>,
    ) -> &'static str {
        let first = |candidates: &[&'static str]| candidates.first().copied().unwrap_or_default();
        if content.is_empty() {
            return first(&candidates);
        }
        if content[..content.len().min(SNIFFED_LEN)].contains(&0) {
            return "";
        }
        let modelines = self.modelines.get_or_init(Modelines::new);
        if let Some(language) = modelines.language(content, &self.tables) {
            return language;
        }
        let interpreter = self.shebangs.get_or_init(Shebangs::new).interpreter(content);
        for found in [
            self.tables.by_interpreter(interpreter.unwrap_or_default()),
            self.heuristics.languages(last_extension, content, &self.tables),
        ] {
            match found[..] {
                [] => {}
                [one] => return one,
                _ => candidates = found,
            }
        }
        if candidates.is_empty() {
            return "";
        }
        let best = self.bayes.get_or_init(Bayes::new).best(content, &candidates, &self.tables);
        best.unwrap_or_else(|| first(&candidates))
    }
}

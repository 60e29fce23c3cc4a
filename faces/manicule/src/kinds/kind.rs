//! The kinds of paths: their words, and the systems that write them.

use std::fmt;

use super::system::System;

/// Kind of a path. Those of a system are declared beside its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    word: &'static str,
    name: &'static str,
    system: System,
    rank: u8,
    part_of: Option<&'static str>,
}

impl Kind {
    /// A kind: one word for programs, a noun with its article for people, the system that writes
    /// it.
    pub const fn new(word: &'static str, name: &'static str, system: System) -> Kind {
        Kind { word, name, system, rank: u8::MAX, part_of: None }
    }

    /// Its rank among the kinds of one folder, of which the lowest is answered first. Kinds of one
    /// rank, as all are that have none, come in the order of their systems.
    #[must_use]
    pub const fn ranked(self, rank: u8) -> Kind {
        Kind { rank, ..self }
    }

    /// One that is read with the folder of another kind that it is directly in.
    #[must_use]
    pub const fn part_of(self, whole: Kind) -> Kind {
        Kind { part_of: Some(whole.word), ..self }
    }

    /// One word for programs.
    pub fn word(self) -> &'static str {
        self.word
    }

    /// Noun for the kind, with its article.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Noun for the kind, without an article.
    pub fn noun(self) -> &'static str {
        let articles = ["a ", "an ", "the "];
        articles.iter().find_map(|article| self.name.strip_prefix(article)).unwrap_or(self.name)
    }

    /// System that writes files of this kind.
    pub fn system(self) -> System {
        self.system
    }

    /// Whether it is read with a folder of another kind that it is directly in.
    pub fn is_part_of(self, whole: Kind) -> bool {
        self.part_of == Some(whole.word)
    }

    pub(super) fn rank(self) -> u8 {
        self.rank
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

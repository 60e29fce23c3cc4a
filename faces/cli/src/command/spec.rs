//! The words of a flag: its names, what it takes, what help says of it.

use crate::units::joined;

/// Maximum number of words that help lists for a flag.
const OFFERED_MAX: usize = 12;

/// What is known of a flag without the options that it changes: parsing, help, man page and
/// completions read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// The name after two dashes.
    pub(crate) long: &'static str,
    /// The letter after one dash.
    pub(crate) short: Option<char>,
    /// The name that undoes it.
    pub(crate) negation: Option<&'static str>,
    /// Another long name.
    pub(crate) alias: Option<&'static str>,
    /// What its value stands for; `None` for a switch.
    pub(crate) metavar: Option<&'static str>,
    /// What may be given for its value.
    pub(crate) takes: Takes,
    /// Heading under which help shows it.
    pub(crate) group: Group,
    /// One line of help, the same in every command that has the flag.
    pub(crate) help: &'static str,
    /// The line where a command can say it more exactly; may be empty.
    pub(crate) here: &'static str,
    /// What help says beyond that line; may be empty.
    pub(crate) more: &'static str,
    /// Its long name is written with one dash, as Go's programs do.
    pub(crate) has_one_dash: bool,
    /// Nobody is to type it: between processes of ours, or a former name.
    pub(crate) is_hidden: bool,
}

/// What may be given for a flag's value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes {
    /// What its metavar says: a path, or anything.
    Any,
    /// The name of a file type.
    Types,
    /// One of these; some flags take others too.
    OneOf(&'static [&'static str]),
    /// One of these, with what each means.
    Choices(&'static [(&'static str, &'static str)]),
}

/// A heading of help. The flags of most commands have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group(pub(crate) &'static str);

impl Group {
    pub(crate) const NONE: Group = Group("");
}

/// A flag's words. `short` is a letter, or nothing.
pub(crate) const fn spec(long: &'static str, short: &str, help: &'static str) -> Spec {
    let short = match short.as_bytes() {
        [letter] => Some(*letter as char),
        _ => None,
    };
    let (negation, alias, metavar, takes) = (None, None, None, Takes::Any);
    let (group, here, more) = (Group::NONE, "", "");
    let (has_one_dash, is_hidden) = (false, false);
    Spec {
        long,
        short,
        negation,
        alias,
        metavar,
        takes,
        group,
        help,
        here,
        more,
        has_one_dash,
        is_hidden,
    }
}

impl Spec {
    pub(crate) const fn no(self, negation: &'static str) -> Spec {
        Spec { negation: Some(negation), ..self }
    }

    pub(crate) const fn aka(self, alias: &'static str) -> Spec {
        Spec { alias: Some(alias), ..self }
    }

    pub(crate) const fn takes(self, metavar: &'static str) -> Spec {
        Spec { metavar: Some(metavar), ..self }
    }

    pub(crate) const fn one_of(self, words: &'static [&'static str]) -> Spec {
        Spec { takes: Takes::OneOf(words), ..self }
    }

    pub(crate) const fn choices(self, choices: &'static [(&'static str, &'static str)]) -> Spec {
        Spec { takes: Takes::Choices(choices), ..self }
    }

    pub(crate) const fn types(self) -> Spec {
        Spec { takes: Takes::Types, ..self }
    }

    /// Has help say this in one command, in place of the line of all that have the flag.
    pub(crate) const fn here(self, here: &'static str) -> Spec {
        Spec { here, ..self }
    }

    pub(crate) const fn more(self, more: &'static str) -> Spec {
        Spec { more, ..self }
    }

    pub(crate) const fn within(self, group: Group) -> Spec {
        Spec { group, ..self }
    }

    pub(crate) const fn with_one_dash(self) -> Spec {
        Spec { has_one_dash: true, ..self }
    }

    pub(crate) const fn hidden(self) -> Spec {
        Spec { is_hidden: true, ..self }
    }

    /// The words that may be given, as a sentence, where the flag's own sentences don't name all of
    /// them.
    pub(crate) fn offers(&self) -> Option<String> {
        let Takes::OneOf(words) = self.takes else { return None };
        let is_said = |word: &&str| self.line().contains(*word) || self.more.contains(*word);
        // The labels of encodings fill a page.
        let is_list = words.len() <= OFFERED_MAX && !words.iter().all(is_said);
        is_list.then(|| format!("{}: {}.", self.metavar.unwrap_or("One of"), joined(words, "or")))
    }

    /// The line of help.
    pub(crate) const fn line(&self) -> &'static str {
        if self.here.is_empty() { self.help } else { self.here }
    }

    /// A long name of this flag with its dashes.
    pub(crate) fn dashed(&self, long: &str) -> String {
        format!("{}{long}", if self.has_one_dash { "-" } else { "--" })
    }
}

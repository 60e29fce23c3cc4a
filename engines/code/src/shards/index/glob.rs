//! Globs as the peer reads them: `*`, `**`, `?`, classes, choices.

use std::fmt;

/// Braces may be nested so deep. Deeper ones are somebody's attempt at our stack.
const DEPTH_MAX: usize = 100;

/// Error of a text that is no glob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadGlob {
    /// It isn't UTF-8. Write `?` for the odd byte.
    NoText,
    /// `[` without its `]`. Close it, or write `\[`.
    OpenClass,
    /// `[]`, or a range with more after it, or a range that falls: `[a-z]`, `[!a-z]`, `[xyz]` and
    /// `[!xyz]` are known.
    Class,
    /// Braces within braces within braces, too deep. Write several lines.
    Deep,
}

impl fmt::Display for BadGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadGlob::NoText => "is not UTF-8: write ? for the odd byte",
            BadGlob::OpenClass => "has a [ without its ]: close it, or write \\[",
            BadGlob::Class => "has a class other than [a-z], [!a-z], [xyz], [!xyz]",
            BadGlob::Deep => "has braces nested deeper than 100: write several lines",
        })
    }
}

impl std::error::Error for BadGlob {}

/// A part of a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// These characters.
    Text(Vec<char>),
    /// `?`: a character but `/`.
    One,
    /// `*`: any characters but `/`.
    Any,
    /// `**`: any characters.
    Super,
    /// `[xyz]`, `[!xyz]`.
    List { chars: Vec<char>, not: bool },
    /// `[a-z]`, `[!a-z]`.
    Range { low: char, high: char, not: bool },
    /// `{x,y}`.
    AnyOf(Vec<Vec<Part>>),
}

#[derive(Clone, Debug)]
pub(super) struct Glob(Vec<Part>);

impl Glob {
    /// A glob as a line has it: one that holds no wildcard means everything that begins so.
    pub(super) fn parse_line(source: &[u8]) -> Result<Glob, BadGlob> {
        let text = std::str::from_utf8(source).map_err(|_| BadGlob::NoText)?;
        let is_plain = !text.contains(['.', ']', '[', '*', '?']);
        Glob::parse(text, if is_plain { "**" } else { "" })
    }

    fn parse(text: &str, suffix: &str) -> Result<Glob, BadGlob> {
        let chars: Vec<char> = text.chars().chain(suffix.chars()).collect();
        if chars.contains(&char::REPLACEMENT_CHARACTER) {
            return Err(BadGlob::NoText);
        }
        let mut parser = Parser { chars: &chars, at: 0 };
        Ok(Glob(parser.parts(0)?))
    }

    pub(super) fn matches(&self, path: &[char]) -> bool {
        // The peer lets the two texts overlap, so that `a/**/b` matches `a/b`, and `ab**b` matches
        // `ab`.
        if let [Part::Text(first), Part::Super, Part::Text(last)] = &self.0[..] {
            return path.starts_with(first) && path.ends_with(last);
        }
        let mut places = vec![false; path.len() + 1];
        places[0] = true;
        walk(&self.0, path, &mut places) && places[path.len()]
    }
}

/// Moves the places that a match may have reached in `path` over `parts`. `false` if none is left.
fn walk(parts: &[Part], path: &[char], places: &mut Vec<bool>) -> bool {
    for part in parts {
        if !step(part, path, places) {
            return false;
        }
    }
    true
}

fn step(part: &Part, path: &[char], places: &mut Vec<bool>) -> bool {
    match part {
        Part::Text(text) => {
            for place in (0..places.len()).rev() {
                places[place] = place >= text.len()
                    && places[place - text.len()]
                    && path[place - text.len()..place] == text[..];
            }
        }
        Part::One => one(path, places, |rune| rune != '/'),
        Part::List { chars, not } => one(path, places, |rune| chars.contains(&rune) != *not),
        Part::Range { low, high, not } => {
            one(path, places, |rune| (*low..=*high).contains(&rune) != *not);
        }
        Part::Any => run(path, places, |rune| rune != '/'),
        Part::Super => run(path, places, |_| true),
        Part::AnyOf(choices) => {
            let mut reached = vec![false; places.len()];
            for choice in choices {
                let mut after = places.clone();
                if walk(choice, path, &mut after) {
                    reached.iter_mut().zip(after).for_each(|(all, one)| *all |= one);
                }
            }
            *places = reached;
        }
    }
    places.contains(&true)
}

/// Each place moves over one character that `takes`.
fn one(path: &[char], places: &mut [bool], takes: impl Fn(char) -> bool) {
    for place in (1..places.len()).rev() {
        places[place] = places[place - 1] && takes(path[place - 1]);
    }
    places[0] = false;
}

/// Each place moves over as many characters as it likes that `takes`.
fn run(path: &[char], places: &mut [bool], takes: impl Fn(char) -> bool) {
    for place in 1..places.len() {
        places[place] |= places[place - 1] && takes(path[place - 1]);
    }
}

struct Parser<'p> {
    chars: &'p [char],
    at: usize,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.chars.get(self.at).copied();
        self.at += 1;
        next
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    /// Parts up to the end, or within braces up to the next choice or the end of the choices. What
    /// is never closed ends with the glob.
    fn parts(&mut self, depth: usize) -> Result<Vec<Part>, BadGlob> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek() {
            match next {
                ',' | '}' if depth > 0 => break,
                '{' => parts.push(self.choices(depth + 1)?),
                '[' => parts.push(self.class()?),
                '?' => parts.push(self.wildcard(Part::One)),
                '*' if self.chars.get(self.at + 1) == Some(&'*') => {
                    self.at += 1;
                    parts.push(self.wildcard(Part::Super));
                }
                '*' => parts.push(self.wildcard(Part::Any)),
                _ => parts.push(Part::Text(self.text(|next| match next {
                    '?' | '*' | '[' | '{' => true,
                    '}' | ',' => depth > 0,
                    _ => false,
                }))),
            }
        }
        Ok(parts)
    }

    fn wildcard(&mut self, part: Part) -> Part {
        self.at += 1;
        part
    }

    fn choices(&mut self, depth: usize) -> Result<Part, BadGlob> {
        if depth > DEPTH_MAX {
            return Err(BadGlob::Deep);
        }
        let mut choices = Vec::new();
        loop {
            self.at += 1;
            choices.push(self.parts(depth)?);
            if self.peek() != Some(',') {
                self.at += 1;
                return Ok(Part::AnyOf(choices));
            }
        }
    }

    /// Characters up to one that `ends` the text; a backslash takes the next one's meaning away.
    fn text(&mut self, ends: impl Fn(char) -> bool) -> Vec<char> {
        let mut text = Vec::new();
        while let Some(next) = self.peek() {
            if ends(next) {
                break;
            }
            self.at += 1;
            match next {
                '\\' => text.extend(self.next()),
                plain => text.push(plain),
            }
        }
        text
    }

    /// `[a-z]` or `[xyz]`, each with `!` in front or not. A range takes its ends as they are, also
    /// `]` and a backslash; a list takes `-` as a character.
    fn class(&mut self) -> Result<Part, BadGlob> {
        self.at += 1;
        let not = self.peek() == Some('!');
        self.at += usize::from(not);
        let low = self.peek().ok_or(BadGlob::OpenClass)?;
        let part = if self.chars.get(self.at + 1) == Some(&'-') {
            self.at += 2;
            let high = self.next().ok_or(BadGlob::OpenClass)?;
            if high < low {
                return Err(BadGlob::Class);
            }
            Part::Range { low, high, not }
        } else {
            let chars = self.text(|next| next == ']');
            if chars.is_empty() {
                return Err(BadGlob::Class);
            }
            Part::List { chars, not }
        };
        match self.next() {
            Some(']') => Ok(part),
            Some(_) => Err(BadGlob::Class),
            None => Err(BadGlob::OpenClass),
        }
    }
}

//! The ignore file of a tree: which paths are no documents. Its globs are those of gobwas/glob 0.2.3, which the peer
//! uses, with `/` between names.
//!
//! A glob is matched against a whole path by the set of places that its parts can reach, one part after the other:
//! time grows with pattern times path, whatever a hostile tree writes into the file.
//!
//! The peer's library has mistakes that are not repeated here; of 375,000 random pairs of pattern and path 4 % are
//! answered otherwise, every one of them with `***`, with a star or nothing as a choice within braces, with a
//! character of several bytes beside `?` or a class, or with the same `[!xy]` twice in a row. One that plain patterns
//! meet is kept, see [`Glob::matches`].
//!
//! Bytes:   docs/formats/zoekt.md, "From a folder to documents"
//! Callers: walk

use std::ffi::CStr;
use std::fmt;

use manicule_format_zoekt::first_rune;

/// The folder and the file within it, at the root of a tree.
pub(super) const IGNORE_FILE: (&CStr, &CStr) = (c".sourcegraph", c"ignore");

/// Maximum length of a line in bytes: the peer's reader refuses longer ones.
const LINE_LEN_MAX: usize = 64 * 1024 - 1;
/// Braces may be nested so deep. Deeper ones are somebody's attempt at our stack.
const DEPTH_MAX: usize = 100;

/// Error of an ignore file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IgnoreError {
    /// A line is no glob.
    Glob {
        /// Which, from 1.
        line: usize,
        /// The glob as written.
        glob: String,
        /// The error.
        source: BadGlob,
    },
    /// A line is longer than any path. Split or remove it.
    LongLine {
        /// Which, from 1.
        line: usize,
    },
    /// The file is too long. Use globs that match more.
    TooLong {
        /// Bytes that it may have.
        len_max: u64,
    },
}

impl fmt::Display for IgnoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IgnoreError::Glob { line, glob, .. } => write!(f, "line {line}: glob {glob:?}"),
            IgnoreError::LongLine { line } => {
                write!(f, "line {line} is longer than {LINE_LEN_MAX} bytes: split or remove it")
            }
            IgnoreError::TooLong { len_max } => {
                write!(f, "more than {len_max} bytes: use globs that match more")
            }
        }
    }
}

impl std::error::Error for IgnoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            IgnoreError::Glob { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Why a text is no glob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadGlob {
    /// It isn't UTF-8. Write `?` for the odd byte.
    NoText,
    /// `[` without its `]`. Close it, or write `\[`.
    OpenClass,
    /// `[]`, or a range with more after it, or a range that falls: `[a-z]`, `[!a-z]`, `[xyz]` and `[!xyz]` are known.
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

/// The globs of an ignore file. Without any, nothing is ignored.
#[derive(Clone, Debug, Default)]
pub struct Ignore {
    globs: Vec<Glob>,
}

impl Ignore {
    /// Reads the lines of an ignore file: a glob each, but for empty lines and those that begin with `#`.
    pub fn parse(text: &[u8]) -> Result<Ignore, IgnoreError> {
        let mut globs = Vec::new();
        for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
            if line.len() > LINE_LEN_MAX {
                return Err(IgnoreError::LongLine { line: index + 1 });
            }
            let source = trim(line);
            if source.is_empty() || source.starts_with(b"#") {
                continue;
            }
            let source = source.strip_prefix(b"/").unwrap_or(source);
            let glob = Glob::parse_line(source).map_err(|bad| IgnoreError::Glob {
                line: index + 1,
                glob: String::from_utf8_lossy(source).into_owned(),
                source: bad,
            })?;
            globs.push(glob);
        }
        Ok(Ignore { globs })
    }

    /// Whether the file or folder at `path`, below the root, is to be left out.
    pub fn holds(&self, path: &[u8]) -> bool {
        if self.globs.is_empty() {
            return false;
        }
        let path = runes(path);
        self.globs.iter().any(|glob| glob.matches(&path))
    }
}

/// Cuts white space of any script off both ends. Bytes that aren't text are none.
fn trim(line: &[u8]) -> &[u8] {
    let mut line = line;
    while let Some(len) = space_len(line) {
        line = &line[len..];
    }
    while let Some(len) =
        (1..=3.min(line.len())).find(|len| space_len(&line[line.len() - len..]) == Some(*len))
    {
        line = &line[..line.len() - len];
    }
    line
}

/// The length of the white space that `bytes` begin with.
fn space_len(bytes: &[u8]) -> Option<usize> {
    let (rune, len) = first_rune(bytes)?;
    char::from_u32(rune).is_some_and(char::is_whitespace).then_some(len)
}

/// A path as the characters that globs see.
fn runes(path: &[u8]) -> Vec<char> {
    let mut rest = path;
    let mut runes = Vec::with_capacity(path.len());
    while let Some((rune, len)) = first_rune(rest) {
        runes.push(char::from_u32(rune).unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = &rest[len..];
    }
    runes
}

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
struct Glob(Vec<Part>);

impl Glob {
    /// A glob as a line has it: one that holds no wildcard means everything that begins so.
    fn parse_line(source: &[u8]) -> Result<Glob, BadGlob> {
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

    fn matches(&self, path: &[char]) -> bool {
        // The peer lets the two texts overlap, so that `a/**/b` matches `a/b`, and `ab**b` matches `ab`.
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

    /// Parts up to the end, or within braces up to the next choice or the end of the choices. What is never closed
    /// ends with the glob.
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

    /// `[a-z]` or `[xyz]`, each with `!` in front or not. A range takes its ends as they are, also `]` and a
    /// backslash; a list takes `-` as a character.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `lines` hold of `paths` those followed by a `!`.
    fn check(lines: &str, paths: &str) {
        let ignore = Ignore::parse(lines.as_bytes()).expect("globs");
        for path in paths.split(' ') {
            let (path, want) = path.strip_suffix('!').map_or((path, false), |path| (path, true));
            assert_eq!(ignore.holds(path.as_bytes()), want, "{lines:?} {path:?}");
        }
    }

    #[test]
    fn without_a_wildcard_all_that_begins_so_is_meant() {
        check("build", "build! builder! build/a/b! abuild a/build buil");
        check("/build/", "build/a! build builder");
        check("{a,b}", "a! bc! c");
        check("a\\b", "ab! abc! a");
    }

    #[test]
    fn a_dot_is_a_wildcard_in_this_respect() {
        check("a.b", "a.b! a.bc a.b/c");
    }

    #[test]
    fn stars_stop_at_slashes_and_double_stars_do_not() {
        check("*.go", "a.go! .go! b/a.go a.goo");
        check("**.go", "a.go! b/a.go!");
        check("a/**/b?", "a/c/bd! a/c/d/bd! a//bd! a/bd");
        check("**/b", "a/b! /b! b");
        check("a?b", "acb! aéb! a/b ab");
    }

    #[test]
    fn two_texts_around_a_double_star_may_overlap() {
        check("ab**b", "ab! abcb! a/b");
        check("a/**/b", "a/b! a/c/b! a/c/d/b! ab");
        check("ab**bc*", "abc abbc! abbcd!");
    }

    #[test]
    fn classes() {
        check("[ab]", "a! b! c ab");
        check("[!ab]", "a b c! /! é!");
        check("[a-c]x", "ax! cx! dx -x");
        check("[!a-c]x", "ax dx! /x!");
        check("[ab-d]", "a! b! -! d! c");
        check("[-a]", "-! a! b");
        check("[--0]", "-! .! /! 0! 1");
        check("[!!a]", "a b! c!");
        check("[\\]]", "]! \\ a");
        check("[\\-a]", "\\! ]! ^! a! - b");
    }

    #[test]
    fn choices() {
        check("*.{a,bc}", "x.a! x.bc! x.b");
        check("{a,{b,c}d}.x", "a.x! bd.x! cd.x! d.x");
        check("x.{a,*/b}", "x.a! x.c/b! x.c/c/b");
        check("x.{a,b", "x.a! x.b! x.");
        check("x.{,a}", "x.! x.a! x.b");
        check("a}.,b]", "a}.,b]! a");
    }

    #[test]
    fn a_backslash_takes_meaning_away() {
        check("\\*.x", "*.x! a.x \\*.x");
        check("\\{a,b\\}.", "{a,b}.! a.");
        check("a.\\", "a.!");
    }

    #[test]
    fn lines() {
        check("# a\n\n  b.c\t\r\n\u{3000}d.e\u{a0}\n//f.g", "b.c! d.e! a # /f.g! f.g");
        check("", "a");
    }

    #[test]
    fn bytes_that_are_no_text_are_single_characters() {
        let ignore = Ignore::parse(b"a??.x").expect("globs");
        assert!(ignore.holds(b"a\xff\xfe.x") && ignore.holds(b"a\xe2\x82.x"));
        assert!(!ignore.holds(b"a\xff.x"));
    }

    fn check_bad(lines: &[u8], want: &str) {
        let error = Ignore::parse(lines).expect_err("bad");
        let source = std::error::Error::source(&error).map(|source| format!(" {source}"));
        assert_eq!(format!("{error}{}", source.unwrap_or_default()), want);
    }

    #[test]
    fn what_is_no_glob_is_named() {
        let class = "has a class other than [a-z], [!a-z], [xyz], [!xyz]";
        let open = "has a [ without its ]: close it, or write \\[";
        check_bad(b"a\n\nb[", &format!("line 3: glob \"b[\" {open}"));
        check_bad(b"[a", &format!("line 1: glob \"[a\" {open}"));
        for bad in ["[]a]", "[!]", "[b-a]", "[a-cd]"] {
            check_bad(bad.as_bytes(), &format!("line 1: glob {bad:?} {class}"));
        }
        let no_text = "is not UTF-8: write ? for the odd byte";
        check_bad(b"a\xffb", &format!("line 1: glob \"a\u{fffd}b\" {no_text}"));
        check_bad(
            "{".repeat(200).as_bytes(),
            &format!(
                "line 1: glob {:?} has braces nested deeper than 100: write several lines",
                "{".repeat(200)
            ),
        );
        check_bad(&[b'a'; 65_536], "line 1 is longer than 65535 bytes: split or remove it");
    }

    #[test]
    fn hostile_globs_take_little_time() {
        let glob = "**a{*,**a}".repeat(40);
        let ignore = Ignore::parse(glob.as_bytes()).expect("globs");
        assert!(!ignore.holds(&[b"a/".repeat(500), b"b".to_vec()].concat()));
    }
}

//! The ignore file of a tree: which paths are no documents. Its globs are those of gobwas/glob
//! 0.2.3, which the peer uses, with `/` between names.
//!
//! A glob is matched against a whole path by the set of places that its parts can reach, one part
//! after the other: time grows with pattern times path, whatever a hostile tree writes into the
//! file.
//!
//! The peer's library has mistakes that are not repeated here; of 375,000 random pairs of pattern
//! and path 4 % are answered otherwise, every one of them with `***`, with a star or nothing as a
//! choice within braces, with a character of several bytes beside `?` or a class, or with the same
//! `[!xy]` twice in a row. One that plain patterns meet is kept, see [`Glob::matches`].
//!
//! Bytes:   docs/formats/zoekt.md, "From a folder to documents"

use std::ffi::CStr;
use std::fmt;

use manicule_format_zoekt::first_rune;

use super::glob::{BadGlob, Glob};

/// The folder and the file within it, at the root of a tree.
pub(super) const IGNORE_FILE: (&CStr, &CStr) = (c".sourcegraph", c"ignore");

/// Maximum length of a line in bytes: the peer's reader refuses longer ones.
const LINE_LEN_MAX: usize = 64 * 1024 - 1;

/// Error of an ignore file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IgnoreError {
    /// A line is no glob.
    Glob {
        /// Its number, from 1.
        line: usize,
        /// The glob as written.
        glob: String,
        /// The error.
        source: BadGlob,
    },
    /// A line is longer than any path. Split or remove it.
    LongLine {
        /// Its number, from 1.
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

/// The globs of an ignore file. Without any, nothing is ignored.
#[derive(Clone, Debug, Default)]
pub struct Ignore {
    globs: Vec<Glob>,
}

impl Ignore {
    /// Reads the lines of an ignore file: a glob each, but for empty lines and those that begin
    /// with `#`.
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

//! Globs of one name, as Go's `filepath.Match` reads them: `*`, `?`, `[a-z]`, `[^a-z]`, `\c`.

use std::fmt;

use super::path::character;

/// A glob that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    parts: Vec<Part>,
}

/// What matches a part of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Byte(u8),
    /// Any character.
    Any,
    /// Any bytes.
    Star,
    /// A character of one of these ranges, or of none of them.
    Class {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// A glob that Go doesn't read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadGlob {
    /// Offset in the glob where its end, or another byte, was not expected.
    pub at: usize,
}

impl fmt::Display for BadGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: a bracket that isn't closed, or nothing after a backslash", self.at)
    }
}

impl std::error::Error for BadGlob {}

impl Glob {
    /// Reads a glob.
    pub fn parse(glob: &[u8]) -> Result<Glob, BadGlob> {
        let (mut parts, mut at) = (Vec::new(), 0);
        while let Some(byte) = glob.get(at) {
            at += 1;
            let part = match byte {
                b'*' if parts.last() == Some(&Part::Star) => continue,
                b'*' => Part::Star,
                b'?' => Part::Any,
                b'[' => class(glob, &mut at)?,
                b'\\' => {
                    at += 1;
                    Part::Byte(*glob.get(at - 1).ok_or(BadGlob { at: at - 1 })?)
                }
                byte => Part::Byte(*byte),
            };
            parts.push(part);
        }
        Ok(Glob { parts })
    }

    /// Whether it matches the whole of a name that has no slash. At most parts times bytes steps.
    pub fn matches(&self, name: &[u8]) -> bool {
        let (mut part, mut at) = (0, 0);
        // Where the last star is, and the bytes that it has not taken yet: a later star makes an
        // earlier one final.
        let mut star: Option<(usize, usize)> = None;
        loop {
            match self.parts.get(part) {
                Some(Part::Star) => {
                    part += 1;
                    star = Some((part, at));
                    continue;
                }
                Some(one) => {
                    if let Some(len) = one.len_at(&name[at..]) {
                        part += 1;
                        at += len;
                        continue;
                    }
                }
                None if at == name.len() => return true,
                None => {}
            }
            match star {
                Some((after, from)) if from < name.len() => {
                    star = Some((after, from + 1));
                    (part, at) = (after, from + 1);
                }
                _ => return false,
            }
        }
    }
}

impl Part {
    /// Number of bytes that it takes of a rest of a name; `None` where it doesn't match.
    fn len_at(&self, rest: &[u8]) -> Option<usize> {
        match self {
            Part::Byte(byte) => (rest.first() == Some(byte)).then_some(1),
            Part::Any => character(rest).map(|(_, len)| len),
            Part::Star => None,
            Part::Class { is_negated, ranges } => {
                let (char, len) = character(rest)?;
                let is_in = ranges.iter().any(|(low, high)| (*low..=*high).contains(&char));
                (is_in != *is_negated).then_some(len)
            }
        }
    }
}

/// A class after its opening bracket, which is read with the closing one.
fn class(glob: &[u8], at: &mut usize) -> Result<Part, BadGlob> {
    let is_negated = glob.get(*at) == Some(&b'^');
    *at += usize::from(is_negated);
    let mut ranges = Vec::new();
    while ranges.is_empty() || glob.get(*at) != Some(&b']') {
        let low = class_character(glob, at)?;
        let mut high = low;
        if glob.get(*at) == Some(&b'-') {
            *at += 1;
            high = class_character(glob, at)?;
        }
        ranges.push((low, high));
    }
    *at += 1;
    Ok(Part::Class { is_negated, ranges })
}

fn class_character(glob: &[u8], at: &mut usize) -> Result<char, BadGlob> {
    match glob.get(*at) {
        Some(b'-' | b']') => return Err(BadGlob { at: *at }),
        Some(b'\\') => *at += 1,
        _ => {}
    }
    let bad = BadGlob { at: *at };
    let (char, len) = glob.get(*at..).and_then(character).ok_or(bad)?;
    if char == char::REPLACEMENT_CHARACTER && len == 1 {
        return Err(bad);
    }
    *at += len;
    Ok(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(glob: &[u8], names: &[&[u8]], others: &[&[u8]]) {
        let parsed = Glob::parse(glob).unwrap();
        names.iter().for_each(|name| assert!(parsed.matches(name), "{name:?}"));
        others.iter().for_each(|name| assert!(!parsed.matches(name), "{name:?}"));
    }

    #[test]
    fn globs_match_whole_names() {
        check(b"", &[b""], &[b"a"]);
        check(b"abc", &[b"abc"], &[b"ab", b"abcd", b""]);
        check(b"*", &[b"", b"abc", b"\xff"], &[]);
        check(b"*.txt", &[b".txt", b"a.txt.txt"], &[b"txt", b"a.txt "]);
        check(b"a*b*c", &[b"abc", b"axxbxbxc"], &[b"ac", b"abcd"]);
        check(b"?", &[b"a", "ä".as_bytes(), b"\xff"], &[b"", b"ab"]);
        check(b"[a-c][^a-c]", &[b"ad", b"b\xff"], &[b"aa", b"dd", b"a"]);
        check("[ä-ö]".as_bytes(), &["å".as_bytes()], &[b"a"]);
        check(br"\*[\]]", &[b"*]"], &[b"a]"]);
        check(b"[!a]", &[b"!", b"a"], &[b"b"]);
    }

    #[test]
    fn globs_that_go_refuses_are_refused() {
        for (glob, at) in
            [("[", 1), ("[]a]", 1), ("[-]", 1), ("[x-]", 3), ("[^]", 2), ("a\\", 2), ("[a\\", 3)]
        {
            assert_eq!(Glob::parse(glob.as_bytes()), Err(BadGlob { at }), "{glob}");
        }
        assert!(Glob::parse(b"[\xff]").is_err());
    }

    /// The plain way: every split between a star and the rest.
    fn matches_slowly(parts: &[Part], name: &[u8]) -> bool {
        match parts {
            [] => name.is_empty(),
            [Part::Star, rest @ ..] => (0..=name.len()).any(|at| matches_slowly(rest, &name[at..])),
            [part, rest @ ..] => {
                part.len_at(name).is_some_and(|len| matches_slowly(rest, &name[len..]))
            }
        }
    }

    /// Every text of at most `len` of these bytes.
    fn texts(bytes: &[u8], len: u32) -> Vec<Vec<u8>> {
        let digit = |number: usize, at: u32| bytes[number / bytes.len().pow(at) % bytes.len()];
        let of_len = |len: u32| {
            (0..bytes.len().pow(len))
                .map(move |number| (0..len).map(|at| digit(number, at)).collect())
        };
        (0..=len).flat_map(of_len).collect()
    }

    #[test]
    fn stars_take_what_is_needed() {
        let names = texts(b"ab", 6);
        for glob in texts(b"ab*?", 5) {
            let parsed = Glob::parse(&glob).unwrap();
            for name in &names {
                let want = matches_slowly(&parsed.parts, name);
                assert_eq!(parsed.matches(name), want, "{glob:?} {name:?}");
            }
        }
    }
}

//! Paths, letters and words as Go's `path.Clean`, `strings.ToLower` and `bytes.Fields` treat them.

use std::borrow::Cow;

/// The shortest path of the same meaning: no `.`, no empty component, no slash at the end, `..`
/// resolved where something is before it.
/// That of nothing is `.`.
pub fn clean(path: &[u8]) -> Vec<u8> {
    let is_absolute = path.first() == Some(&b'/');
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => match parts.last() {
                Some(last) if *last != b".." => drop(parts.pop()),
                _ if is_absolute => {}
                _ => parts.push(part),
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join(&b'/');
    match (is_absolute, joined.is_empty()) {
        (true, _) => [b"/", joined.as_slice()].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => joined,
    }
}

/// Letters in lower case, each by itself; where that changes anything, bytes that are not UTF-8
/// become U+FFFD each.
pub fn to_lower(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return if text.iter().any(u8::is_ascii_uppercase) {
            text.to_ascii_lowercase().into()
        } else {
            text.into()
        };
    }
    let (mut lower, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some((char, len)) = character(rest) {
        // Go's letters have one lower case each: of U+0130, which has two here, the first is it.
        let small = char.to_lowercase().next().unwrap_or(char);
        lower.extend_from_slice(small.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &rest[len..];
    }
    lower.into()
}

/// The words of a text: what lies between white space, Unicode's too.
pub fn fields(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[run_len(rest, char::is_whitespace)..];
        let (word, after) = rest.split_at(run_len(rest, |char| !char.is_whitespace()));
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// Number of bytes of the characters at the front of a text that `is` holds for.
fn run_len(text: &[u8], is: impl Fn(char) -> bool) -> usize {
    let mut at = 0;
    while let Some((char, len)) = character(&text[at..]) {
        if !is(char) {
            break;
        }
        at += len;
    }
    at
}

/// The first character of a text and the number of its bytes; of bytes that are not UTF-8, U+FFFD
/// for one byte.
pub(super) fn character(text: &[u8]) -> Option<(char, usize)> {
    let first = text.get(..text.len().min(4))?;
    let valid = match str::from_utf8(first) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&first[..error.valid_up_to()]).unwrap_or_default(),
    };
    match valid.chars().next() {
        Some(char) => Some((char, char.len_utf8())),
        None => (!text.is_empty()).then_some((char::REPLACEMENT_CHARACTER, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_as_go_does() {
        for (path, want) in [
            ("", "."),
            (".", "."),
            ("/", "/"),
            ("//a//b/", "/a/b"),
            ("a/./b/../c", "a/c"),
            ("a/..", "."),
            ("../../a", "../../a"),
            ("/../a", "/a"),
            ("a/../../b", "../b"),
            ("**/x", "**/x"),
        ] {
            assert_eq!(clean(path.as_bytes()), want.as_bytes(), "{path}");
        }
    }

    #[test]
    fn letters_become_small_one_by_one() {
        let rows: &[(&[u8], &[u8])] = &[
            (b"", b""),
            (b"abc \xff", "abc \u{fffd}".as_bytes()),
            (b"ABC.Txt", b"abc.txt"),
            ("ÄΣ\u{130}".as_bytes(), "äσi".as_bytes()),
            ("ß日".as_bytes(), "ß日".as_bytes()),
        ];
        for (text, want) in rows {
            assert_eq!(*to_lower(text), **want, "{text:?}");
        }
    }

    #[test]
    fn words_lie_between_white_space() {
        let words = |text| fields(text).collect::<Vec<_>>();
        assert_eq!(words(b""), [b""; 0]);
        assert_eq!(words(b" a\x0bbc\xff\n"), [&b"a"[..], b"bc\xff"]);
        assert_eq!(words("é\u{85}x\u{3000}y".as_bytes()), ["é".as_bytes(), b"x", b"y"]);
    }
}

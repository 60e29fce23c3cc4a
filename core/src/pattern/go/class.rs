//! Classes and escapes of Go's syntax: brackets, `\d`, `\pL`, `[:alpha:]`, `\x41`.
//!
//! Go's tables are those of Unicode 15.0, `regex-syntax`'s are newer. Characters of later versions
//! are taken out of classes by name and out of other cases of letters, so that both answer alike.

use std::sync::OnceLock;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use super::error::SyntaxError;

/// Scripts as Go names them.
const SCRIPTS: &str = include_str!("scripts.txt");
/// General categories as Go names them.
const CATEGORIES: &str = "C Cc Cf Cn Co Cs L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk \
    Sm So Z Zl Zp Zs";
/// The version of Unicode whose tables Go has.
const AGE: &str = "age:15.0";

/// AHOM CONSONANT SIGN MEDIAL RA: not yet a spacing mark in Go's version.
const MOVED_MARK: char = '\u{1171e}';

/// The class of one character.
pub(super) fn one(char: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(char, char)])
}

/// Adds the other cases of the letters, as Go knows them.
pub(super) fn fold(class: &mut ClassUnicode) {
    if class.is_ascii() {
        // ASCII has two partners outside, both old: ſ and the Kelvin sign.
        class.case_fold_simple();
        return;
    }
    let mut folded = class.clone();
    folded.intersect(known());
    folded.case_fold_simple();
    folded.intersect(known());
    class.union(&folded);
}

/// The characters that Go's version of Unicode has.
fn known() -> &'static ClassUnicode {
    static KNOWN: OnceLock<ClassUnicode> = OnceLock::new();
    KNOWN.get_or_init(|| property(AGE).expect("a version that the tables have"))
}

/// Characters that no version up to Go's has given a meaning. Noncharacters have a version all the
/// same.
fn unassigned() -> ClassUnicode {
    let mut class = known().clone();
    let never = property("Noncharacter_Code_Point").expect("a property that the tables have");
    class.difference(&never);
    negate(&mut class);
    class
}

/// Turns a class. Across the halves of pairs its ranges touch, which turning alone would take for a
/// gap.
fn negate(class: &mut ClassUnicode) {
    let holds = |char| class.ranges().iter().any(|r| r.start() <= char && char <= r.end());
    if holds('\u{d7ff}') && holds('\u{e000}') {
        class.push(ClassUnicodeRange::new('\u{d7ff}', '\u{e000}'));
    }
    class.negate();
}

/// A class by its name in `regex-syntax`.
fn property(name: &str) -> Option<ClassUnicode> {
    match regex_syntax::parse(&format!("\\p{{{name}}}")).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok()?.chars().next().map(one),
        _ => None,
    }
}

/// A class by its name in Go.
fn named(name: &str) -> Option<ClassUnicode> {
    let is_in = |list: &str| list.split_ascii_whitespace().any(|known| known == name);
    let mut class = match name {
        "Any" => {
            return Some(ranges(&[('\0', char::MAX)]));
        }
        // Halves of pairs: no value holds one.
        "Cs" => return Some(ClassUnicode::empty()),
        "Cn" => return Some(unassigned()),
        // Everything that is no letter, mark, number and so on: also what is unassigned.
        "C" => {
            let mut class = unassigned();
            for part in ["Cc", "Cf", "Co"] {
                class.union(&named(part)?);
            }
            return Some(class);
        }
        _ if is_in(CATEGORIES) => property(&format!("gc:{name}"))?,
        _ if is_in(SCRIPTS) => property(&format!("sc:{name}"))?,
        _ => return None,
    };
    class.intersect(known());
    // A mark that Unicode has moved since.
    match name {
        "Mn" => class.union(&one(MOVED_MARK)),
        "Mc" => class.difference(&one(MOVED_MARK)),
        _ => {}
    }
    Some(class)
}

fn ranges(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|&(low, high)| ClassUnicodeRange::new(low, high)))
}

/// `\d`, `\w`, `\s`, by their letter.
fn perl(letter: u8) -> Option<ClassUnicode> {
    match letter {
        b'd' => Some(ranges(&[('0', '9')])),
        b's' => Some(ranges(&[('\t', '\n'), ('\x0c', '\r'), (' ', ' ')])),
        b'w' => Some(ranges(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')])),
        _ => None,
    }
}

/// `[:alpha:]` and its like, by name.
fn posix(name: &str) -> Option<ClassUnicode> {
    let class: &[(char, char)] = match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "ascii" => &[('\0', '\x7f')],
        "blank" => &[('\t', '\t'), (' ', ' ')],
        "cntrl" => &[('\0', '\x1f'), ('\x7f', '\x7f')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[('\t', '\r'), (' ', ' ')],
        "upper" => &[('A', 'Z')],
        "word" => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => return None,
    };
    Some(ranges(class))
}

/// The class with its other cases, if asked for, then turned, if asked for.
fn finish(mut class: ClassUnicode, folds: bool, is_negated: bool) -> ClassUnicode {
    if folds {
        fold(&mut class);
    }
    if is_negated {
        negate(&mut class);
    }
    class
}

/// The class that an escape at the start of the text names (`\d`, `\PL`, `\p{^Greek}`), and the
/// rest of the text.
pub(super) fn escaped(
    text: &str,
    folds: bool,
) -> Result<Option<(ClassUnicode, &str)>, SyntaxError> {
    let &[b'\\', letter, ..] = text.as_bytes() else { return Ok(None) };
    if let b'p' | b'P' = letter {
        return unicode(text, folds, letter == b'P').map(Some);
    }
    let class = perl(letter.to_ascii_lowercase());
    Ok(class.map(|class| (finish(class, folds, letter.is_ascii_uppercase()), &text[2..])))
}

/// `\p` and `\P`.
fn unicode(
    text: &str,
    folds: bool,
    mut is_negated: bool,
) -> Result<(ClassUnicode, &str), SyntaxError> {
    const WHAT: &str = "invalid character class range";
    let (name, len) = match text[2..].chars().next() {
        None => ("", 2),
        Some('{') => match text.find('}') {
            None => return Err(SyntaxError::new(WHAT, text)),
            Some(end) => (&text[3..end], end + 1),
        },
        Some(char) => (&text[2..2 + char.len_utf8()], 2 + char.len_utf8()),
    };
    let plain = name.strip_prefix('^').unwrap_or(name);
    is_negated ^= plain.len() < name.len();
    let class = named(plain).ok_or_else(|| SyntaxError::new(WHAT, &text[..len]))?;
    // Go has no other cases for this one.
    let folds = folds && plain != "LC";
    Ok((finish(class, folds, is_negated), &text[len..]))
}

/// A class in brackets at the start of the text, and the rest of the text.
pub(super) fn brackets(text: &str, folds: bool) -> Result<(ClassUnicode, &str), SyntaxError> {
    let mut rest = &text[1..];
    let is_negated = rest.starts_with('^');
    if is_negated {
        rest = &rest[1..];
    }
    let mut class = ClassUnicode::empty();
    let mut is_first = true;
    while is_first || !rest.starts_with(']') {
        is_first = false;
        if let Some((name, after)) = rest.strip_prefix("[:").and_then(|rest| rest.split_once(":]"))
        {
            let whole = &rest[..rest.len() - after.len()];
            class.union(&posix_class(name, whole, folds)?);
            rest = after;
        } else if let Some((named, after)) = escaped(rest, folds)? {
            class.union(&named);
            rest = after;
        } else {
            rest = range(rest, text, folds, &mut class)?;
        }
    }
    if is_negated {
        negate(&mut class);
    }
    Ok((class, &rest[1..]))
}

fn posix_class(name: &str, whole: &str, folds: bool) -> Result<ClassUnicode, SyntaxError> {
    let plain = name.strip_prefix('^').unwrap_or(name);
    let class =
        posix(plain).ok_or_else(|| SyntaxError::new("invalid character class range", whole))?;
    Ok(finish(class, folds, plain.len() < name.len()))
}

/// Adds a character or a range at the start of the text, and returns the rest.
fn range<'t>(
    text: &'t str,
    whole: &str,
    folds: bool,
    class: &mut ClassUnicode,
) -> Result<&'t str, SyntaxError> {
    let (low, mut rest) = member(text, whole)?;
    let mut high = low;
    // In [a-] the dash is a character.
    if let [b'-', after, ..] = rest.as_bytes()
        && *after != b']'
    {
        (high, rest) = member(&rest[1..], whole)?;
    }
    if high < low {
        let range = &text[..text.len() - rest.len()];
        return Err(SyntaxError::new("invalid character class range", range));
    }
    let mut added = without_halves(low, high);
    if folds {
        fold(&mut added);
    }
    class.union(&added);
    Ok(rest)
}

/// The range without the halves of pairs, which no value holds.
fn without_halves(low: u32, high: u32) -> ClassUnicode {
    let is_half = |code: u32| (0xd800..0xe000).contains(&code);
    let low = if is_half(low) { 0xe000 } else { low };
    let high = if is_half(high) { 0xd7ff } else { high };
    match (char::from_u32(low), char::from_u32(high)) {
        (Some(low), Some(high)) if low <= high => ranges(&[(low, high)]),
        _ => ClassUnicode::empty(),
    }
}

/// A character inside of brackets, and the rest of the text.
fn member<'t>(text: &'t str, whole: &str) -> Result<(u32, &'t str), SyntaxError> {
    match text.chars().next() {
        None => Err(SyntaxError::new("missing closing ]", whole)),
        Some('\\') => escaped_char(text),
        Some(char) => Ok((u32::from(char), &text[char.len_utf8()..])),
    }
}

/// The character that an escape at the start of the text names, and the rest of the text.
pub(super) fn escaped_char(text: &str) -> Result<(u32, &str), SyntaxError> {
    let mut chars = text[1..].chars();
    let Some(char) = chars.next() else {
        return Err(SyntaxError::new("trailing backslash at end of expression", ""));
    };
    let code = match char {
        '1'..='7' if !chars.as_str().starts_with(|next| matches!(next, '0'..='7')) => None,
        '0'..='7' => return Ok(octal(&text[1..])),
        'x' => hexadecimal(&mut chars),
        'a' => Some(0x07),
        'f' => Some(0x0c),
        'n' => Some(0x0a),
        'r' => Some(0x0d),
        't' => Some(0x09),
        'v' => Some(0x0b),
        char if char.is_ascii() && !char.is_ascii_alphanumeric() => Some(u32::from(char)),
        _ => None,
    };
    let rest = chars.as_str();
    let seen = &text[..text.len() - rest.len()];
    Ok((code.ok_or_else(|| SyntaxError::new("invalid escape sequence", seen))?, rest))
}

/// Up to three octal digits.
fn octal(text: &str) -> (u32, &str) {
    let is_octal = |byte: &u8| matches!(byte, b'0'..=b'7');
    let len = text.bytes().take(3).take_while(is_octal).count();
    let code = text[..len].bytes().fold(0, |code, byte| code * 8 + u32::from(byte - b'0'));
    (code, &text[len..])
}

/// The digits after `\x`: two, or any number of them in braces.
fn hexadecimal(chars: &mut std::str::Chars<'_>) -> Option<u32> {
    let first = chars.next()?;
    if first != '{' {
        // Go reads the second before it judges the first.
        let second = chars.next();
        return Some(first.to_digit(16)? * 16 + second?.to_digit(16)?);
    }
    let mut code: Option<u32> = None;
    loop {
        let char = chars.next()?;
        if char == '}' {
            return code;
        }
        let next = code.unwrap_or(0) * 16 + char.to_digit(16)?;
        if next > u32::from(char::MAX) {
            return None;
        }
        code = Some(next);
    }
}

//! Patterns and expressions as people want to read them: numbers bare, made-up names without what
//! makes them up.

use std::ops::RangeInclusive;

/// Datatypes whose literals SPARQL writes bare.
const BARE: [&str; 3] = ["integer", "decimal", "boolean"];
/// Lengths of the names that the parser makes up for what an aggregate gives: 128 random bits in
/// hexadecimal, without the zeros ahead.
const MADE_UP_LEN: RangeInclusive<usize> = 24..=32;

/// A text in short. Variables and functions of ours begin with a blank, so that no query can write
/// them.
pub(in crate::sparql) fn in_short(text: &str) -> String {
    let mut text = without_second(text).replace("? ", "?").replace("< ", "<");
    for datatype in BARE {
        let ending = format!("\"^^<http://www.w3.org/2001/XMLSchema#{datatype}>");
        while let Some(end) = text.find(&ending) {
            let Some(start) = text[..end].rfind('"') else { break };
            let value = text[start + 1..end].to_owned();
            text.replace_range(start..end + ending.len(), &value);
        }
    }
    without_made_up(&text)
}

/// A text without the second computations, by functions of ours, where an operator has no value.
fn without_second(text: &str) -> String {
    const BOTH: &str = "COALESCE(";
    let mut text = text.to_owned();
    let mut from = 0;
    while let Some(start) = text[from..].find(BOTH).map(|at| from + at) {
        from = start + 1;
        let begin = start + BOTH.len();
        let (mut depth, mut second) = (0_i32, None);
        for (at, byte) in text.bytes().enumerate().skip(begin) {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 0 => {
                    if let Some(second) = second {
                        text.replace_range(second..=at, "");
                        text.replace_range(start..begin, "");
                        from = start;
                    }
                    break;
                }
                b')' => depth -= 1,
                b',' if depth == 0 && text[at..].starts_with(", < ") => second = Some(at),
                _ => {}
            }
        }
    }
    text
}

/// Made-up variables as `?_`.
fn without_made_up(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split('?');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push('?');
        let name_len = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        let ends = !part[name_len..].starts_with(|c: char| c == '_' || c.is_alphanumeric());
        if ends && MADE_UP_LEN.contains(&name_len) {
            out.extend(["_", &part[name_len..]])
        } else {
            out.push_str(part)
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_wrote_is_short() {
        for (text, want) in [
            ("?a <x:p> \"7\"^^<http://www.w3.org/2001/XMLSchema#integer>", "?a <x:p> 7"),
            ("COALESCE((?a > ?b), < greater>(?a, ?b))", "(?a > ?b)"),
            ("COALESCE(?a, COALESCE((?a + 1), < add>(?a, 1)))", "COALESCE(?a, (?a + 1))"),
            ("? exists 1 < key>(?a)", "?exists 1 <key>(?a)"),
            ("SUM(?a) -> ?0123456789abcdef0123456789abcdef, ?b", "SUM(?a) -> ?_, ?b"),
            ("SUM(?a) -> ?d047273414f960b92bf35158ce89165", "SUM(?a) -> ?_"),
            ("?d047273414f960b92bf35158ce89165_x", "?d047273414f960b92bf35158ce89165_x"),
            ("?feed", "?feed"),
            (
                "\"7\"^^<http://www.w3.org/2001/XMLSchema#int>",
                "\"7\"^^<http://www.w3.org/2001/XMLSchema#int>",
            ),
        ] {
            assert_eq!(in_short(text), want);
        }
    }
}

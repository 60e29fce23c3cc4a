//! Texts and characters in quotes, as Go's `%q` has them.

use std::fmt::Write as _;

/// Bytes in double quotes, as Go writes a string of them: `%q`.
pub fn quote(bytes: impl AsRef<[u8]>) -> String {
    let mut quoted = String::from("\"");
    for chunk in bytes.as_ref().utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '"' => quoted.push_str("\\\""),
                ' '..='~' if char != '\\' => quoted.push(char),
                _ => put_plain(char, &mut quoted),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(quoted, "\\x{byte:02x}");
        }
    }
    quoted.push('"');
    quoted
}

/// A character in single quotes: `%q`.
pub fn quote_char(char: char) -> String {
    let mut quoted = String::from("'");
    match char {
        '\'' => quoted.push_str("\\'"),
        _ => put_plain(char, &mut quoted),
    }
    quoted.push('\'');
    quoted
}

/// A character in single quotes, or what Go writes for the end of a text, which is no character to
/// it.
pub fn quote_char_or_end(next: Option<char>) -> String {
    quote_char(next.unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Number of a character, and itself where it can be seen: `%#U`.
pub fn code_point(char: char) -> String {
    let number = format!("U+{:04X}", u32::from(char));
    if is_printed(char) && !char.is_control() { format!("{number} '{char}'") } else { number }
}

fn put_plain(char: char, out: &mut String) {
    let short = match char {
        '\\' => "\\\\",
        '\x07' => "\\a",
        '\x08' => "\\b",
        '\x0c' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\x0b' => "\\v",
        _ => "",
    };
    out.push_str(short);
    let number = u32::from(char);
    // Writing into a string can't fail.
    let _ = match number {
        _ if !short.is_empty() => Ok(()),
        _ if char.is_ascii_control() => write!(out, "\\x{number:02x}"),
        _ if is_printed(char) => write!(out, "{char}"),
        ..0x10000 => write!(out, "\\u{number:04x}"),
        _ => write!(out, "\\U{number:08x}"),
    };
}

/// Whether a character is shown as it is rather than by its number.
fn is_printed(char: char) -> bool {
    // Rust escapes a mark that the first character would carry; Go doesn't.
    let mut after = String::from(' ');
    after.push(char);
    char == ' ' || !char.is_whitespace() && !after.escape_debug().skip(1).eq(char.escape_unicode())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_go_does() {
        assert_eq!(quote("a\"b\\c\n\u{1}é"), "\"a\\\"b\\\\c\\n\\x01é\"");
        assert_eq!(quote(b"\xff\x07 ~\x7f"), "\"\\xff\\a ~\\x7f\"");
        assert_eq!(quote("\u{200b}\u{e0001}"), "\"\\u200b\\U000e0001\"");
    }

    #[test]
    fn characters_are_quoted_as_go_does() {
        assert_eq!(
            [quote_char('\''), quote_char('"'), quote_char('\t')],
            ["'\\''", "'\"'", "'\\t'"]
        );
        assert_eq!(quote_char_or_end(None), "'\u{fffd}'");
        assert_eq!([code_point('a'), code_point('\n')], ["U+0061 'a'", "U+000A"]);
    }
}

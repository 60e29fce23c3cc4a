//! Selectors as text, so that what is shown reads back the same; and tokens as Prometheus's errors show them.
//!
//! Callers: selector

use super::lex::{self, Kind, Token, Word};
use super::{METRIC_NAME, Selector};
use crate::ask::matcher::{MatchOp, Matcher};
use std::fmt::{self, Write as _};

impl fmt::Display for Selector {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (items, metric) = match self.matchers().split_last() {
            Some((last, items)) if bare_metric(last).is_some() => (items, bare_metric(last)),
            _ => (self.matchers(), None),
        };
        out.write_str(metric.unwrap_or_default())?;
        if metric.is_some() && items.is_empty() {
            return Ok(());
        }
        out.write_char('{')?;
        for (at, matcher) in items.iter().enumerate() {
            if at > 0 {
                out.write_char(',')?;
            }
            write!(out, "{matcher}")?;
        }
        out.write_char('}')
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        label_name(out, self.name())?;
        out.write_str(self.op().as_str())?;
        quoted(out, self.value())
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// The metric, if the matcher asks for one that needs no quotes.
fn bare_metric(matcher: &Matcher) -> Option<&str> {
    let is_plain = matcher.op() == MatchOp::Equal && matcher.name() == METRIC_NAME.as_bytes();
    let metric = std::str::from_utf8(matcher.value()).ok()?;
    (is_plain && lex::is_metric(metric)).then_some(metric)
}

/// The labels of a series as a selector that selects them: `up{job="api"}`.
#[derive(Clone, Copy, Debug)]
pub struct ShownLabels<'l, 'b>(pub &'l [(&'b [u8], &'b [u8])]);

impl fmt::Display for ShownLabels<'_, '_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_metric = |label: &&(&[u8], &[u8])| label.0 == METRIC_NAME.as_bytes();
        let metric = self.0.iter().find(is_metric).map(|label| label.1);
        let bare = metric.and_then(|metric| std::str::from_utf8(metric).ok());
        let bare = bare.filter(|metric| lex::is_metric(metric));
        out.write_str(bare.unwrap_or_default())?;
        // A name that needs quotes stands in the braces, first and alone.
        let quoted_metric = metric.filter(|_| bare.is_none());
        let rest = self.0.iter().filter(|label| metric.is_none() || !is_metric(label));
        let mut separator = '{';
        if let Some(metric) = quoted_metric {
            out.write_char('{')?;
            quoted(out, metric)?;
            separator = ',';
        }
        for (name, value) in rest {
            out.write_char(separator)?;
            separator = ',';
            ShownLabel(name, value).fmt(out)?;
        }
        match (separator, metric) {
            ('{', Some(_)) => Ok(()),
            ('{', None) => out.write_str("{}"),
            _ => out.write_char('}'),
        }
    }
}

/// One label: `job="api"`.
#[derive(Clone, Copy, Debug)]
pub struct ShownLabel<'b>(pub &'b [u8], pub &'b [u8]);

impl fmt::Display for ShownLabel<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        label_name(out, self.0)?;
        out.write_char('=')?;
        quoted(out, self.1)
    }
}

/// The name of a label, in quotes where it needs them.
#[derive(Clone, Copy, Debug)]
pub struct ShownName<'b>(pub &'b [u8]);

impl fmt::Display for ShownName<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        label_name(out, self.0)
    }
}

fn label_name(out: &mut fmt::Formatter<'_>, name: &[u8]) -> fmt::Result {
    match std::str::from_utf8(name).ok().filter(|name| lex::is_label(name)) {
        Some(name) => out.write_str(name),
        None => quoted(out, name),
    }
}

/// The bytes that a character to be escaped begins with. U+FFFD shares its own with others, which stay as they are.
const ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escaped[byte] = true;
        byte += 1;
    }
    escaped[b'"' as usize] = true;
    escaped[b'\\' as usize] = true;
    escaped[0x7f] = true;
    escaped[0xef] = true;
    escaped
};

/// A string of the language. What isn't text, and what the language refuses, is escaped.
fn quoted(out: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    out.write_char('"')?;
    for chunk in bytes.utf8_chunks() {
        // What needs no escape is written in one piece: nearly always all of it.
        let mut rest = chunk.valid();
        while let Some(at) = rest.bytes().position(|byte| ESCAPED[usize::from(byte)]) {
            out.write_str(&rest[..at])?;
            let mut after = rest[at..].chars();
            match after.next().unwrap_or_default() {
                char @ ('"' | '\\') => write!(out, "\\{char}")?,
                '\n' => out.write_str("\\n")?,
                '\r' => out.write_str("\\r")?,
                '\t' => out.write_str("\\t")?,
                char::REPLACEMENT_CHARACTER => out.write_str("\\ufffd")?,
                char if char.is_ascii_control() => write!(out, "\\x{:02x}", u32::from(char))?,
                char => out.write_char(char)?,
            }
            rest = after.as_str();
        }
        out.write_str(rest)?;
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}")?;
        }
    }
    out.write_char('"')
}

/// A text in quotes as Go writes one.
pub(super) fn text(text: &str) -> String {
    let mut shown = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => shown.push_str("\\\""),
            _ => shown.push_str(&plain(char)),
        }
    }
    shown + "\""
}

/// Bytes in quotes as Go writes a string of them.
pub(crate) fn go_quoted(bytes: &[u8]) -> String {
    let mut shown = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '"' => shown.push_str("\\\""),
                ' '..='~' if char != '\\' => shown.push(char),
                _ => shown.push_str(&plain(char)),
            }
        }
        shown.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    shown + "\""
}

/// A character in quotes as Go writes one.
pub(super) fn char(char: char) -> String {
    match char {
        '\'' => "'\\''".to_owned(),
        _ => format!("'{}'", plain(char)),
    }
}

/// A character, or what Go writes for the end of the text, which is no character to it.
pub(super) fn char_or_end(next: Option<char>) -> String {
    char(next.unwrap_or(char::REPLACEMENT_CHARACTER))
}

fn plain(char: char) -> String {
    match char {
        '\\' => "\\\\".to_owned(),
        '\x07' => "\\a".to_owned(),
        '\x08' => "\\b".to_owned(),
        '\x0c' => "\\f".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\x0b' => "\\v".to_owned(),
        _ if char.is_ascii_control() => format!("\\x{:02x}", u32::from(char)),
        _ if !is_printed(char) && u32::from(char) < 0x10000 => {
            format!("\\u{:04x}", u32::from(char))
        }
        _ if !is_printed(char) => format!("\\U{:08x}", u32::from(char)),
        _ => char.to_string(),
    }
}

/// Whether a character is shown as it is rather than by its number.
fn is_printed(char: char) -> bool {
    // Rust escapes a mark that the first character would carry; Go doesn't.
    let mut behind = String::from(' ');
    behind.push(char);
    char == ' ' || !char.is_whitespace() && !behind.escape_debug().skip(1).eq(char.escape_unicode())
}

/// A character by its number, and itself.
pub(super) fn code_point(char: char) -> String {
    let number = format!("U+{:04X}", u32::from(char));
    if is_printed(char) && !char.is_control() { format!("{number} '{char}'") } else { number }
}

/// A token as errors name it.
pub(super) fn token(token: &Token<'_>) -> String {
    let written = token.text;
    match token.kind {
        Kind::End => "end of input".to_owned(),
        Kind::Name => format!("identifier {}", text(written)),
        Kind::Metric => format!("metric identifier {}", text(written)),
        Kind::Aggregator => format!("<aggr:{written}>"),
        Kind::Reserved(Word::Operator) | Kind::Forbidden(Word::Operator) | Kind::Operator => {
            format!("<op:{written}>")
        }
        Kind::Match(MatchOp::Equal) => "\"=\"".to_owned(),
        Kind::Match(op) => format!("<op:{}>", op.as_str()),
        Kind::Reserved(Word::Keyword) | Kind::Forbidden(Word::Keyword) => format!("<{written}>"),
        Kind::String => format!("string {}", shortened(written)),
        Kind::Number => format!("number {}", shortened(written)),
        Kind::Duration => format!("duration {}", shortened(written)),
        _ => shortened(written),
    }
}

/// A text in quotes, the first ten characters of it if it's longer than ten bytes.
fn shortened(written: &str) -> String {
    if written.len() <= 10 {
        return text(written);
    }
    text(&written.chars().take(10).collect::<String>()) + "..."
}

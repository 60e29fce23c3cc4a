//! Labels as text, so that what is shown reads back as a selector of the same.

use std::fmt::{self, Write as _};

use super::lex;
use crate::ask::matcher::METRIC_NAME;

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
            put_quoted(out, metric)?;
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
        put_name(out, self.0)?;
        out.write_char('=')?;
        put_quoted(out, self.1)
    }
}

/// The name of a label, in quotes where it needs them.
#[derive(Clone, Copy, Debug)]
pub struct ShownName<'b>(pub &'b [u8]);

impl fmt::Display for ShownName<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        put_name(out, self.0)
    }
}

pub(crate) fn put_name(out: &mut fmt::Formatter<'_>, name: &[u8]) -> fmt::Result {
    match std::str::from_utf8(name).ok().filter(|name| lex::is_label(name)) {
        Some(name) => out.write_str(name),
        None => put_quoted(out, name),
    }
}

/// The bytes that a character to be escaped begins with. U+FFFD shares its own with others, which
/// stay as they are.
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
pub(crate) fn put_quoted(out: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
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

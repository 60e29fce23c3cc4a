//! The parts of a sample's line that both dialects share: names, label sets, quoted strings.
//!
//! A scan walks over one *entry*: a line without its newline, or several, where a quoted string
//! holds newlines.

use memchr::{memchr, memchr2};

/// Error of a scan that ends early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// A quoted string goes on after the entry.
    More,
    /// The text is wrong.
    Fault {
        /// Offset from the entry's first byte.
        at: usize,
        /// Thing that was wanted, or is wrong.
        what: &'static str,
    },
}

/// Style of a dialect's label sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Style {
    /// Blanks and tabs may stand between any two parts, and commas may be left out.
    pub(super) is_loose: bool,
    /// The labels of an exemplar: no metric's name among them.
    pub(super) is_exemplar: bool,
}

/// A part of a label set, as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part<'a> {
    /// The metric's name, between quotes.
    Metric(&'a [u8]),
    /// A label's name and value, without quotes.
    Label(&'a [u8], &'a [u8]),
}

/// Characters that a quoted string may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    /// Newlines.
    Name,
    /// NUL bytes.
    Value,
    /// Both.
    LooseValue,
    /// Neither.
    ExemplarValue,
}

impl Quoted {
    fn newline(self) -> bool {
        matches!(self, Quoted::Name | Quoted::LooseValue)
    }

    fn nul(self) -> bool {
        matches!(self, Quoted::Value | Quoted::LooseValue)
    }
}

/// A walk over an entry.
#[derive(Clone, Debug)]
pub(super) struct Scan<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Scan { bytes, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Steps over a byte that must be next.
    pub(super) fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Stop> {
        if self.peek() != Some(byte) {
            return Err(self.fault(what));
        }
        self.at += 1;
        Ok(())
    }

    pub(super) fn fault(&self, what: &'static str) -> Stop {
        Stop::Fault { at: self.at, what }
    }

    /// Steps over blanks and tabs.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Text that `is_part` takes, from here on.
    pub(super) fn run(&mut self, is_part: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let len = rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// A metric's name that needs no quotes; empty if there is none.
    pub(super) fn metric_name(&mut self) -> &'a [u8] {
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return &[];
        }
        self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':')
    }

    /// A string from the quote that is next to the one that ends it; both are stepped over. Its
    /// escapes stay.
    pub(super) fn quoted(&mut self, kind: Quoted) -> Result<&'a [u8], Stop> {
        let open = self.at;
        let mut at = open + 1;
        loop {
            let rest = &self.bytes[at..];
            let Some(found) = memchr2(b'"', b'\\', rest) else {
                return Err(if kind.newline() {
                    Stop::More
                } else {
                    Stop::Fault { at: open, what: "a quote that ends on the same line" }
                });
            };
            at += found;
            if self.bytes[at] == b'"' {
                break;
            }
            at += 1;
            while kind.nul() && self.bytes.get(at) == Some(&0) {
                at += 1;
            }
            if self.bytes.get(at).is_none_or(|byte| matches!(byte, b'\n' | 0)) {
                return Err(Stop::Fault { at: at - 1, what: "a character behind the backslash" });
            }
            at += 1;
        }
        let inner = &self.bytes[open + 1..at];
        if !kind.newline()
            && let Some(place) = memchr(b'\n', inner)
        {
            let at = open + 1 + place;
            return Err(Stop::Fault { at, what: "a quote that ends on the same line" });
        }
        if !kind.nul()
            && let Some(place) = memchr(0, inner)
        {
            return Err(Stop::Fault { at: open + 1 + place, what: "a text without NUL bytes" });
        }
        self.at = at + 1;
        Ok(inner)
    }

    /// A label set after its opening brace, through the closing one. `named` says whether the
    /// metric has its name already; returns whether it has one now.
    pub(super) fn labels(
        &mut self,
        style: Style,
        mut named: bool,
        each: &mut impl FnMut(Part<'a>),
    ) -> Result<bool, Stop> {
        loop {
            self.skip_if_loose(style);
            let begin = self.at;
            let name = match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok(named);
                }
                Some(b'"') if style.is_exemplar => self.quoted(Quoted::ExemplarValue)?,
                Some(b'"') => {
                    let name = self.quoted(Quoted::Name)?;
                    self.skip_if_loose(style);
                    if let Some(end @ (b',' | b'}')) = self.peek() {
                        if named {
                            let what = "one name of the metric, there are two";
                            return Err(Stop::Fault { at: begin, what });
                        }
                        named = true;
                        each(Part::Metric(name));
                        self.at += usize::from(end == b',');
                        continue;
                    }
                    name
                }
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => {
                    self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                }
                _ => return Err(self.fault("a label's name, or a closing brace")),
            };
            let value = self.label_value(style)?;
            each(Part::Label(name, value));
            self.skip_if_loose(style);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {}
                _ if style.is_loose => {}
                _ => return Err(self.fault("a comma or a closing brace")),
            }
        }
    }

    fn label_value(&mut self, style: Style) -> Result<&'a [u8], Stop> {
        self.skip_if_loose(style);
        self.expect(b'=', "an equals sign behind the label's name")?;
        self.skip_if_loose(style);
        let at = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.fault("a label's value in quotes"));
        }
        let value = self.quoted(match (style.is_exemplar, style.is_loose) {
            (true, _) => Quoted::ExemplarValue,
            (false, true) => Quoted::LooseValue,
            (false, false) => Quoted::Value,
        })?;
        if let Err(error) = str::from_utf8(value) {
            let at = at + 1 + error.valid_up_to();
            return Err(Stop::Fault { at, what: "a label's value in UTF-8" });
        }
        Ok(value)
    }

    fn skip_if_loose(&mut self, style: Style) {
        if style.is_loose {
            self.skip_blanks();
        }
    }
}

/// Appends a string without its escapes: `\"`, `\\` and `\n`; a backslash before anything else
/// stands for itself.
pub(super) fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr(b'\\', rest) {
        let (before, behind) = rest.split_at(at);
        out.extend_from_slice(before);
        let (byte, len) = match behind.get(1) {
            Some(b'n') => (b'\n', 2),
            Some(escaped @ (b'"' | b'\\')) => (*escaped, 2),
            _ => (b'\\', 1),
        };
        out.push(byte);
        rest = &behind[len..];
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_unescape(raw: &str, want: &str) {
        let mut out = Vec::new();
        unescape(raw.as_bytes(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), want);
    }

    #[test]
    fn escapes_are_three() {
        check_unescape(r#"a\"b\\c\nd"#, "a\"b\\c\nd");
        check_unescape(r"\\n \x \t", r"\n \x \t");
        check_unescape("plain", "plain");
        check_unescape(r"\\\", r"\\");
    }

    /// The parts of a label set, or what was wanted and where.
    fn check(text: &str, is_loose: bool, want: &str) {
        let style = Style { is_loose, is_exemplar: false };
        let mut parts = String::new();
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut each = |part: Part<'_>| match part {
            Part::Metric(name) => parts.push_str(&format!("<{}> ", show(name))),
            Part::Label(name, value) => parts.push_str(&format!("{}={} ", show(name), show(value))),
        };
        let mut scan = Scan::new(text.as_bytes());
        scan.at = 1;
        let got = match scan.labels(style, false, &mut each) {
            Ok(named) => format!("{parts}{} {named}", scan.at),
            Err(Stop::More) => "more".to_owned(),
            Err(Stop::Fault { at, what }) => format!("{at}: {what}"),
        };
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn label_sets() {
        check("{}", false, "2 false");
        check(r#"{a="b"} 1"#, false, "a=b 7 false");
        check(r#"{a="b",}"#, false, "a=b 8 false");
        check(r#"{"m"}"#, false, "<m> 5 true");
        check(r#"{a="b","m",}"#, false, "a=b <m> 12 true");
        check(r#"{"m","l"="\"}"}"#, false, r#"<m> l=\"} 15 true"#);
        check("{\"m\nn\"}", false, "<m\nn> 7 true");
        check(r#"{ a = "b" c="d" , }"#, true, "a=b c=d 19 false");
    }

    #[test]
    fn wrong_label_sets() {
        check("{,}", false, "1: a label's name, or a closing brace");
        check(r#"{a="b",,}"#, false, "7: a label's name, or a closing brace");
        check(r#"{a="b" }"#, false, "6: a comma or a closing brace");
        check(r#"{ a="b"}"#, false, "1: a label's name, or a closing brace");
        check(r#"{a:b="c"}"#, false, "2: an equals sign behind the label's name");
        check("{a=b}", false, "3: a label's value in quotes");
        check("{a=\"b\nc\"}", false, "5: a quote that ends on the same line");
        check(r#"{"a","b"}"#, false, "5: one name of the metric, there are two");
        check(r#"{"a"#, false, "more");
        check(r#"{a="b"#, true, "more");
        check(r#"{a="b"#, false, "3: a quote that ends on the same line");
        check("{", false, "1: a label's name, or a closing brace");
        check("{\"a\0\"}", false, "3: a text without NUL bytes");
        check("{a=\"\0\"}", false, "a=\0 7 false");
    }
}

//! Regexes in Go's words, turned into those of Rust's library with the same meaning.
//!
//! What differs: `\b \d \w \s` speak of ASCII, `\Q..\E` and octal numbers exist, in brackets `&&`,
//! `--`, `~~` and a second bracket are plain characters, a `{` that begins no count is one too,
//! repeats go to 1000. Groups capture nothing here. A byte that is not valid UTF-8 counts as
//! U+FFFD; that is seen to where documents are searched.
//!
//! Bytes:   docs/guide/search-zoekt-shards.md, section *Queries*

/// Maximum depth of groups, repeats, alternatives and concatenations in each other: the
/// library's own default.
pub(super) const DEPTH_MAX: u32 = 250;

/// The most that a repeat may count to.
const REPEAT_MAX: u32 = 1000;

/// The most characters of a pattern that a message shows.
const SHOWN_LEN_MAX: usize = 40;

/// A pattern in Rust's words.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) source: String,
    /// The pattern as it was written.
    written: String,
    /// Offset of each piece in the source, in bytes, and in the pattern, in characters; increasing.
    pieces: Vec<(usize, usize)>,
}

/// Error of a pattern.
#[derive(Debug)]
pub(super) struct Fault {
    /// Offset in the pattern, in bytes; at most its length.
    pub(super) at: usize,
    /// In one line.
    pub(super) what: String,
}

/// The pattern in Rust's words, or what is wrong with it.
pub(super) fn translate(pattern: &str) -> Result<Translated, Fault> {
    let rest = pattern.chars().collect();
    let mut reader =
        Reader { rest, at: 0, out: String::new(), pieces: Vec::new(), has_class_names: true };
    let mut can_repeat = Before::Nothing;
    while let Some(char) = reader.next() {
        let index = reader.at - 1;
        let read = reader.one(char, can_repeat);
        can_repeat = read.map_err(|what| Fault { at: byte_of(pattern, index), what })?;
    }
    // The library reports whatever else is wrong, in words that fit either dialect.
    Ok(Translated { source: reader.out, written: pattern.to_owned(), pieces: reader.pieces })
}

/// The place in bytes of a character that is counted from 0.
fn byte_of(text: &str, index: usize) -> usize {
    text.char_indices().nth(index).map_or(text.len(), |(at, _)| at)
}

impl Translated {
    /// Error of the library for the source, at its place in the pattern.
    pub(super) fn fault(&self, error: &regex_syntax::Error) -> Fault {
        let (what, span) = match error {
            regex_syntax::Error::Parse(error) => match error.kind() {
                regex_syntax::ast::ErrorKind::NestLimitExceeded(_) => {
                    let at = self.written(error.span().start.offset, 0);
                    let what = format!("groups and repeats nest deeper than {DEPTH_MAX}");
                    return Fault { at, what };
                }
                kind => (kind.to_string(), error.span()),
            },
            regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span()),
            other => return Fault { at: 0, what: shown(&other.to_string()) },
        };
        let (start, end) = (span.start.offset, span.end.offset);
        let (at, end) = (self.written(start, 0), self.written(end.saturating_sub(1), 1));
        Fault { at, what: format!("`{}`: {what}", shown(&self.written[at..end.max(at)])) }
    }

    /// Start of the piece that is at a place of the source, or one of those after it.
    fn written(&self, at: usize, after: usize) -> usize {
        let number = self.pieces.partition_point(|piece| piece.0 <= at);
        let piece = self.pieces.get((number + after).saturating_sub(1));
        piece.map_or(self.written.len(), |piece| byte_of(&self.written, piece.1))
    }
}

/// A text as far as it fits into a message.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_LEN_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// Context before a place in a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// Something that can be repeated.
    Piece,
    /// A repeat.
    Repeat,
}

struct Reader {
    rest: Vec<char>,
    at: usize,
    out: String,
    /// See [`Translated`].
    pieces: Vec<(usize, usize)>,
    /// Whether a `:]` may still follow: it is looked for once in vain, however many `[:` there are.
    has_class_names: bool,
}

impl Reader {
    /// A piece begins with the character that was just read.
    fn mark(&mut self) {
        self.pieces.push((self.out.len(), self.at - 1));
    }

    fn next(&mut self) -> Option<char> {
        let char = self.rest.get(self.at).copied();
        self.at += 1;
        char
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    fn literal(&mut self, char: char) {
        self.out += &regex_syntax::escape(char.encode_utf8(&mut [0; 4]));
    }

    fn one(&mut self, char: char, before: Before) -> Result<Before, String> {
        self.mark();
        match char {
            '\\' => return self.escape(false).map(|()| Before::Piece),
            '[' => self.brackets()?,
            '(' => return self.group().map(|()| Before::Nothing),
            ')' => self.out.push(')'),
            '|' => {
                self.out.push('|');
                return Ok(Before::Nothing);
            }
            '*' | '+' | '?' => return self.repeat(char.to_string(), before),
            '{' => match self.count() {
                Some((text, len, largest)) => {
                    if largest > REPEAT_MAX {
                        let text = shown(&text);
                        return Err(format!("`{text}` repeats more than {REPEAT_MAX} times"));
                    }
                    self.at += len;
                    return self.repeat(text, before);
                }
                None => self.literal('{'),
            },
            '.' | '^' | '$' => self.out.push(char),
            _ => self.literal(char),
        }
        Ok(Before::Piece)
    }

    fn repeat(&mut self, mut text: String, before: Before) -> Result<Before, String> {
        match before {
            Before::Piece => {}
            Before::Nothing => return Err(format!("`{}` has nothing to repeat", shown(&text))),
            Before::Repeat => {
                let text = shown(&text);
                return Err(format!("`{text}` repeats a repeat; put it in parentheses"));
            }
        }
        if self.peek(0) == Some('?') {
            self.at += 1;
            text.push('?');
        }
        self.out += &text;
        Ok(Before::Repeat)
    }

    /// The count that follows an open brace: its text with the brace, how much of it is still to be
    /// read, and its larger number.
    fn count(&self) -> Option<(String, usize, u32)> {
        let is_part = |char: &char| char.is_ascii_digit() || *char == ',';
        let inner: String = self.rest[self.at..].iter().take_while(|char| is_part(char)).collect();
        let close = inner.len();
        if self.peek(close) != Some('}') {
            return None;
        }
        let (low, high) = inner.split_once(',').unwrap_or((&inner, &inner));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(low) || !(high.is_empty() || is_number(high)) {
            return None;
        }
        let number = |text: &str| match text {
            "" => 0,
            _ => text.parse().unwrap_or(u32::MAX),
        };
        Some((format!("{{{inner}}}"), close + 1, number(low).max(number(high))))
    }

    /// Syntax after an open parenthesis, up to where the group's pattern begins; or all of it, if
    /// it only sets flags.
    fn group(&mut self) -> Result<(), String> {
        if self.peek(0) != Some('?') {
            self.out += "(?:";
            return Ok(());
        }
        self.at += 1;
        let is_named = self.peek(0) == Some('<') || self.peek(0) == Some('P');
        if is_named {
            let Some(close) = self.rest[self.at..].iter().position(|char| *char == '>') else {
                return Err("the name of a group is not closed".to_owned());
            };
            let start = if self.peek(0) == Some('P') { 1 } else { 0 };
            let name: String = self.rest[self.at + start..self.at + close].iter().collect();
            let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
            let is_name = name
                .strip_prefix('<')
                .is_some_and(|name| !name.is_empty() && name.chars().all(is_word));
            if !is_name {
                return Err("what follows `(?` is no name of a group and no flags".to_owned());
            }
            self.at += close + 1;
            self.out += "(?:";
            return Ok(());
        }
        self.out += "(?";
        while let Some(char) = self.next() {
            match char {
                'i' | 'm' | 's' | 'U' | '-' => self.out.push(char),
                ':' | ')' => {
                    self.out.push(char);
                    return Ok(());
                }
                _ => break,
            }
        }
        Err("what follows `(?` is no name of a group and no flags".to_owned())
    }

    /// The escape after a backslash.
    fn escape(&mut self, in_brackets: bool) -> Result<(), String> {
        let Some(char) = self.next() else {
            return Err("a backslash needs something behind it".into());
        };
        let class = match char {
            'd' => Some(("0-9", "[^0-9]")),
            'w' => Some(("0-9A-Za-z_", "[^0-9A-Za-z_]")),
            's' => Some(("\\t\\n\\x0c\\r ", "[^\\t\\n\\x0c\\r ]")),
            _ => None,
        };
        if let Some((members, _)) = class {
            if in_brackets {
                self.out += members
            } else {
                self.out += &format!("[{members}]")
            }
            return Ok(());
        }
        match char {
            'D' => self.out += "[^0-9]",
            'W' => self.out += "[^0-9A-Za-z_]",
            'S' => self.out += "[^\\t\\n\\x0c\\r ]",
            'b' | 'B' if !in_brackets => self.out += &format!("(?-u:\\{char})"),
            'A' | 'z' if !in_brackets => self.out.extend(['\\', char]),
            'Q' if !in_brackets => self.quotation(),
            'p' | 'P' => self.unicode_class(char)?,
            'a' => self.out += "\\x07",
            'f' => self.out += "\\x0c",
            'n' => self.out += "\\n",
            'r' => self.out += "\\r",
            't' => self.out += "\\t",
            'v' => self.out += "\\x0b",
            'x' => {
                self.out += "\\x";
                if self.peek(0) == Some('{') {
                    while let Some(char) = self.next() {
                        self.out.push(char);
                        if char == '}' {
                            break;
                        }
                    }
                }
            }
            '0'..='7' => self.octal(char)?,
            char if char.is_ascii() && !char.is_ascii_alphanumeric() => self.literal(char),
            _ => return Err(format!("`\\{char}` means nothing")),
        }
        Ok(())
    }

    /// `\Q`: what follows stands for itself, up to `\E`.
    fn quotation(&mut self) {
        while let Some(char) = self.next() {
            if char == '\\' && self.peek(0) == Some('E') {
                self.at += 1;
                return;
            }
            self.literal(char);
        }
    }

    fn octal(&mut self, first: char) -> Result<(), String> {
        let digit = |char: Option<char>| char.and_then(|char| char.to_digit(8));
        // One digit that isn't 0 would refer back to a group, which linear time excludes.
        if first != '0' && digit(self.peek(0)).is_none() {
            return Err(format!("`\\{first}` refers back to a group, which can't be done"));
        }
        let mut number = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(next) = digit(self.peek(0)) else { break };
            number = number * 8 + next;
            self.at += 1;
        }
        self.out += &format!("\\x{{{number:x}}}");
        Ok(())
    }

    fn unicode_class(&mut self, mut kind: char) -> Result<(), String> {
        let name = match self.next() {
            Some('{') => {
                let Some(close) = self.rest[self.at..].iter().position(|char| *char == '}') else {
                    return Err("the name of a class is not closed".to_owned());
                };
                let name: String = self.rest[self.at..self.at + close].iter().collect();
                self.at += close + 1;
                name
            }
            Some(letter) => letter.to_string(),
            None => return Err("a class needs a name".to_owned()),
        };
        let name = match name.strip_prefix('^') {
            Some(name) => {
                kind = if kind == 'p' { 'P' } else { 'p' };
                name.to_owned()
            }
            None => name,
        };
        self.out += &format!("\\{kind}{{{name}}}");
        Ok(())
    }

    /// A class in brackets, whose first bracket was read.
    fn brackets(&mut self) -> Result<(), String> {
        self.out.push('[');
        if self.peek(0) == Some('^') {
            self.at += 1;
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            let Some(char) = self.next() else { return Err("a `[` is not closed".to_owned()) };
            self.mark();
            match char {
                ']' if !is_first => {
                    self.out.push(']');
                    return Ok(());
                }
                '[' if self.peek(0) == Some(':') => self.named_class()?,
                _ => {
                    self.member(char)?;
                    // A range, unless the class ends there.
                    if self.peek(0) == Some('-') && self.peek(1).is_some_and(|last| last != ']') {
                        self.at += 1;
                        self.out.push('-');
                        let last = self.next().unwrap_or_default();
                        self.member(last)?;
                    }
                }
            }
            is_first = false;
        }
    }

    /// One character of a class, or a class that an escape names.
    fn member(&mut self, char: char) -> Result<(), String> {
        match char {
            '\\' => self.escape(true),
            _ => {
                self.literal_in_brackets(char);
                Ok(())
            }
        }
    }

    fn named_class(&mut self) -> Result<(), String> {
        let from = if self.has_class_names { self.at } else { self.rest.len() };
        match self.rest[from..].windows(2).position(|pair| pair == [':', ']']) {
            Some(end) => {
                self.out.push('[');
                self.out.extend(&self.rest[self.at..self.at + end + 2]);
                self.at += end + 2;
            }
            None => {
                self.has_class_names = false;
                self.literal_in_brackets('[');
            }
        }
        Ok(())
    }

    fn literal_in_brackets(&mut self, char: char) {
        if char.is_ascii_punctuation() && char != '<' && char != '>' {
            self.out.push('\\');
        }
        self.out.push(char);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, want: &str) {
        let got = translate(pattern).expect(pattern).source;
        assert_eq!(got, want, "{pattern}");
        regex_syntax::parse(&got).expect(pattern);
    }

    #[track_caller]
    fn check_error(pattern: &str, what: &str) {
        let error = translate(pattern).expect_err(pattern).what;
        assert!(error.contains(what), "{pattern}: {error}");
    }

    #[test]
    fn plain_text_stays_and_marks_are_escaped() {
        check("abé日", "abé日");
        check("a-b#c&d~e/f", "a\\-b\\#c\\&d\\~e/f");
        check("a\\.b\\_c\\<d", "a\\.b_c<d");
        check("a{b}c]", "a\\{b\\}c\\]");
    }

    #[test]
    fn classes_speak_of_ascii() {
        check("\\d\\W", "[0-9][^0-9A-Za-z_]");
        check("\\bx\\B", "(?-u:\\b)x(?-u:\\B)");
        check("[\\d\\S]", "[0-9[^\\t\\n\\x0c\\r ]]");
        check("\\pL\\p{^Greek}\\PN", "\\p{L}\\P{Greek}\\P{N}");
        check("[[:alpha:]x]", "[[:alpha:]x]");
    }

    #[test]
    fn marks_in_brackets_are_plain() {
        check("[a&&b]", "[a\\&\\&b]");
        check("[a-c--d]", "[a-c\\--d]");
        check("[]a]", "[\\]a]");
        check("[^]a-]", "[^\\]a\\-]");
        check("[a[b]", "[a\\[b]");
        check("[-a~~]", "[\\-a\\~\\~]");
    }

    #[test]
    fn groups_capture_nothing() {
        check("(a)(?P<n>b)(?<m>c)(?:d)(?i)e(?s-i:f)", "(?:a)(?:b)(?:c)(?:d)(?i)e(?s-i:f)");
    }

    #[test]
    fn numbers_and_quotations() {
        check("\\x41\\x{1f4a1}\\101\\0", "\\x41\\x{1f4a1}\\x{41}\\x{0}");
        check("\\Qa.b\\E+", "a\\.b+");
        check("a{2,3}?b*?", "a{2,3}?b*?");
        check("a{,3}", "a\\{,3\\}");
    }

    #[test]
    fn what_go_refuses_is_refused() {
        check_error("a{1001}", "1000");
        check_error("a**", "repeats a repeat");
        check_error("*a", "nothing to repeat");
        check_error("\\C", "means nothing");
        check_error("(a)\\1", "refers back");
        check_error("(?x)a", "no flags");
        check_error("(?=a)", "no flags");
        check_error("[a", "not closed");
    }
}

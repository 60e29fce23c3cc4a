//! Cuts the text of a selector into tokens. Inside of braces every word is a label; outside some
//! are keywords.

use manicule_core::go::{code_point, quote, quote_char, quote_char_or_end};

use super::parsed::Fault;
use crate::ask::matcher::MatchOp;

/// A piece of the text.
pub(in crate::ask) struct Token<'t> {
    pub(in crate::ask) kind: Kind,
    /// Its offset.
    pub(in crate::ask) at: usize,
    /// As it is written.
    pub(in crate::ask) text: &'t str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::ask) enum Kind {
    End,
    /// A word.
    Name,
    /// A word with a colon.
    Metric,
    /// A word that is a function over series, also a name.
    Aggregator,
    /// Another word of the language that may be a name; said whether Prometheus calls it an
    /// operator or a keyword.
    Reserved(Word),
    /// A word of the language that may not.
    Forbidden(Word),
    String,
    Number,
    Duration,
    OpenBrace,
    CloseBrace,
    Comma,
    Match(MatchOp),
    /// An operator between expressions.
    Operator,
    /// Another mark.
    Mark,
}

/// Kind of a word in Prometheus's language, as its errors name it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::ask) enum Word {
    Operator,
    Keyword,
    Other,
}

impl Token<'_> {
    pub(in crate::ask) fn is_metric(&self) -> bool {
        matches!(self.kind, Kind::Name | Kind::Metric | Kind::Aggregator | Kind::Reserved(_))
    }
}

/// Whether the text is read as a metric where one may stand.
pub(super) fn is_metric(text: &str) -> bool {
    let token = Lexer::new(text).outside();
    token.is_ok_and(|token| token.is_metric() && token.text.len() == text.len())
}

/// Whether the text is read as a label in braces.
pub(super) fn is_label(text: &str) -> bool {
    let token = Lexer::new(text).inside();
    token.is_ok_and(|token| token.kind == Kind::Name && token.text.len() == text.len())
}

#[derive(Clone, Copy)]
pub(in crate::ask) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(in crate::ask) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0 }
    }

    /// Whether a character comes next, after space.
    pub(in crate::ask) fn has(&mut self, char: char) -> bool {
        self.skip_space();
        self.rest().starts_with(char)
    }

    /// Goes past a character, if it comes next.
    pub(in crate::ask) fn takes(&mut self, char: char) -> bool {
        let has = self.has(char);
        self.at += if has { char.len_utf8() } else { 0 };
        has
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Goes past white space and comments.
    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let len = rest.bytes().take_while(|byte| b" \t\r\n".contains(byte)).count();
            self.at += len;
            if !self.rest().starts_with('#') {
                return;
            }
            let end = self.rest().find(['\r', '\n']);
            self.at += end.unwrap_or(self.rest().len());
        }
    }

    /// An error at its place.
    pub(in crate::ask) fn fault(&self, what: String) -> Fault {
        Fault { at: self.at, what, is_expression: false }
    }

    fn token(&mut self, kind: Kind, len: usize) -> Token<'t> {
        let token = Token { kind, at: self.at, text: &self.rest()[..len] };
        self.at += len;
        token
    }

    /// The next token in braces.
    pub(super) fn inside(&mut self) -> Result<Token<'t>, Fault> {
        self.skip_space();
        let rest = self.rest();
        let Some(char) = rest.chars().next() else {
            return Err(self.fault("unexpected end of input inside braces".to_owned()));
        };
        let (kind, len) = match char {
            'a'..='z' | 'A'..='Z' | '_' => (Kind::Name, word_len(rest, false)),
            ',' => (Kind::Comma, 1),
            '"' | '\'' | '`' => (Kind::String, self.string(char)?),
            '}' => (Kind::CloseBrace, 1),
            '=' if rest.starts_with("=~") => (Kind::Match(MatchOp::Regex), 2),
            '=' => (Kind::Match(MatchOp::Equal), 1),
            '!' if rest.starts_with("!~") => (Kind::Match(MatchOp::NotRegex), 2),
            '!' if rest.starts_with("!=") => (Kind::Match(MatchOp::NotEqual), 2),
            '!' => {
                let next = quote_char_or_end(rest[1..].chars().next());
                return Err(
                    self.fault(format!("unexpected character after '!' inside braces: {next}"))
                );
            }
            '{' => return Err(self.fault("unexpected left brace '{'".to_owned())),
            _ => {
                let char = quote_char(char);
                return Err(self.fault(format!("unexpected character inside braces: {char}")));
            }
        };
        Ok(self.token(kind, len))
    }

    /// The next token outside of braces.
    pub(in crate::ask) fn outside(&mut self) -> Result<Token<'t>, Fault> {
        self.skip_space();
        let rest = self.rest();
        let mut chars = rest.chars();
        let Some(char) = chars.next() else { return Ok(self.token(Kind::End, 0)) };
        let next = chars.next();
        let (kind, len) = match char {
            'a'..='z' | 'A'..='Z' | '_' | ':' => {
                let len = word_len(rest, true);
                (word(&rest[..len]), len)
            }
            '0'..='9' | '.' if char != '.' || next.is_some_and(|next| next.is_ascii_digit()) => {
                self.number()?
            }
            '"' | '\'' | '`' => (Kind::String, self.string(char)?),
            '{' => (Kind::OpenBrace, 1),
            ',' => (Kind::Comma, 1),
            '=' if next == Some('~') => {
                return Err(self.fault("unexpected character after '=': '~'".to_owned()));
            }
            '!' if next != Some('=') => {
                let next = quote_char_or_end(next);
                return Err(self.fault(format!("unexpected character after '!': {next}")));
            }
            '=' if next != Some('=') => (Kind::Match(MatchOp::Equal), 1),
            '=' | '!' => (Kind::Operator, 2),
            '<' | '>' if matches!(next, Some('=' | '/')) => (Kind::Operator, 2),
            '<' | '>' | '*' | '/' | '%' | '+' | '-' | '^' | '@' => (Kind::Operator, 1),
            '(' | '[' => (Kind::Mark, 1),
            ')' => return Err(self.fault("unexpected right parenthesis ')'".to_owned())),
            ']' => return Err(self.fault("unexpected right bracket ']'".to_owned())),
            _ => {
                return Err(self.fault(format!("unexpected character: {}", quote_char(char))));
            }
        };
        Ok(self.token(kind, len))
    }

    /// A number or a duration, so that the error can say what stands there.
    fn number(&self) -> Result<(Kind, usize), Fault> {
        let rest = self.rest();
        let is_hex = rest.starts_with("0x") || rest.starts_with("0X");
        let is_digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'.' || *byte == b'_';
        let digits = if is_hex {
            2 + rest[2..].bytes().take_while(u8::is_ascii_hexdigit).count()
        } else {
            rest.bytes().take_while(is_digit).count()
        };
        let digits = digits + if is_hex { 0 } else { exponent_len(&rest[digits..]) };
        let len = digits + rest[digits..].bytes().take_while(|b| is_word(*b) || *b == b'.').count();
        if digits == len {
            return Ok((Kind::Number, len));
        }
        if is_duration(&rest[..len]) {
            return Ok((Kind::Duration, len));
        }
        let what = quote(&rest[..digits]);
        Err(self.fault(format!("bad number or duration syntax: {what}")))
    }

    /// The length of the string that begins here, with its quotes.
    fn string(&self, quote: char) -> Result<usize, Fault> {
        let rest = self.rest();
        let mut chars = rest.char_indices().skip(1);
        let is_raw = quote == '`';
        let what = loop {
            match chars.next() {
                Some((at, char)) if char == quote => return Ok(at + 1),
                Some((_, char::REPLACEMENT_CHARACTER)) => break "invalid UTF-8 rune".to_owned(),
                None if is_raw => break "unterminated raw string".to_owned(),
                None => break "unterminated quoted string".to_owned(),
                Some((_, '\n')) if !is_raw => break "unterminated quoted string".to_owned(),
                Some((_, '\\')) if !is_raw => {
                    let mut after = chars.by_ref().map(|(_, char)| char);
                    if let Err(what) = escape(&mut after, quote) {
                        break what;
                    }
                }
                Some(_) => {}
            }
        };
        Err(self.fault(what))
    }
}

/// The length of an exponent at the start of the text, such as `e3` and `E-10`.
fn exponent_len(text: &str) -> usize {
    let Some(rest) = text.strip_prefix(['e', 'E']) else { return 0 };
    let number = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    match number.bytes().take_while(u8::is_ascii_digit).count() {
        0 => 0,
        digits => text.len() - number.len() + digits,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_len(text: &str, with_colons: bool) -> usize {
    text.bytes().take_while(|byte| is_word(*byte) || with_colons && *byte == b':').count()
}

/// Kind of a word outside of braces; keywords in any case.
fn word(word: &str) -> Kind {
    match word.to_ascii_lowercase().as_str() {
        "inf" | "nan" => Kind::Number,
        "atan2" => Kind::Forbidden(Word::Operator),
        "on" | "ignoring" | "group_left" | "group_right" | "bool" => Kind::Forbidden(Word::Keyword),
        "and" | "or" | "unless" => Kind::Reserved(Word::Operator),
        "offset" | "smoothed" | "anchored" | "by" | "without" => Kind::Reserved(Word::Keyword),
        "start" | "end" | "step" | "range" | "max_of" | "min_of" => Kind::Reserved(Word::Other),
        "sum" | "avg" | "count" | "min" | "max" | "group" | "stddev" | "stdvar" | "topk"
        | "bottomk" | "count_values" | "quantile" | "limitk" | "limit_ratio" => Kind::Aggregator,
        _ if word.contains(':') => Kind::Metric,
        _ => Kind::Name,
    }
}

/// Numbers with units: `1h30m`, `5ms`.
fn is_duration(mut text: &str) -> bool {
    while !text.is_empty() {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let unit = text[digits..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let is_unit =
            matches!(&text[digits..digits + unit], "ms" | "s" | "m" | "h" | "d" | "w" | "y");
        if digits == 0 || !is_unit {
            return false;
        }
        text = &text[digits + unit..];
    }
    true
}

/// Value of an escape.
enum Escaped {
    Byte(u8),
    Char(char),
}

/// Reads what follows a backslash.
fn escape(chars: &mut impl Iterator<Item = char>, quote: char) -> Result<Escaped, String> {
    let Some(kind) = chars.next() else { return Err("escape sequence not terminated".to_owned()) };
    let (first, len, base) = match kind {
        'a' => return Ok(Escaped::Byte(0x07)),
        'b' => return Ok(Escaped::Byte(0x08)),
        'f' => return Ok(Escaped::Byte(0x0c)),
        'n' => return Ok(Escaped::Byte(b'\n')),
        'r' => return Ok(Escaped::Byte(b'\r')),
        't' => return Ok(Escaped::Byte(b'\t')),
        'v' => return Ok(Escaped::Byte(0x0b)),
        '\\' => return Ok(Escaped::Byte(b'\\')),
        _ if kind == quote => return Ok(Escaped::Char(kind)),
        '0'..='7' => (Some(kind), 3, 8),
        'x' => (None, 2, 16),
        'u' => (None, 4, 16),
        'U' => (None, 8, 16),
        _ => return Err(format!("unknown escape sequence {}", code_point(kind))),
    };
    let mut code: u32 = 0;
    for digit in
        first.into_iter().map(Some).chain(std::iter::repeat_with(|| chars.next())).take(len)
    {
        let Some(digit) = digit else { return Err("escape sequence not terminated".to_owned()) };
        let Some(number) = digit.to_digit(base) else {
            let what = code_point(digit);
            return Err(format!("illegal character {what} in escape sequence"));
        };
        code = code.wrapping_mul(base).wrapping_add(number);
    }
    let escaped = match len {
        2 | 3 => u8::try_from(code).ok().map(Escaped::Byte),
        _ => char::from_u32(code).map(Escaped::Char),
    };
    escaped.ok_or_else(|| "escape sequence is an invalid Unicode code point".to_owned())
}

/// The bytes that a string stands for, whose escapes the lexer has seen to be right.
pub(in crate::ask) fn unquote(string: &str) -> Vec<u8> {
    let inner = &string[1..string.len() - 1];
    let quote = string.chars().next().unwrap_or('"');
    if quote == '`' || !inner.contains('\\') {
        return inner.as_bytes().to_vec();
    }
    let mut bytes = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    let push = |bytes: &mut Vec<u8>, char: char| {
        bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    };
    while let Some(char) = chars.next() {
        match char {
            '\\' => match escape(&mut chars, quote) {
                Ok(Escaped::Byte(byte)) => bytes.push(byte),
                Ok(Escaped::Char(char)) => push(&mut bytes, char),
                Err(what) => unreachable!("the lexer takes no such string: {what}"),
            },
            _ => push(&mut bytes, char),
        }
    }
    bytes
}

//! Reads a JSON text value by value, as its caller asks for them. See the folder's head for the
//! rules.

use std::str::FromStr;

use super::error::JsonError;
use super::text::Text;

/// Maximum number of lists and objects that lie within each other: Go's own limit.
pub const DEPTH_MAX: u32 = 10_000;

/// Kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of JSON's values")]
pub enum Kind {
    Null,
    Flag,
    Number,
    String,
    List,
    Object,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Flag => "true or false",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::List => "a list",
            Kind::Object => "an object",
        }
    }
}

/// A JSON text that is being read. Costs no memory but the stack of [`Json::skip`], a byte a level.
#[derive(Clone, Debug)]
pub struct Json<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Number of lists and objects that are open.
    depth: u32,
    /// Whether a list or an object has just been opened, so that no comma precedes its next value.
    is_first: bool,
}

impl<'a> Json<'a> {
    /// Reads a text from its first byte on.
    pub fn new(bytes: &'a [u8]) -> Self {
        Json { bytes, at: 0, depth: 0, is_first: false }
    }

    /// Offset of the first byte that was not read yet.
    pub fn at(&self) -> u64 {
        self.at as u64
    }

    /// Kind of the next value, which stays unread: by its first byte.
    pub fn kind(&mut self) -> Result<Kind, JsonError> {
        self.skip_space();
        match self.peek() {
            Some(b'n') => Ok(Kind::Null),
            Some(b't' | b'f') => Ok(Kind::Flag),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b'"') => Ok(Kind::String),
            Some(b'[') => Ok(Kind::List),
            Some(b'{') => Ok(Kind::Object),
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Opens an object, whose fields [`Json::field`] then returns; `false` for `null`.
    pub fn object(&mut self) -> Result<bool, JsonError> {
        self.open(Kind::Object)
    }

    /// Name of the next field of the open object, whose value is to be read or skipped next. `None`
    /// closes the object.
    pub fn field(&mut self) -> Result<Option<Text<'a>>, JsonError> {
        if !self.advance(b'}')? {
            return Ok(None);
        }
        let name = self.string_token("the name of a field")?;
        self.skip_space();
        self.literal(":", "a colon after the name of a field")?;
        Ok(Some(name))
    }

    /// Opens a list; `false` for `null`.
    pub fn list(&mut self) -> Result<bool, JsonError> {
        self.open(Kind::List)
    }

    /// Whether the open list has another value, which is to be read or skipped next. `false` closes
    /// the list.
    pub fn element(&mut self) -> Result<bool, JsonError> {
        self.advance(b']')
    }

    /// A string; `None` for `null`.
    pub fn string(&mut self) -> Result<Option<Text<'a>>, JsonError> {
        if !self.is_there(Kind::String)? {
            return Ok(None);
        }
        self.string_token(Kind::String.words()).map(Some)
    }

    /// `true` or `false`; `None` for `null`.
    pub fn flag(&mut self) -> Result<Option<bool>, JsonError> {
        if !self.is_there(Kind::Flag)? {
            return Ok(None);
        }
        self.flag_token().map(Some)
    }

    /// An integer of 64 bits without a sign; `None` for `null`.
    pub fn u64(&mut self) -> Result<Option<u64>, JsonError> {
        self.integer("an integer of 64 bits without sign")
    }

    /// An integer of 32 bits without a sign; `None` for `null`.
    pub fn u32(&mut self) -> Result<Option<u32>, JsonError> {
        self.integer("an integer of 32 bits without sign")
    }

    /// An integer of 64 bits; `None` for `null`.
    pub fn i64(&mut self) -> Result<Option<i64>, JsonError> {
        self.integer("an integer of 64 bits")
    }

    /// The next value as it is in the text, white space around it left out.
    pub fn raw(&mut self) -> Result<&'a [u8], JsonError> {
        self.skip_space();
        let start = self.at;
        self.skip()?;
        Ok(&self.bytes[start..self.at])
    }

    /// Reads the next value, of whatever kind, and forgets it.
    pub fn skip(&mut self) -> Result<(), JsonError> {
        let mut open: Vec<Kind> = Vec::new();
        loop {
            match self.kind()? {
                kind @ (Kind::Object | Kind::List) => {
                    self.open(kind)?;
                    open.push(kind);
                }
                Kind::String => drop(self.string_token(Kind::String.words())?),
                Kind::Number => drop(self.number_token()?),
                Kind::Flag => drop(self.flag_token()?),
                Kind::Null => self.literal("null", "null")?,
            }
            while let Some(kind) = open.last() {
                let has_next = match kind {
                    Kind::Object => self.field()?.is_some(),
                    _ => self.element()?,
                };
                if has_next {
                    break;
                }
                open.pop();
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    /// Goes past a value that the caller has read itself: to its end, an offset of the text.
    ///
    /// # Panics
    /// If that lies before what was read, or beyond the text.
    #[inline]
    pub fn pass(&mut self, end: u64) {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        assert!(
            (self.at..=self.bytes.len()).contains(&end),
            "the end of the value lies in the text"
        );
        self.at = end;
    }

    /// After the last value: only white space may follow.
    pub fn end(&mut self) -> Result<(), JsonError> {
        self.skip_space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the text")),
        }
    }

    fn open(&mut self, kind: Kind) -> Result<bool, JsonError> {
        if !self.is_there(kind)? {
            return Ok(false);
        }
        if self.depth == DEPTH_MAX {
            return Err(JsonError::new(self.at(), "at most 10000 levels", "another one"));
        }
        self.at += 1;
        self.depth += 1;
        self.is_first = true;
        Ok(true)
    }

    /// Goes to the next value of the open list or object, past the comma; `false` where it is
    /// closed instead.
    fn advance(&mut self, close: u8) -> Result<bool, JsonError> {
        self.skip_space();
        let is_first = std::mem::replace(&mut self.is_first, false);
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            Some(b',') if !is_first => {
                self.at += 1;
                self.skip_space();
                Ok(true)
            }
            _ if is_first => Ok(true),
            _ if close == b'}' => Err(self.unexpected("a comma or the end of the object")),
            _ => Err(self.unexpected("a comma or the end of the list")),
        }
    }

    /// Whether a value of a kind is next; `false` for `null`, which is read.
    fn is_there(&mut self, want: Kind) -> Result<bool, JsonError> {
        match self.kind()? {
            got if got == want => Ok(true),
            Kind::Null => self.literal("null", "null").map(|()| false),
            got => Err(JsonError::new(self.at(), want.words(), got.words())),
        }
    }

    fn integer<T: FromStr>(&mut self, want: &'static str) -> Result<Option<T>, JsonError> {
        if !self.is_there(Kind::Number)? {
            return Ok(None);
        }
        let at = self.at();
        let token = self.number_token()?;
        token.parse().map(Some).map_err(|_| JsonError::new(at, want, short(token)))
    }

    fn string_token(&mut self, want: &'static str) -> Result<Text<'a>, JsonError> {
        let at = self.at();
        self.literal("\"", want)?;
        let start = self.at;
        let mut is_escaped = false;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    is_escaped = true;
                    self.at += 1;
                    self.escape()?;
                }
                Some(b' '..) => self.at += 1,
                _ => return Err(self.unexpected("a character of a string or its end")),
            }
        }
        let raw = &self.bytes[start..self.at];
        self.at += 1;
        Ok(Text { raw, at, is_escaped })
    }

    /// Reads past what follows a backslash.
    fn escape(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    self.digit(|byte| byte.is_ascii_hexdigit(), "a hexadecimal digit")?;
                }
            }
            _ => return Err(self.unexpected("an escape of a string")),
        }
        Ok(())
    }

    /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    fn number_token(&mut self) -> Result<&'a str, JsonError> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(str::from_utf8(&self.bytes[start..self.at]).expect("signs, digits, points and e"))
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        self.digit(|byte| byte.is_ascii_digit(), "a digit")?;
        let more = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit());
        self.at += more.count();
        Ok(())
    }

    fn digit(&mut self, is_one: fn(u8) -> bool, want: &'static str) -> Result<(), JsonError> {
        match self.peek() {
            Some(byte) if is_one(byte) => self.at += 1,
            _ => return Err(self.unexpected(want)),
        }
        Ok(())
    }

    fn flag_token(&mut self) -> Result<bool, JsonError> {
        let is_true = self.peek() == Some(b't');
        self.literal(if is_true { "true" } else { "false" }, Kind::Flag.words())?;
        Ok(is_true)
    }

    /// Reads past a word; the error has the offset of the first byte that differs.
    fn literal(&mut self, word: &str, want: &'static str) -> Result<(), JsonError> {
        for byte in word.bytes() {
            if self.peek() != Some(byte) {
                return Err(self.unexpected(want));
            }
            self.at += 1;
        }
        Ok(())
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[cold]
    fn unexpected(&self, want: &'static str) -> JsonError {
        let got = match self.peek() {
            None => "the end of the text".to_owned(),
            Some(byte @ b' '..=b'~') => format!("{:?}", char::from(byte)),
            Some(byte) => format!("byte {byte:#04x}"),
        };
        JsonError::new(self.at(), want, got)
    }
}

/// A number for a message: a foreign one may have millions of digits.
fn short(token: &str) -> String {
    match token.get(..40) {
        Some(start) if start.len() < token.len() => format!("{start}..."),
        _ => token.to_owned(),
    }
}

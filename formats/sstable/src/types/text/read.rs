//! Literals of CQL into values: of partition keys, of bounds.
//!
//! Bytes:   docs/formats/sstable.md, Literals

use std::fmt;

use super::read_simple::{read_blob, read_simple};
use crate::shortened::shortened;
use crate::types::{Elements, Parts, Type};

/// A literal that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralError {
    /// Place in the text, in bytes.
    pub at: usize,
    /// What was wanted there.
    pub want: String,
    /// What is there, shortened.
    pub got: String,
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LiteralError { at, want, got } = self;
        write!(f, "value at byte {at}: wanted {want}, got {got:?}")
    }
}

impl std::error::Error for LiteralError {}

impl Type {
    /// Reads a literal: the bytes of its value, `None` of `null`.
    pub fn read_literal(&self, text: &str) -> Result<Option<Vec<u8>>, LiteralError> {
        let mut reader = Literals { text, at: 0 };
        let value = reader.value(self)?;
        reader.end()?;
        Ok(value)
    }

    /// Reads a partition key: the literal of its column, or `(value, value, ..)` of several, around
    /// which brackets may be left out; or its bytes as a blob, of several columns those of all
    /// together.
    pub fn read_key(&self, text: &str) -> Result<Vec<u8>, LiteralError> {
        let mut reader = Literals { text, at: 0 };
        let parts = self.key_parts();
        if let (Type::Composite(_), Some(key)) = (self, read_blob(text.trim())) {
            let mut values = Elements::of_composite(&key);
            let count = values.by_ref().count();
            let is_whole = values.is_whole() && count == parts.len();
            let want = format!("bytes of a key of {}", values_of(parts.len()));
            return if is_whole { Ok(key) } else { Err(reader.error(&want)) };
        }
        let values = reader.key_values(parts)?;
        let whole = values.iter().flatten().count();
        if values.len() != parts.len() {
            return Err(reader.error(&format!("{} of a partition key", values_of(parts.len()))));
        }
        if whole != parts.len() {
            return Err(reader.error_at(0, "values that aren't null"));
        }
        self.key_of_values(&values.into_iter().flatten().collect::<Vec<_>>(), text)
    }

    /// A partition key of values that were read from a text.
    pub(super) fn key_of_values(
        &self,
        values: &[Vec<u8>],
        text: &str,
    ) -> Result<Vec<u8>, LiteralError> {
        let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        let error = |want| LiteralError { at: 0, want, got: shortened(text.as_bytes()) };
        self.key_of_parts(&values).map_err(error)
    }
}

/// Reads a bound: `(value, value, ..)` of the first clustering columns, or one value without
/// brackets. Values of types of a fixed width have it or are empty, also those that are written as
/// blobs.
pub fn read_values(types: &[Type], text: &str) -> Result<Vec<Option<Vec<u8>>>, LiteralError> {
    let mut reader = Literals { text, at: 0 };
    let values = reader.values(types)?;
    reader.end()?;
    Ok(values)
}

/// A number of values in words.
fn values_of(count: usize) -> String {
    if count == 1 { "1 value".to_owned() } else { format!("{count} values") }
}

struct Literals<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Literals<'a> {
    fn error(&self, want: &str) -> LiteralError {
        self.error_at(self.at, want)
    }

    fn error_at(&self, at: usize, want: &str) -> LiteralError {
        let got = shortened(&self.text.as_bytes()[at..]);
        LiteralError { at, want: want.to_owned(), got }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn takes(&mut self, mark: char) -> bool {
        self.blanks();
        let is_next = self.rest().starts_with(mark);
        self.at += if is_next { mark.len_utf8() } else { 0 };
        is_next
    }

    fn expect(&mut self, mark: char) -> Result<(), LiteralError> {
        if self.takes(mark) { Ok(()) } else { Err(self.error(&format!("{mark:?}"))) }
    }

    fn end(&mut self) -> Result<(), LiteralError> {
        self.blanks();
        if self.rest().is_empty() { Ok(()) } else { Err(self.error("the end")) }
    }

    /// Values of a key up to the end of the text, in round brackets or without.
    fn key_values(&mut self, types: &[Type]) -> Result<Vec<Option<Vec<u8>>>, LiteralError> {
        let bracketed = self.values(types).and_then(|values| self.end().map(|()| values));
        // A first value that is a tuple begins with a bracket too.
        let Err(error) = bracketed else { return bracketed };
        let at = std::mem::take(&mut self.at);
        let is_bracketed = self.takes('(');
        self.at = 0;
        match self.listed(types).and_then(|values| self.end().map(|()| values)) {
            Err(_) if is_bracketed => {
                self.at = at;
                Err(error)
            }
            listed => listed,
        }
    }

    /// A list in round brackets or one value.
    fn values(&mut self, types: &[Type]) -> Result<Vec<Option<Vec<u8>>>, LiteralError> {
        // A tuple begins with a bracket too: of a single column that is one, brackets around it may
        // be left out.
        let start = self.at;
        if let [single] = types
            && let Ok(value) = self.value_of_width(single)
        {
            self.blanks();
            if self.rest().is_empty() {
                return Ok(vec![value]);
            }
        }
        self.at = start;
        if !self.takes('(') {
            let single = types.first().ok_or_else(|| self.error("no value: no such column"))?;
            return Ok(vec![self.value_of_width(single)?]);
        }
        if self.takes(')') {
            return Ok(Vec::new());
        }
        let values = self.listed(types)?;
        self.expect(')')?;
        Ok(values)
    }

    /// Values with commas between them, no more than there are types.
    fn listed(&mut self, types: &[Type]) -> Result<Vec<Option<Vec<u8>>>, LiteralError> {
        let mut values = Vec::new();
        loop {
            let kind = types.get(values.len());
            let kind =
                kind.ok_or_else(|| self.error(&format!("at most {}", values_of(types.len()))))?;
            values.push(self.value_of_width(kind)?);
            if !self.takes(',') {
                return Ok(values);
            }
        }
    }

    /// A value that has its type's width, also where it is written as a blob.
    fn value_of_width(&mut self, kind: &Type) -> Result<Option<Vec<u8>>, LiteralError> {
        self.blanks();
        let start = self.at;
        let value = self.value(kind)?;
        match (value.as_deref(), kind.fixed_width()) {
            (Some(bytes), Some(width)) if !bytes.is_empty() && bytes.len() != width => {
                Err(self.error_at(start, &format!("{} of {width} bytes", kind.cql())))
            }
            _ => Ok(value),
        }
    }

    fn value(&mut self, kind: &Type) -> Result<Option<Vec<u8>>, LiteralError> {
        self.blanks();
        let start = self.at;
        let word = self.word();
        if word.eq_ignore_ascii_case("null") {
            return Ok(None);
        }
        if let Some(bytes) = read_blob(word) {
            return Ok(Some(bytes));
        }
        self.at = start;
        let kind = kind.ascending();
        // The empty value of any type.
        if self.rest().starts_with("''") && !self.rest().starts_with("'''") {
            self.at += 2;
            return Ok(Some(Vec::new()));
        }
        let parts = match kind {
            Type::List { element, .. } => self.list(element, '[', ']')?,
            Type::Set { element, .. } => self.list(element, '{', '}')?,
            Type::Map { key, value, .. } => self.map(key, value)?,
            Type::Vector { element, .. } => self.list(element, '[', ']')?,
            Type::Tuple { fields, .. } => self.tuple(fields)?,
            Type::User(user) => self.user(&user.fields)?,
            simple => return self.simple(simple).map(Some),
        };
        let value = kind.value_of_parts(parts);
        value.map(Some).map_err(|want| self.error_at(start, &want))
    }

    /// A word without quotes: up to a mark or a blank.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let is_end = |c: char| c.is_whitespace() || "()[]{},:'\"".contains(c);
        let len = rest.find(is_end).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// A text in quotes, those inside doubled.
    fn quoted(&mut self, quote: char) -> Result<Option<String>, LiteralError> {
        let start = self.at;
        if !self.takes(quote) {
            return Ok(None);
        }
        let mut text = String::new();
        loop {
            let Some(len) = self.rest().find(quote) else {
                return Err(self.error_at(start, "a text that ends with its quote"));
            };
            text.push_str(&self.rest()[..len]);
            self.at += len + 1;
            if !self.rest().starts_with(quote) {
                return Ok(Some(text));
            }
            text.push(quote);
            self.at += 1;
        }
    }

    fn simple(&mut self, kind: &Type) -> Result<Vec<u8>, LiteralError> {
        let start = self.at;
        let quoted = self.quoted('\'')?;
        let is_text = matches!(kind, Type::Text | Type::Ascii);
        let value = match &quoted {
            Some(text) if is_text => Some(text.clone().into_bytes()),
            Some(text) => read_simple(kind, text),
            // A time of day has colons; without quotes it is a number.
            None if is_text => None,
            None => read_simple(kind, self.word()),
        };
        let is_ascii = |value: &Vec<u8>| *kind != Type::Ascii || value.is_ascii();
        value.filter(is_ascii).ok_or_else(|| {
            let want = if is_text { "a text in single quotes".to_owned() } else { kind.cql() };
            self.error_at(start, &want)
        })
    }

    fn list(&mut self, kind: &Type, open: char, close: char) -> Result<Parts, LiteralError> {
        self.expect(open)?;
        let mut items = Vec::new();
        if self.takes(close) {
            return Ok(items);
        }
        loop {
            items.push(Some(self.item(kind)?));
            if !self.takes(',') {
                break;
            }
        }
        self.expect(close)?;
        Ok(items)
    }

    /// An element of a collection, which can't be null.
    fn item(&mut self, kind: &Type) -> Result<Vec<u8>, LiteralError> {
        self.blanks();
        let start = self.at;
        self.value(kind)?.ok_or_else(|| self.error_at(start, "an element that isn't null"))
    }

    /// Keys and values in turn.
    fn map(&mut self, key: &Type, value: &Type) -> Result<Parts, LiteralError> {
        self.expect('{')?;
        let mut parts = Vec::new();
        if !self.takes('}') {
            loop {
                parts.push(Some(self.item(key)?));
                self.expect(':')?;
                parts.push(Some(self.item(value)?));
                if !self.takes(',') {
                    break;
                }
            }
            self.expect('}')?;
        }
        Ok(parts)
    }

    fn tuple(&mut self, fields: &[Type]) -> Result<Parts, LiteralError> {
        self.expect('(')?;
        let mut parts = Vec::new();
        for (index, kind) in fields.iter().enumerate() {
            // Fields at the end may be left out.
            if index > 0 && !self.takes(',') {
                break;
            }
            parts.push(self.value(kind)?);
        }
        self.expect(')')?;
        Ok(parts)
    }

    fn user(&mut self, fields: &[(Vec<u8>, Type)]) -> Result<Parts, LiteralError> {
        let mut parts: Parts = vec![None; fields.len()];
        let mut seen = vec![false; fields.len()];
        self.expect('{')?;
        if !self.takes('}') {
            loop {
                self.blanks();
                let start = self.at;
                let index = self.field(fields)?;
                if std::mem::replace(&mut seen[index], true) {
                    return Err(self.error_at(start, "each field once"));
                }
                self.expect(':')?;
                parts[index] = self.value(&fields[index].1)?;
                if !self.takes(',') {
                    break;
                }
            }
            self.expect('}')?;
        }
        Ok(parts)
    }

    /// The number of the field whose name is next.
    fn field(&mut self, fields: &[(Vec<u8>, Type)]) -> Result<usize, LiteralError> {
        self.blanks();
        let start = self.at;
        let name = match self.quoted('"')? {
            Some(name) => name,
            None => self.word().to_lowercase(),
        };
        let index = fields.iter().position(|(other, _)| *other == name.as_bytes());
        index.ok_or_else(|| self.error_at(start, "name of a field"))
    }
}

//! Words of a CQL file.

use super::error::SchemaError;

/// A word of CQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or keyword without quotes, in lower case; a number.
    Word(String),
    /// A name in double quotes.
    Name(String),
    /// A text in single quotes.
    Text(String),
    /// Any other character.
    Mark(char),
}

impl Token {
    /// It without quotes.
    pub(super) fn text(&self) -> String {
        match self {
            Token::Word(text) | Token::Name(text) | Token::Text(text) => text.clone(),
            Token::Mark(mark) => mark.to_string(),
        }
    }
}

/// The words of a file with their offsets, without blanks and comments.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, SchemaError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if let Some(len) = blank_len(rest) {
            at += len;
            continue;
        }
        let (token, len) = match first {
            '"' | '\'' => quoted(rest, first).ok_or(SchemaError::Unclosed { at })?,
            _ => word(rest, first),
        };
        tokens.push((at, token));
        at += len;
    }
    Ok(tokens)
}

/// Length of the blank or comment at the front.
fn blank_len(rest: &str) -> Option<usize> {
    if rest.starts_with("--") || rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(rest.find("*/").map_or(rest.len(), |end| end + 2));
    }
    rest.chars().next().filter(|first| first.is_whitespace()).map(char::len_utf8)
}

fn word(rest: &str, first: char) -> (Token, usize) {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    if !is_of_word(first) {
        return (Token::Mark(first), first.len_utf8());
    }
    let len = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
    (Token::Word(rest[..len].to_lowercase()), len)
}

/// What lies in quotes, of which those inside are doubled.
fn quoted(rest: &str, quote: char) -> Option<(Token, usize)> {
    let (mut text, mut at) = (String::new(), 1);
    loop {
        let len = rest[at..].find(quote)?;
        text.push_str(&rest[at..at + len]);
        at += len + 1;
        if !rest[at..].starts_with(quote) {
            break;
        }
        text.push(quote);
        at += 1;
    }
    Some((if quote == '"' { Token::Name(text) } else { Token::Text(text) }, at))
}

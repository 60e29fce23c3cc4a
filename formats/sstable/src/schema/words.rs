//! The words of a CQL file, taken one after the other.

use super::error::SchemaError;
use super::tokens::Token;

/// Words from a place on.
pub(super) struct Words<'a> {
    tokens: &'a [(usize, Token)],
    at: usize,
    text_len: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(tokens: &'a [(usize, Token)], text_len: usize) -> Self {
        Words { tokens, at: 0, text_len }
    }

    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    /// Takes the next one, whatever it is.
    pub(super) fn next(&mut self) -> Option<&'a Token> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    pub(super) fn error(&self, want: &'static str) -> SchemaError {
        let at = self.tokens.get(self.at).map_or(self.text_len, |(at, _)| *at);
        let got = self.peek().map_or_else(String::new, Token::text);
        SchemaError::Word { at, want, got }
    }

    pub(super) fn takes(&mut self, mark: char) -> bool {
        let is_next = self.peek() == Some(&Token::Mark(mark));
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn expect(&mut self, mark: char, want: &'static str) -> Result<(), SchemaError> {
        if self.takes(mark) { Ok(()) } else { Err(self.error(want)) }
    }

    fn has_words(&self, words: &[&str]) -> bool {
        let rest = &self.tokens[self.at.min(self.tokens.len())..];
        let is_word = |token: &Token, word: &str| matches!(token, Token::Word(it) if it == word);
        rest.len() >= words.len()
            && rest.iter().zip(words).all(|((_, token), word)| is_word(token, word))
    }

    pub(super) fn takes_words(&mut self, words: &[&str]) -> bool {
        let is_next = self.has_words(words);
        self.at += if is_next { words.len() } else { 0 };
        is_next
    }

    pub(super) fn name(&mut self, want: &'static str) -> Result<String, SchemaError> {
        match self.peek() {
            Some(Token::Word(name) | Token::Name(name)) => {
                self.at += 1;
                Ok(name.clone())
            }
            _ => Err(self.error(want)),
        }
    }

    /// A name, perhaps with that of its keyspace in front.
    pub(super) fn full_name(
        &mut self,
        want: &'static str,
    ) -> Result<(Option<String>, String), SchemaError> {
        let name = self.name(want)?;
        if self.takes('.') { Ok((Some(name), self.name(want)?)) } else { Ok((None, name)) }
    }

    /// Passes over the rest of a statement.
    pub(super) fn skip_statement(&mut self) {
        while self.at < self.tokens.len() && !self.takes(';') {
            self.at += 1;
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Passes over what is left of a column: up to the mark that ends it, or to what is said of it.
    /// In brackets commas may lie.
    pub(super) fn pass_column(&mut self) -> Result<(), SchemaError> {
        let mut open = 0_usize;
        loop {
            match self.peek() {
                Some(Token::Mark('<' | '(')) => open += 1,
                Some(Token::Mark('>' | ')')) if open > 0 => open -= 1,
                Some(Token::Mark(',' | ')')) if open == 0 => return Ok(()),
                Some(_) => {}
                None => return Err(self.error("',' or ')'")),
            }
            if open == 0 && (self.has_words(&["primary", "key"]) || self.has_words(&["static"])) {
                return Ok(());
            }
            self.at += 1;
        }
    }
}

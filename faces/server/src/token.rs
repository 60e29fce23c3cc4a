//! The token that clients show, where the server asks for one.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use sha2::{Digest, Sha256};

/// Shortest token, in bytes: one that nobody guesses.
const LEN_MIN: usize = 16;

/// A secret that whoever asks has to know. Only its hash is kept, and hashes are compared: how long
/// that takes says nothing of the secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// A token.
    pub fn new(secret: &str) -> Result<Token> {
        if secret.len() < LEN_MIN {
            bail!("a token has {LEN_MIN} bytes or more, as `openssl rand -hex 16` prints them");
        }
        Ok(Token(Sha256::digest(secret).into()))
    }

    /// The token of a file, its first line.
    pub fn read(file: &Path) -> Result<Token> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let secret = text.lines().next().unwrap_or_default().trim();
        Token::new(secret).with_context(|| file.display().to_string())
    }

    /// Whether it is this secret.
    pub(crate) fn is(&self, secret: &[u8]) -> bool {
        self.0 == <[u8; 32]>::from(Sha256::digest(secret))
    }
}

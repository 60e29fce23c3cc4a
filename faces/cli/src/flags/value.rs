//! Values of flags as ripgrep reads them, and refuses them in its words.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, Result};
use bstr::ByteVec;

use crate::command::FlagValue;

/// What ripgrep makes of a value; the parser says of which flag it is.
pub(super) trait RipgrepValue {
    fn rg_text(&self) -> Result<&str>;
    fn rg_string(&self) -> Result<String>;
    fn rg_number<N: FromStr<Err = std::num::ParseIntError>>(&self) -> Result<N>;
    fn rg_size(&self) -> Result<u64>;
    fn rg_memory(&self) -> Result<usize>;
    fn rg_choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T>;
    /// The path, unless it is empty or the flag's negation was given.
    fn command(&self) -> Option<PathBuf>;
    fn separator(&self) -> Result<Vec<u8>>;
}

impl RipgrepValue for FlagValue {
    fn rg_text(&self) -> Result<&str> {
        self.os().to_str().context("value is not valid UTF-8")
    }

    fn rg_string(&self) -> Result<String> {
        self.rg_text().map(str::to_owned)
    }

    fn rg_number<N: FromStr<Err = std::num::ParseIntError>>(&self) -> Result<N> {
        self.rg_text()?.parse().context("value is not a valid number")
    }

    fn rg_size(&self) -> Result<u64> {
        grep_cli::parse_human_readable_size(self.rg_text()?).context("invalid size")
    }

    fn rg_memory(&self) -> Result<usize> {
        usize::try_from(self.rg_size()?).ok().context("size is too big")
    }

    fn rg_choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T> {
        let text = self.rg_text()?;
        let found = choices.iter().find(|(name, _)| *name == text);
        found.map(|(_, choice)| *choice).with_context(|| format!("choice '{text}' is unrecognized"))
    }

    fn command(&self) -> Option<PathBuf> {
        Some(self.path()).filter(|path| self.on && !path.as_os_str().is_empty())
    }

    fn separator(&self) -> Result<Vec<u8>> {
        let text = self.os().to_str().context(
            "separator must be valid UTF-8 (use escape sequences \
             to provide a separator that is not valid UTF-8)",
        )?;
        Ok(Vec::unescape_bytes(text))
    }
}

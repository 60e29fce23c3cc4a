//! What the commands that ask blocks have in common: which blocks, which times, and how bytes become text.
//!
//! Callers: series/select, series/labels

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use manicule::series::query::Work;
use manicule::series::{Block, Interval, Selector, open_all};
use manicule::times::milliseconds;

use crate::receipt::Form;

/// Blocks and times of a call.
#[derive(Default)]
pub(super) struct Ask {
    pub(super) paths: Vec<PathBuf>,
    start: Option<i64>,
    end: Option<i64>,
}

impl Ask {
    /// Takes one of `--start` and `--end`.
    pub(super) fn set_time(&mut self, which: &str, text: &str) -> Result<()> {
        let time = milliseconds(text)
            .with_context(|| format!("--{which}: {text:?} is neither seconds nor RFC 3339"))?;
        match which {
            "start" => self.start = Some(time),
            _ => self.end = Some(time),
        }
        Ok(())
    }

    /// The times asked for; without `--start` and `--end` none.
    pub(super) fn times(&self) -> Option<Interval> {
        let all = self.start.is_none() && self.end.is_none();
        let (min_time, max_time) = (self.start.unwrap_or(i64::MIN), self.end.unwrap_or(i64::MAX));
        (!all).then_some(Interval { min_time, max_time })
    }

    /// Opens the blocks of all paths; without a path those of the current folder.
    pub(super) fn open(&self) -> Result<Vec<Block>> {
        let here = [PathBuf::from(".")];
        let paths = if self.paths.is_empty() { &here[..] } else { &self.paths };
        let mut blocks = Vec::new();
        for path in paths {
            blocks.extend(open_all(path)?);
        }
        Ok(blocks)
    }
}

/// Reads a selector; the error says where it is wrong.
pub(super) fn selector(text: &str) -> Result<Selector> {
    Selector::parse(text).with_context(|| format!("selector {text}"))
}

/// Prints what asking has cost.
pub(super) fn receipt(work: &Work, json: bool, out: &mut dyn Write) -> io::Result<()> {
    let form = if json { Form::Json } else { Form::Lines };
    crate::receipt::print(&work.fields(), form, out)
}

/// Bytes as text: what is no UTF-8 is shown as `\xff`.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            let mut shown = String::new();
            for chunk in bytes.utf8_chunks() {
                shown.push_str(chunk.valid());
                shown.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
            }
            Cow::Owned(shown)
        }
    }
}

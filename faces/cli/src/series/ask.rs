//! What the commands that ask blocks have in common: which blocks, which times, and how bytes become text.
//!
//! Callers: series/select, series/labels

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use manicule::series::query::Work;
use manicule::series::{Block, Interval, Salvage, Selector, open_all, open_salvage, unread_log};
use manicule::times::milliseconds;

use crate::messages::say;
use crate::receipt::Form;

/// Blocks and times of a call.
#[derive(Default)]
pub(super) struct Ask {
    pub(super) paths: Vec<PathBuf>,
    /// Where damaged parts are to be left out: for what they are.
    pub(super) salvage: Option<Salvage>,
    start: Option<i64>,
    end: Option<i64>,
}

impl Ask {
    /// Takes one of `--start` and `--end`.
    pub(super) fn set_time(&mut self, which: &str, text: &str) -> Result<()> {
        let time = time(which, text)?;
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
        if self.times().is_some_and(|times| times.max_time < times.min_time) {
            bail!("--end is before --start");
        }
        let here = [PathBuf::from(".")];
        let paths = if self.paths.is_empty() { &here[..] } else { &self.paths };
        let mut blocks = Vec::new();
        for path in paths {
            let opened = match &self.salvage {
                Some(salvage) => open_salvage(path, salvage)?,
                None => open_all(path)?,
            };
            self.tell_of_log(path, &opened);
            blocks.extend(opened);
        }
        Ok(blocks)
    }

    /// Says that samples may be missing, where the times asked for go on behind the blocks of a data folder.
    fn tell_of_log(&self, path: &Path, blocks: &[Block]) {
        let last = blocks.iter().filter_map(|block| block.meta()).map(|meta| meta.max_time).max();
        let asked_for = last.is_none_or(|last| self.end.is_none_or(|end| end >= last));
        if let Some(log) = unread_log(path).filter(|_| asked_for) {
            say(&format_args!("{}: samples that only this log has are left out", log.display()));
        }
    }
}

/// Reads a selector; the error says where it is wrong. One without a matcher is refused: it would select nothing.
pub(super) fn selector(text: &str) -> Result<Selector> {
    let selector = Selector::parse(text).with_context(|| format!("selector {text}"))?;
    if selector.matchers().is_empty() {
        bail!(
            "selector {text}: it has no matcher and would select nothing; \
             {{__name__=~\".*\"}} selects all series"
        );
    }
    Ok(selector)
}

/// The last second of the year 9999, behind which RFC 3339 has no times.
const SECONDS_MAX: i64 = 253_402_300_799;

/// Reads a time. Seconds of a far future are refused: they are milliseconds, as other tools take them.
pub(super) fn time(which: &str, text: &str) -> Result<i64> {
    let time = milliseconds(text)
        .with_context(|| format!("--{which}: {text:?} is neither seconds nor RFC 3339"))?;
    if time / 1000 > SECONDS_MAX {
        bail!("--{which}: {text} is behind the year 9999; seconds are wanted, not milliseconds");
    }
    Ok(time)
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

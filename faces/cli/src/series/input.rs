//! Options shared by the commands that ask blocks: which blocks, which times, and how bytes become
//! text.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow, bail};
use manicule::kinds::{Deeper, Place, System, deeper};
use manicule::place::is_address;
use manicule::series::query::Work;
use manicule::series::{
    BlockError, Data, Error, Interval, LeftOut, Moment, OpenCall, SaidBy, Selector, block_paths,
};
use manicule::times::{milliseconds, utc};

use crate::command::FlagValue;
use crate::messages::{fail_in_the_end, say};
use crate::print::Form;
use crate::table::listed::Listed;
use crate::units::{counted, duration_ms};

/// Blocks and times of a call.
#[derive(Default)]
pub(super) struct Input {
    pub(super) paths: Vec<PathBuf>,
    pub(super) skip_damaged: bool,
    /// Whether data folders further down are read too.
    pub(super) recursive: bool,
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
}

impl Input {
    /// The times asked for; without `--start` and `--end` none.
    pub(super) fn times(&self) -> Option<Interval> {
        let all = self.start.is_none() && self.end.is_none();
        let (min_time, max_time) = (self.start.unwrap_or(i64::MIN), self.end.unwrap_or(i64::MAX));
        (!all).then_some(Interval { min_time, max_time })
    }

    /// A table of the blocks that [`open`](Input::open) opens.
    pub(super) fn listed(&self, table: &'static str) -> Listed {
        let seconds = |time: i64| time as f64 / 1000.0;
        Listed::of(table, self.places())
            .with("start", self.start.map(seconds))
            .with("end", self.end.map(seconds))
    }

    /// The paths, or the current folder; with all data folders below them, if that was asked for.
    fn places(&self) -> Vec<PathBuf> {
        let here = [PathBuf::from(".")];
        let paths = if self.paths.is_empty() { &here[..] } else { &self.paths };
        if self.recursive {
            return paths.iter().flat_map(|path| folders_below(path)).collect();
        }
        paths.to_vec()
    }

    /// Opens the blocks of all paths; without a path those of the current folder. Says where
    /// samples may be missing, as the times asked for go on after the end of a data folder's
    /// blocks.
    pub(super) fn open(&self) -> Result<Data> {
        let times = self.times();
        if times.is_some_and(|times| times.max_time < times.min_time) {
            bail!("--end is before --start");
        }
        let call = OpenCall { paths: self.places(), times, skip_damaged: self.skip_damaged };
        let data = Data::open(&call, &mut |log| {
            say(&format_args!("{}: samples that only this log has are left out", log.display()));
        })
        .map_err(|error| name_below(error.into(), " or all of them with -r"))?;
        tell_left_out(&data.moment());
        Ok(data)
    }
}

/// Says which blocks of addresses are not read, and where an index of them may be older than they
/// are. Where one is damaged the call ends with the code of an error, whatever it answers.
pub(super) fn tell_left_out(moment: &Moment) {
    if moment.broken().next().is_some() {
        fail_in_the_end();
    }
    tell_unread(&moment.left_out);
    for (path, said_by) in &moment.said_by {
        match said_by {
            SaidBy::Index { updated_at } => say(&format_args!(
                "{}: blocks as its index had them at {}",
                path.display(),
                utc(updated_at.saturating_mul(1000))
            )),
            SaidBy::Listing { index_error: Some(error) } => {
                let path = path.display();
                say(&format_args!("{path}: its index: {error}; blocks are as a listing has them"));
            }
            SaidBy::Listing { index_error: None } => {}
        }
    }
}

/// Says which blocks are not read.
pub(super) fn tell_unread(blocks: &[LeftOut]) {
    for left_out in blocks.iter().take(BLOCKS_NAMED) {
        say(&format_args!("{left_out}; the block is left out"));
    }
    if let Some(more @ 1..) = blocks.len().checked_sub(BLOCKS_NAMED) {
        say(&format_args!("{} more are left out", counted(more as u64, "block")));
    }
}

/// The data folders and blocks below a folder, and itself if it is one; a path that has none below
/// is given as it is.
fn folders_below(path: &Path) -> Vec<PathBuf> {
    let is_of_blocks = |place: &&Place| place.kind.system() == System::PROMETHEUS;
    let Deeper { folders: places, failed, .. } = deeper(path);
    failed.iter().for_each(|failure| say(failure));
    if !failed.is_empty() {
        fail_in_the_end();
    }
    let mut folders: Vec<PathBuf> =
        places.iter().filter(is_of_blocks).map(|place| place.path.clone()).collect();
    if folders.is_empty() || block_paths(path).is_ok() {
        folders.insert(0, path.to_owned());
    }
    folders
}

/// Adds to the error of a folder without a block the data folders further down, and what else may
/// be done.
pub(super) fn name_below(error: anyhow::Error, more: &str) -> anyhow::Error {
    let missing = match error.downcast_ref::<Error>() {
        Some(Error::Block(error)) => Some(error),
        _ => error.downcast_ref::<BlockError>(),
    };
    if let Some(BlockError::NoIndex { path }) = missing {
        return anyhow!(
            "{error}; `manicule series build -o DIR {}` makes blocks of a text file of OpenMetrics",
            path.display()
        );
    }
    let Some(BlockError::Missing { path } | BlockError::OnlyLog { path }) = missing else {
        return error;
    };
    if is_address(path) {
        return error;
    }
    let below: Vec<String> = folders_below(path)
        .into_iter()
        .filter(|below| below != path)
        .map(|below| below.display().to_string())
        .collect();
    let named = below.iter().take(FOLDERS_NAMED).cloned().collect::<Vec<_>>().join(", ");
    let dots = if below.len() > FOLDERS_NAMED { ", ..." } else { "" };
    if below.is_empty() {
        error
    } else {
        anyhow!("{error}; further down there are {named}{dots}: give one of them{more}")
    }
}

/// The block of a data folder that has one alone; any other path as it is.
pub(super) fn only_block(path: PathBuf) -> PathBuf {
    match block_paths(&path).as_deref() {
        Ok([block]) => block.clone(),
        _ => path,
    }
}

/// Maximum number of blocks that are named one by one.
const BLOCKS_NAMED: usize = 8;

/// Maximum number of data folders that are named.
const FOLDERS_NAMED: usize = 4;

/// Reads a selector; the error says where it is wrong. One without a matcher is refused: it would
/// select nothing.
pub(super) fn selector(text: &str) -> Result<Selector> {
    let selector = Selector::parse(text).map_err(|error| if error.is_expression { anyhow!(
        "selector {text}: {error}; a selector is METRIC{{LABEL=\"VALUE\",...}} and no more of PromQL: \
         no functions, operators, ranges or offsets"
    ) } else { anyhow!("selector {text}: {error}") })?;
    if selector.matchers().is_empty() {
        bail!(
            "selector {text}: it has no matcher and would select nothing; \
             {{__name__=~\".*\"}} selects all series"
        );
    }
    Ok(selector)
}

/// As [`selector`], of a word.
pub(super) fn selector_of(word: OsString) -> Result<Selector> {
    selector(word.to_str().context("the selector is not valid UTF-8")?)
}

/// Reads the resolution of blocks in milliseconds; raw ones have 0.
pub(super) fn resolution(value: &FlagValue) -> Result<i64> {
    match value.text()? {
        "raw" => Ok(0),
        text => duration_ms(text).with_context(|| value.name.to_string()),
    }
}

/// The last second of the year 9999, after which RFC 3339 has no times.
const SECONDS_MAX: i64 = 253_402_300_799;

/// What times are, for whoever gave something else.
const TIMES: &str = "seconds since 1970, RFC 3339, a date such as 2024-04-05, now, -2h or now-1d";

/// Reads a time: all commands that take one read it here. Seconds of a far future are refused: they
/// are milliseconds, as other tools take them.
pub(super) fn time(value: &FlagValue) -> Result<i64> {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    time_at(&value.name, value.text()?, since_1970.as_millis() as i64)
}

/// Reads a time, which may be relative to `now`.
fn time_at(flag: &dyn Display, text: &str, now: i64) -> Result<i64> {
    let time = match (milliseconds(text), text.strip_prefix("now").unwrap_or(text)) {
        (Some(time), _) => time,
        (None, "") if !text.is_empty() => now,
        (None, shift) => {
            let wrong = || format!("{flag}: {text:?} is no time: {TIMES}");
            let (sign, len) = match shift.split_at_checked(1).with_context(wrong)? {
                ("-", len) => (-1, len),
                ("+", len) if shift.len() < text.len() => (1, len),
                _ => bail!(wrong()),
            };
            now.saturating_add(sign * duration_ms(len).ok().with_context(wrong)?)
        }
    };
    if time / 1000 > SECONDS_MAX {
        bail!("{flag}: {text} is after the year 9999; expected seconds, not milliseconds");
    }
    Ok(time)
}

/// Prints what asking has cost.
pub(super) fn receipt(work: &Work, json: bool, out: &mut dyn Write) -> io::Result<()> {
    let form = if json { Form::Json } else { Form::Text };
    crate::receipt::print(&work.fields(), form, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_absolute_or_told_from_now() {
        let now = 1_700_000_000_000;
        for (text, want) in [
            ("now", now),
            ("-2h", now - 7_200_000),
            ("now-1d12h", now - 129_600_000),
            ("now+5m", now + 300_000),
            ("2023-11-14", 1_699_920_000_000),
            ("-1", -1000),
            ("1700000000.5", now + 500),
        ] {
            assert_eq!(time_at(&"--start", text, now).unwrap(), want, "{text}");
        }
        for wrong in ["", "2h", "+2h", "nowish", "now2h", "now-", "-", "-2", "soon", "-é", "now-2"]
        {
            let read = time_at(&"--end", wrong, now);
            let is_seconds = wrong == "-2";
            assert_eq!(read.is_ok(), is_seconds, "{wrong}: {read:?}");
        }
    }
}

//! Prometheus blocks among the paths of a call: names and values of labels in place of lines.
//!
//! Each name and each value is looked at once, however many series have it:
//!
//! ```text
//! data/01M7YV9DA539J3RD3VS93JZGWY: __name__="http_requests_total" (72 series)
//! data/01M7YV9DA539J3RD3VS93JZGWY: method (2 values, 72 series)
//! ```
//!
//! A pattern with `=` in it is looked for in the label as it is printed too, so that a printed
//! label finds itself.

use std::path::{Path, PathBuf};

use anyhow::Result;
use manicule::series::query::{Occurrence, Work, log_left_out, occurrences, open_dealt};
use manicule::series::{Block, ShownLabel, ShownName};
use serde_json::{Value as Json, json};

use super::page::Rows;
use super::places::{Ask, Gaps, Hit, Place, Ranges, Take, own_or_whole};
use super::refusals::{FilesFlag, Order, Refusals};
use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::messages::Messages;
use crate::units::grouped;

impl Place for Block {
    type Counts = Work;

    const FIELDS: fn(&Self::Counts) -> Vec<(&'static str, u64)> = Self::Counts::fields;
    const REFUSALS: Refusals = Refusals {
        has: "a Prometheus block has names and values",
        files: &[FilesFlag::Size],
        order: Order::Path("blocks"),
    };
    const ROWS: Rows = Rows::Together;
    const TYPE: &'static str = "label";

    fn open(given: &Path, call: &Call, messages: &Messages) -> Result<Vec<Self>> {
        Ok(open_dealt(&call.deal, given, &mut |error| messages.failure(&error))?)
    }

    fn path(&self) -> &Path {
        self.path()
    }

    fn named_by(&self) -> Option<PathBuf> {
        Some(self.index_path())
    }

    fn left_out(given: &Path) -> Option<String> {
        let log = log_left_out(given)?;
        Some(format!("{}: labels that only this log has are left out", log.display()))
    }

    fn search(&self, ask: &Ask<'_>, work: &mut Work, take: &mut Take<'_>) -> Result<Gaps> {
        let is_inverted = ask.is_inverted();
        // A label is matched as it is printed, too, if a pattern may mean that.
        let with_labels = ask.has_any(&['=']);
        let held = ask.call.text().filter(|_| !is_inverted && !with_labels);
        let mut is_match = |name: &[u8], value: Option<&[u8]>| {
            let own = ask.texts.test(value.unwrap_or(name));
            let is_match = match value {
                Some(value) if with_labels && own == Some(false) => {
                    ask.texts.test(ShownLabel(name, value).to_string().as_bytes())
                }
                _ => own,
            };
            is_match.is_some_and(|is_match| is_match != is_inverted)
        };
        let held = held.unwrap_or_default();
        occurrences(self.index(), &held, &mut is_match, &mut |found| take(&found), work)?;
        Ok(Vec::new())
    }

    /// The index counts as the bytes searched.
    fn searched_len(&self, _: &Work, _: &Work) -> u64 {
        self.index().bytes().len() as u64
    }
}

impl Hit for Occurrence<'_> {
    /// `job="api"`; `job`.
    fn text(&self) -> Vec<u8> {
        match self.value {
            Some(value) => ShownLabel(self.name, value).to_string().into_bytes(),
            None => ShownName(self.name).to_string().into_bytes(),
        }
    }

    /// `2 series`; `3 values, 9 series`.
    fn uses(&self) -> Option<String> {
        let series = grouped(self.series_count);
        Some(match (self.value, self.value_count) {
            (Some(_), _) => format!("{series} series"),
            (None, 1) => format!("1 value, {series} series"),
            (None, count) => format!("{} values, {series} series", grouped(count)),
        })
    }

    /// In its value or name, or in the label as a whole.
    fn matches_in(&self, text: &[u8], matcher: &Matcher) -> Ranges {
        let own = self.value.unwrap_or(self.name);
        // A value is followed by its quote; a name may be in quotes.
        let quote_len = usize::from(text.ends_with(b"\""));
        own_or_whole(text, own, text.len().saturating_sub(quote_len + own.len()), matcher)
    }

    fn json(&self) -> Json {
        let text = |bytes: &[u8]| -> Json { String::from_utf8_lossy(bytes).into() };
        json!({
            "name": text(self.name),
            "value": self.value.map(text),
            "values": self.value_count,
            "series": self.series_count,
        })
    }
}

//! Prometheus blocks among the paths of a search: names and values of labels in place of lines.
//!
//! Each name and each value is looked at once, however many series have it:
//!
//! ```text
//! data/01M7YV9DA539J3RD3VS93JZGWY: __name__="http_requests_total" (72 series)
//! data/01M7YV9DA539J3RD3VS93JZGWY: method (2 values, 72 series)
//! ```
//!
//! A pattern with `=` in it is looked for in the label as it is shown too, so that a shown label
//! finds itself.

use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;

use super::places::{Ask, Gaps, Place, Take};
use super::refusals::{FilesOption, Order, Refusals};
use crate::failure::Failure;
use crate::find::face::Face;
use crate::find::hit::Item;
use crate::find::search::Search;
use crate::kinds::System;
use crate::series::query::{Work, log_left_out, occurrences, open_dealt};
use crate::series::{Block, BlockError, LeftOut, ShownLabel};

impl Place for Block {
    type Counts = Work;

    const FIELDS: fn(&Self::Counts) -> Vec<(&'static str, u64)> = Self::Counts::fields;
    const REFUSALS: Refusals = Refusals {
        has: "a Prometheus block has names and values",
        files: &[FilesOption::Size],
        order: Order::Path("blocks"),
    };
    const SYSTEM: System = System::PROMETHEUS;

    fn open(given: &Path, search: &Search, face: &dyn Face) -> Result<Vec<Self>, Failure> {
        let failed = &mut |error: BlockError| face.failure(error.into());
        let left_out = &mut |out: &LeftOut| face.note(&format!("{out}; the block is left out"));
        Ok(open_dealt(&search.deal, given, failed, left_out)?)
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

    fn search(&self, ask: &Ask<'_>, work: &mut Work, take: &mut Take<'_>) -> Result<Gaps, Failure> {
        let is_inverted = ask.is_inverted();
        // A label is matched as it is shown, too, if a pattern may mean that.
        let with_labels = ask.search.patterns.has_any(&['=']);
        let held = ask.search.text().filter(|_| !is_inverted && !with_labels);
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
        let mut take = |found| take(Item::Label(&found));
        occurrences(self.index(), &held, &mut is_match, &mut take, work)
            .map_err(|error| Failure::with_causes(ErrorClass::Damaged, &error))?;
        Ok(Vec::new())
    }

    /// The index counts as the bytes searched.
    fn searched_len(&self, _: &Work, _: &Work) -> u64 {
        self.index().bytes().len() as u64
    }
}

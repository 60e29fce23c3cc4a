//! SSTables among the paths of a call: keys, clusterings and values in place of lines.
//!
//! Each SSTable is searched by itself, and what it holds is printed as CQL writes it:
//!
//! ```text
//! users/me-1-big-Data.db: 'anvil'
//! users/me-1-big-Data.db: 'anvil' (2026, 'x') note = 'as light as an anvil'
//! users/me-1-big-Data.db: 'anvil' static owner = 'anvil works'
//! ```

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use manicule::rows::{self, FindCall, FindCounts, Found, FoundRow, OpenCall, Sstable};
use serde_json::{Value as Json, json};

use super::page::Rows;
use super::places::{Ask, Gaps, Hit, Place, Ranges, Take, on_one_line, shifted, shows_notes};
use super::refusals::{FilesFlag, Order, Refusals};
use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::messages::{Messages, say};

/// An SSTable, and the table that it is of.
pub(super) struct Table {
    given: Rc<Path>,
    table: Rc<rows::Table>,
    sstable: Sstable,
}

impl Place for Table {
    type Counts = FindCounts;

    const FIELDS: fn(&Self::Counts) -> Vec<(&'static str, u64)> = Self::Counts::fields;
    const REFUSALS: Refusals = Refusals {
        has: "an SSTable has keys and values",
        files: &[FilesFlag::Size],
        order: Order::Path("SSTables"),
    };
    const ROWS: Rows = Rows::InParts;
    const TYPE: &'static str = "cell";

    fn open(given: &Path, call: &Call, messages: &Messages) -> Result<Vec<Self>> {
        let table = rows::Table::open(&OpenCall::new(given.to_owned()))?;
        let sstables = table.sstables()?;
        if shows_notes(call, messages) {
            let out = sstables.left_out.iter();
            out.for_each(|out| say(&format_args!("{}: {}", out.path.display(), out.why)));
        }
        let (given, table) = (Rc::from(given), Rc::new(table));
        let of = |sstable| Table { given: Rc::clone(&given), table: Rc::clone(&table), sstable };
        Ok(sstables.list.into_iter().map(of).collect())
    }

    fn path(&self) -> &Path {
        self.sstable.path()
    }

    /// Those of a folder stay in the order of their generations.
    fn sorted_by(&self) -> &Path {
        &self.given
    }

    fn search(&self, ask: &Ask<'_>, counts: &mut FindCounts, take: &mut Take<'_>) -> Result<Gaps> {
        let is_match = |text: &[u8]| ask.texts.is_match(text);
        let call = FindCall { is_match: &is_match, is_inverted: ask.is_inverted() };
        let take = &mut |found: &Found<'_>| take(found);
        self.table.find(&self.sstable, &call, counts, ask.watch, take)?;
        Ok(Vec::new())
    }

    fn searched_len(&self, before: &FindCounts, after: &FindCounts) -> u64 {
        after.data_len - before.data_len
    }
}

impl Hit for Found<'_> {
    /// `'anvil' (2026, 'x') note = 'text'`, on one line whatever the texts hold.
    fn text(&self) -> Vec<u8> {
        let mut text = one_line(self.key).into_owned();
        // A String takes everything.
        let _ = match self.row {
            FoundRow::None => Ok(()),
            FoundRow::Static => write!(text, " static"),
            FoundRow::Row(row) => write!(text, " {}", one_line(row)),
        };
        if let Some((column, value)) = self.cell {
            let _ = write!(text, " {} = {}", one_line(column), one_line(value));
        }
        text.into_bytes()
    }

    /// In the part of a line that matches: the value, the clustering or the key.
    fn matches_in(&self, text: &[u8], matcher: &Matcher) -> Ranges {
        let part_len = match (self.cell, self.row) {
            (Some((column, value)), _) => one_line(column).len() + 3 + one_line(value).len(),
            (None, FoundRow::Row(row)) => one_line(row).len(),
            (None, _) => text.len(),
        };
        let start = text.len() - part_len;
        Ok(shifted(matcher.matches(&text[start..])?, start))
    }

    fn json(&self) -> Json {
        let row = match self.row {
            FoundRow::Row(row) => Some(row),
            FoundRow::None | FoundRow::Static => None,
        };
        json!({
            "key": self.key,
            "row": row,
            "static": self.row == FoundRow::Static,
            "column": self.cell.map(|(column, _)| column),
            "value": self.cell.map(|(_, value)| value),
        })
    }
}

fn one_line(text: &str) -> Cow<'_, str> {
    on_one_line(text, |char| char.escape_default().to_string())
}

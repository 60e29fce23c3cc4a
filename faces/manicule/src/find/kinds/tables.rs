//! SSTables among the paths of a search: keys, clusterings and values in place of lines.
//!
//! Each SSTable is searched by itself, and what it holds is shown as CQL writes it:
//!
//! ```text
//! users/me-1-big-Data.db: 'anvil'
//! users/me-1-big-Data.db: 'anvil' (2026, 'x') note = 'as light as an anvil'
//! users/me-1-big-Data.db: 'anvil' static owner = 'anvil works'
//! ```

use std::path::Path;
use std::rc::Rc;

use super::places::{Ask, Gaps, Place, Take};
use super::refusals::{FilesOption, Order, Refusals};
use crate::failure::Failure;
use crate::find::face::Face;
use crate::find::hit::Item;
use crate::find::search::Search;
use crate::kinds::System;
use crate::rows::{self, FindCall, FindCounts, Found, OpenCall, Sstable};

/// An SSTable, and the table that it is of.
pub(crate) struct Table {
    given: Rc<Path>,
    table: Rc<rows::Table>,
    sstable: Sstable,
}

impl Place for Table {
    type Counts = FindCounts;

    const FIELDS: fn(&Self::Counts) -> Vec<(&'static str, u64)> = Self::Counts::fields;
    const REFUSALS: Refusals = Refusals {
        has: "an SSTable has keys and values",
        files: &[FilesOption::Size],
        order: Order::Path("SSTables"),
    };
    const SYSTEM: System = System::CASSANDRA;
    const IS_LONG: bool = true;

    fn open(given: &Path, _: &Search, face: &dyn Face) -> Result<Vec<Self>, Failure> {
        let table = rows::Table::open(&OpenCall::new(given.to_owned()))?;
        let sstables = table.sstables()?;
        for out in &sstables.left_out {
            face.note(&format!("{}: {}", out.path.display(), out.why));
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

    fn search(
        &self,
        ask: &Ask<'_>,
        counts: &mut FindCounts,
        take: &mut Take<'_>,
    ) -> Result<Gaps, Failure> {
        let is_match = |text: &[u8]| ask.texts.is_match(text);
        let call = FindCall { is_match: &is_match, is_inverted: ask.is_inverted() };
        let take = &mut |found: &Found<'_>| take(Item::Cell(found));
        self.table
            .find(&self.sstable, &call, counts, ask.watch, take)
            .map_err(|error| Failure::with_causes(error.class(), &error))?;
        Ok(Vec::new())
    }

    fn searched_len(&self, before: &FindCounts, after: &FindCounts) -> u64 {
        after.data_len - before.data_len
    }
}

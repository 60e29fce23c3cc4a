//! Graph stores among the paths of a search: IRIs and literals in place of lines, with how they are
//! used.
//!
//! Each term is found once, as N-Triples writes it, however many quads name it:
//!
//! ```text
//! shop: <http://example.org/anvil> (subject of 12 quads, object of 3)
//! shop: "as light as an anvil"@en (object of 1 quad)
//! ```
//!
//! The text of an IRI or a literal is matched; a pattern with `"`, `<`, `>`, `@` or `^` in it is
//! looked for in the term as it is shown too, so that a shown term finds itself.

use std::path::Path;

use super::places::{Ask, Gaps, Place, Take};
use super::refusals::{FilesOption, Order, Refusals};
use crate::failure::Failure;
use crate::find::face::Face;
use crate::find::hit::Item;
use crate::find::search::Search;
use crate::graph::{FindCall, FindCounts, Store};
use crate::kinds::System;

/// Characters that a pattern may have of a term as it is shown.
const WRITTEN: [char; 5] = ['"', '<', '>', '@', '^'];

impl Place for Store {
    type Counts = FindCounts;

    const FIELDS: fn(&Self::Counts) -> Vec<(&'static str, u64)> = Self::Counts::fields;
    const REFUSALS: Refusals = Refusals {
        has: "a graph store has terms",
        files: &[FilesOption::Names, FilesOption::Depth, FilesOption::Size],
        order: Order::Path("graph stores"),
    };
    const SYSTEM: System = System::GRAPH;
    const IS_LONG: bool = true;

    fn open(given: &Path, _: &Search, _: &dyn Face) -> Result<Vec<Self>, Failure> {
        Ok(vec![Store::open(given)?])
    }

    fn path(&self) -> &Path {
        self.path()
    }

    fn search(
        &self,
        ask: &Ask<'_>,
        counts: &mut FindCounts,
        take: &mut Take<'_>,
    ) -> Result<Gaps, Failure> {
        let is_match = |text: &[u8]| ask.texts.is_match(text);
        let with_written = ask.search.patterns.has_any(&WRITTEN);
        let is_inverted = ask.is_inverted();
        let call = FindCall { is_match: &is_match, with_written, is_inverted };
        Store::find(self, &call, counts, ask.watch, &mut |found| take(Item::Term(found)))
            .map_err(|error| Failure::with_causes(error.class(), &error))?;
        Ok(Vec::new())
    }

    /// The texts of its terms count as the bytes searched.
    fn searched_len(&self, before: &FindCounts, after: &FindCounts) -> u64 {
        after.terms_len - before.terms_len
    }
}

//! The hits of an index without lines, as rows: a row for each, or only the index's path, or their
//! number.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::Instant;

use manicule::code::tree::Flow;
use manicule::find::{Hit, IndexPlace, Item, Page as HitPage, PlaceEnd};
use manicule::json::Json;
use manicule::{ErrorClass, Failure};
use serde_json::json;

use super::call::Call;
use super::output::Room;
use super::page::{Page, Printed};
use super::tally::Tally;
use super::uses::uses;
use crate::flags::{Find, Mode};
use crate::print::{self, typed};
use crate::progress::Line;

/// Prints the hits of one index.
pub(super) struct Rows<'c> {
    page: Page<'c>,
    tally: &'c Tally<'c>,
    line: Option<&'c Line>,
    printed: Printed,
    started: Instant,
}

impl<'c> Rows<'c> {
    pub(super) fn new(
        call: &'c Call,
        place: IndexPlace<'c>,
        tally: &'c Tally<'c>,
        line: Option<&'c Line>,
    ) -> Self {
        let printed = if place.is_long { Printed::InParts } else { Printed::Together };
        let page = Page::new(call, place.path, tally);
        Rows { page, tally, line, printed, started: Instant::now() }
    }

    fn publish(&self) -> Flow {
        match self.page.publish(self.tally) {
            Room::More => Flow::Continue,
            Room::Full => Flow::Quit,
        }
    }
}

impl HitPage for Rows<'_> {
    fn hit(&mut self, hit: &Hit<'_>) -> Result<ControlFlow<()>, Failure> {
        take(&mut self.page, hit)?;
        Ok(self.page.pass(self.printed, self.tally))
    }

    fn end(&mut self, end: PlaceEnd) -> Flow {
        if let Some(line) = self.line {
            line.clear();
        }
        end.failures.iter().for_each(|failure| self.tally.messages.failure(failure));
        match self.page.end(end.searched_len, self.started.elapsed(), self.tally) {
            Ok(()) => self.publish(),
            Err(error) => self.tally.lose(error),
        }
    }

    fn listed(&mut self) -> Flow {
        match self.page.list() {
            Ok(()) => self.publish(),
            Err(error) => self.tally.lose(error),
        }
    }
}

/// Counts a hit and its matches, and prints its row.
fn take(page: &mut Page<'_>, hit: &Hit<'_>) -> Result<(), Failure> {
    page.count += 1;
    page.count_matches(|| hit.matches_in(&hit.text()))?;
    match page.call.mode {
        _ if page.call.options.quiet => Ok(()),
        Mode::Search(Find::Json) => written(put_json(page, hit)),
        Mode::Search(Find::Lines) => {
            let text = hit.text();
            let matches = if page.is_colored() { hit.matches_in(&text)? } else { Vec::new() };
            written(page.begin_row().and_then(|()| page.write_text(&text, matches)))?;
            written(match uses(&hit.item) {
                Some(uses) => writeln!(page.buffer, " ({uses})"),
                None => writeln!(page.buffer),
            })
        }
        _ => Ok(()),
    }
}

fn put_json(page: &mut Page<'_>, hit: &Hit<'_>) -> io::Result<()> {
    let mut data = serde_json::to_value(Json(&hit.item))?;
    data["path"] = json!({ "text": print::path(page.path) });
    writeln!(page.buffer, "{}", typed(kind(&hit.item), json!({ "data": data })))
}

/// `type` of a row's object.
fn kind(item: &Item<'_>) -> &'static str {
    match item {
        Item::Line(_) => "match",
        Item::Document { .. } => "document",
        Item::Label(_) => "label",
        Item::Cell(_) => "cell",
        Item::Path(_) => "snapshot_path",
        Item::Term(_) => "term",
        Item::Entry(entry) => entry.word,
    }
}

fn written(result: io::Result<()>) -> Result<(), Failure> {
    result.map_err(|error| Failure::new(ErrorClass::of_io(&error), error))
}

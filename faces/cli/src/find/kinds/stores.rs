//! Graph stores among the paths of a call: IRIs and literals in place of lines, with how they are
//! used.
//!
//! Each term is printed once, as N-Triples writes it, however many quads name it:
//!
//! ```text
//! shop: <http://example.org/anvil> (subject of 12 quads, object of 3)
//! shop: "as light as an anvil"@en (object of 1 quad)
//! ```
//!
//! The text of an IRI or a literal is matched; a pattern with `"`, `<`, `>`, `@` or `^` in it is
//! looked for in the term as it is printed too, so that a printed term finds itself.

use std::path::Path;

use anyhow::Result;
use manicule::graph::{FindCall, FindCounts, Found, Store, TermRef, Uses, put_term};
use serde_json::{Value as Json, json};

use super::page::Rows;
use super::places::{Ask, Gaps, Hit, Place, Ranges, Take, on_one_line, own_or_whole};
use super::refusals::{FilesFlag, Order, Refusals};
use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::messages::Messages;
use crate::units::{counted, grouped};

/// Characters that a pattern may have of a term as it is printed.
const WRITTEN: [char; 5] = ['"', '<', '>', '@', '^'];

impl Place for Store {
    type Counts = FindCounts;

    const FIELDS: fn(&Self::Counts) -> Vec<(&'static str, u64)> = Self::Counts::fields;
    const REFUSALS: Refusals = Refusals {
        has: "a graph store has terms",
        files: &[FilesFlag::Names, FilesFlag::Depth, FilesFlag::Size],
        order: Order::Path("graph stores"),
    };
    const ROWS: Rows = Rows::InParts;
    const TYPE: &'static str = "term";

    fn open(given: &Path, _: &Call, _: &Messages) -> Result<Vec<Self>> {
        Ok(vec![Store::open(given)?])
    }

    fn path(&self) -> &Path {
        self.path()
    }

    fn search(&self, ask: &Ask<'_>, counts: &mut FindCounts, take: &mut Take<'_>) -> Result<Gaps> {
        let is_match = |text: &[u8]| ask.texts.is_match(text);
        let (with_written, is_inverted) = (ask.has_any(&WRITTEN), ask.is_inverted());
        let call = FindCall { is_match: &is_match, with_written, is_inverted };
        Store::find(self, &call, counts, ask.watch, &mut |found| take(found))?;
        Ok(Vec::new())
    }

    /// The texts of its terms count as the bytes searched.
    fn searched_len(&self, before: &FindCounts, after: &FindCounts) -> u64 {
        after.terms_len - before.terms_len
    }
}

impl Hit for Found<'_> {
    /// As N-Triples writes it, without control characters: those are escaped.
    fn text(&self) -> Vec<u8> {
        let mut line = Vec::new();
        put_term(self.term, &mut line);
        let text = String::from_utf8_lossy(&line);
        let escape = |char| format!("\\u{:04X}", u32::from(char));
        on_one_line(&text, escape).into_owned().into_bytes()
    }

    /// `subject of 12 quads, object of 3`.
    fn uses(&self) -> Option<String> {
        let Uses { subject, predicate, object, graph } = self.uses;
        let places =
            [("subject", subject), ("predicate", predicate), ("object", object), ("graph", graph)];
        let mut text = String::new();
        for (place, count) in places.into_iter().filter(|(_, count)| *count > 0) {
            text += &if text.is_empty() {
                format!("{place} of {}", counted(count, "quad"))
            } else {
                format!(", {place} of {}", grouped(count))
            };
        }
        Some(text)
    }

    /// In its text, or in the term as a whole. None if the text is not printed as it is.
    fn matches_in(&self, text: &[u8], matcher: &Matcher) -> Ranges {
        let (own, ..) = parts(self.term);
        // After the bracket or the quote.
        if text.get(1..).is_none_or(|rest| !rest.starts_with(own.as_bytes())) {
            return Ok(Vec::new());
        }
        own_or_whole(text, own.as_bytes(), 1, matcher)
    }

    fn json(&self) -> Json {
        let (text, language, datatype) = parts(self.term);
        let kind = if matches!(self.term, TermRef::Iri(_)) { "iri" } else { "literal" };
        let Uses { subject, predicate, object, graph } = self.uses;
        json!({
            "kind": kind,
            "value": text,
            "language": language,
            "datatype": datatype,
            "subject": subject,
            "predicate": predicate,
            "object": object,
            "graph": graph,
        })
    }
}

/// Its own text, and the parts of a literal: language tag, datatype.
fn parts(term: TermRef<'_>) -> (&str, Option<&str>, Option<&str>) {
    match term {
        TermRef::Blank(_) => ("", None, None),
        TermRef::Iri(text) | TermRef::Simple(text) => (text, None, None),
        TermRef::Tagged(text, language) => (text, Some(language), None),
        TermRef::Typed(text, datatype) => (text, None, Some(datatype)),
    }
}

//! Items as JSON: what `--json` prints of a label, a cell, a path, a term, an entry.

use std::borrow::Cow;

use serde::ser::SerializeMap;

use super::term::parts;
use crate::blobs::Kept;
use crate::blobs::paths::PathRow;
use crate::find::hit::Item;
use crate::graph::{Found as Term, TermRef, put_term};
use crate::json::{Entry, Json, Report, Shown, report, text};
use crate::rows::{Found as Cell, FoundRow};
use crate::series::query::Occurrence;

impl Report for Item<'_> {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        match self {
            Item::Line(line) => {
                to.serialize_entry("line_number", &line.number)?;
                to.serialize_entry("byte_offset", &line.offset)?;
                to.serialize_entry("text", &text(line.text))
            }
            Item::Document { nul_offset } => to.serialize_entry("nul_offset", nul_offset),
            Item::Label(label) => label.entries(to),
            Item::Cell(cell) => cell.entries(to),
            Item::Path(row) => row.entries(to),
            Item::Term(term) => term.entries(to),
            Item::Entry(entry) => {
                let json = (entry.json)();
                let mut fields = json.as_object().into_iter().flatten();
                fields.try_for_each(|(name, value)| to.serialize_entry(name, value))
            }
        }
    }
}

report!(label: Occurrence<'_> {
    name: String::from_utf8_lossy(label.name),
    value: label.value.map(String::from_utf8_lossy),
    values = value_count,
    series = series_count,
});

report!(cell: Cell<'_> {
    key,
    row: match cell.row {
        FoundRow::Row(row) => Some(row),
        FoundRow::None | FoundRow::Static => None,
    },
    static: cell.row == FoundRow::Static,
    column: cell.cell.map(|(column, _)| column),
    value: cell.cell.map(|(_, value)| value),
});

report!(row: PathRow<'_> {
    name: String::from_utf8_lossy(row.path),
    snapshots = snapshot_count,
    first: Json(Snapshot(row.first)),
    last: Json(Snapshot(row.last)),
});

/// A snapshot by id and time.
struct Snapshot<'s>(&'s Kept);

report!(of: Snapshot<'_> { id: Shown(of.0.id), time: Shown(&of.0.snapshot.time) });

report!(term: Term<'_> {
    kind: match term.term {
        TermRef::Iri(_) => "iri",
        TermRef::Triple(_) => "triple",
        _ => "literal",
    },
    value: value(term.term),
    language: parts(term.term).1,
    datatype: parts(term.term).2,
    subject: term.uses.subject,
    predicate: term.uses.predicate,
    object: term.uses.object,
    graph: term.uses.graph;
    Entry("direction", direction(term.term)),
});

/// Its own text; of a triple term what N-Triples writes.
fn value(term: TermRef<'_>) -> Cow<'_, str> {
    let TermRef::Triple(_) = term else { return parts(term).0.into() };
    let mut text = Vec::new();
    put_term(term, &mut text);
    String::from_utf8_lossy(&text).into_owned().into()
}

fn direction(term: TermRef<'_>) -> Option<&'static str> {
    match term {
        TermRef::Directional(_, _, direction) => Some(direction.name()),
        _ => None,
    }
}

//! What follows a row in parentheses: how often it is there, and where.

use manicule::blobs::Kept;
use manicule::blobs::paths::PathRow;
use manicule::find::Item;
use manicule::graph::Uses;
use manicule::series::query::Occurrence;

use crate::units::{counted, grouped};

/// How often an item is there, and where; `None` where that is said by its text.
pub(super) fn uses(item: &Item<'_>) -> Option<String> {
    match item {
        Item::Label(label) => Some(of_label(label)),
        Item::Path(row) => Some(of_path(row)),
        Item::Term(term) => Some(of_term(term.uses)),
        Item::Line(_) | Item::Document { .. } | Item::Cell(_) | Item::Entry(_) => None,
    }
}

/// `2 series`; `3 values, 9 series`.
fn of_label(label: &Occurrence<'_>) -> String {
    let series = grouped(label.series_count);
    match (label.value, label.value_count) {
        (Some(_), _) => format!("{series} series"),
        (None, 1) => format!("1 value, {series} series"),
        (None, count) => format!("{} values, {series} series", grouped(count)),
    }
}

/// `1 snapshot, 2026-01-01 90b1ecba`; of several, the first and the last.
fn of_path(row: &PathRow<'_>) -> String {
    let count = counted(row.snapshot_count as u64, "snapshot");
    match row.snapshot_count {
        1 => format!("{count}, {}", day_and_id(row.first)),
        _ => format!("{count}, {} to {}", day_and_id(row.first), day_and_id(row.last)),
    }
}

fn day_and_id(kept: &Kept) -> String {
    let time = kept.snapshot.time.to_string();
    let day = time.split('T').next().unwrap_or_default();
    format!("{day} {}", kept.id.short())
}

/// `subject of 12 quads, object of 3`.
fn of_term(uses: Uses) -> String {
    let Uses { subject, predicate, object, graph } = uses;
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
    text
}

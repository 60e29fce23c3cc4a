//! Values of repositories as columns have them.

use crate::answer::{Column, Rows};
use crate::blobs::{Id, Time};

/// Microseconds since 1970, rounded down.
pub(super) fn micros(time: Time) -> i64 {
    let micros = time.moment.seconds.saturating_mul(1_000_000);
    micros.saturating_add(i64::from(time.moment.nanos / 1000))
}

pub(super) fn push_id(rows: &mut Rows<'_>, at: usize, id: &Id) {
    if let Some(column) = rows.column(at) {
        column.text(digits(&id.digits()));
    }
}

/// Pushes a list of ids.
pub(super) fn push_ids(rows: &mut Rows<'_>, at: usize, ids: &[Id]) {
    if let Some(column) = rows.column(at) {
        let push = |items: &mut Column| {
            ids.iter().for_each(|id| items.text(digits(&id.digits())));
        };
        column.list(push);
    }
}

/// Pushes a text, which lacks if it is empty.
pub(super) fn push_text(rows: &mut Rows<'_>, at: usize, text: &str) {
    if !text.is_empty() {
        rows.text(at, text);
    }
}

pub(super) fn digits(digits: &[u8; 64]) -> &str {
    str::from_utf8(digits).expect("digits are ASCII")
}

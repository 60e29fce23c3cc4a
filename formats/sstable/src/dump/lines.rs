//! The internal representation, a line each: what sstabledump prints with `-d`.
//!
//! Its own habits are kept: the first row of a partition has the partition's position, a collection
//! without a deletion leaves an empty place, fields of a user-defined type are hexadecimal digits
//! without their name.

use manicule_core::bytes::DecodeError;

use super::{Dump, DumpForm, DumpPlace, json};
use crate::data::{Cell, Marker, Row, RowPart, Shards, Unfiltered};
use crate::deletion::{Deletion, NO_TIMESTAMP};
use crate::header::Column;
use crate::prefix::{Prefix, PrefixKind};
use crate::types::{Elements, PlainForm, Type};

impl Dump<'_> {
    pub(super) fn begin_lines(&mut self, key: &[u8], place: &DumpPlace, out: &mut String) {
        self.lines.front.clear();
        self.lines.front.push('[');
        self.header.key.put_plain(key, self.plain, &mut self.lines.front);
        self.lines.front.push_str("]@");
        let position = if self.form.position_of_rows { place.rows_at } else { place.at };
        self.lines.position = Some(position);
        if !place.deletion.is_live() {
            self.put_front(position, out);
            put_deletion(&place.deletion, out);
            out.push('\n');
        }
    }

    pub(super) fn line(
        &mut self,
        unfiltered: &Unfiltered<'_>,
        out: &mut String,
    ) -> Result<(), DecodeError> {
        let at = match unfiltered {
            Unfiltered::Row(row) => row.at,
            Unfiltered::Marker(marker) => marker.at,
            Unfiltered::End => return Ok(()),
        };
        let is_static = matches!(unfiltered, Unfiltered::Row(row) if row.is_static);
        self.put_front(self.lines.position.unwrap_or(at), out);
        match unfiltered {
            Unfiltered::Row(row) => self.row_line(row, out)?,
            Unfiltered::Marker(marker) => self.marker_line(marker, out),
            Unfiltered::End => {}
        }
        out.push('\n');
        if !is_static {
            self.lines.position = None;
        }
        Ok(())
    }

    fn put_front(&self, position: u64, out: &mut String) {
        out.push_str(&self.lines.front);
        json::put_number(position, out);
        out.push(' ');
    }

    fn row_line(&self, row: &Row<'_>, out: &mut String) -> Result<(), DecodeError> {
        out.push_str("Row[info=[ts=");
        json::put_number(row.liveness.map_or(NO_TIMESTAMP, |liveness| liveness.timestamp), out);
        if let Some(liveness) = row.liveness.filter(|liveness| liveness.ttl != 0) {
            out.push_str(" ttl=");
            json::put_number(liveness.ttl, out);
            out.push_str(", let=");
            json::put_number(liveness.expires, out);
        }
        out.push(']');
        let (own, shadowable) = (&row.deletion, &row.shadowable);
        let is_superseded = shadowable.supersedes(own);
        let deletion = if is_superseded { shadowable } else { own };
        if !deletion.is_live() {
            out.push_str(" del=");
            put_deletion(deletion, out);
            out.push_str(if is_superseded { "(shadowable)" } else { "" });
        }
        out.push_str(" ]: ");
        if row.is_static {
            out.push_str("STATIC")
        } else {
            self.put_values(&row.prefix(), out)
        }
        out.push_str(" | ");
        self.cell_line(row, out)
    }

    fn cell_line(&self, row: &Row<'_>, out: &mut String) -> Result<(), DecodeError> {
        let columns = self.header.columns(row.is_static);
        let mut is_first = true;
        for part in row.cells(self.shape) {
            out.push_str(if is_first { "" } else { ", " });
            is_first = false;
            match part? {
                RowPart::Complex { deletion, .. } if deletion.is_live() => {}
                RowPart::Complex { column, deletion, .. } => {
                    out.push_str("del(");
                    out.push_str(&String::from_utf8_lossy(&columns[column].name));
                    out.push_str(")=");
                    put_deletion(&deletion, out);
                }
                RowPart::Cell(cell) => self.put_cell(&columns[cell.column], &cell, out),
            }
        }
        Ok(())
    }

    fn put_cell(&self, column: &Column, cell: &Cell<'_>, out: &mut String) {
        out.push('[');
        out.push_str(&String::from_utf8_lossy(&column.name));
        let kind = column.kind.ascending();
        let (path, value) = match kind {
            Type::List { element, .. } => (Some(&Type::Timeuuid), &**element),
            Type::Set { element, .. } => (Some(&**element), &Type::Empty),
            Type::Map { key, value, .. } => (Some(&**key), &**value),
            kind => (None, kind),
        };
        if let (Some(kind), Some(path)) = (path, cell.path) {
            out.push('[');
            kind.put_plain(path, self.plain, out);
            out.push(']');
        }
        out.push('=');
        // 3.11 has no word for a deleted element of a collection.
        let is_silent = cell.path.is_some() && path.is_some() && self.plain == PlainForm::Old;
        if cell.is_deleted {
            out.push_str(if is_silent { "" } else { "<tombstone>" });
        } else if let (Type::Counter, Ok(shards)) = (kind, Shards::open(cell.value, cell.at)) {
            json::put_number(shards.total(), out);
        } else if let (Type::User(_), Some(_)) = (kind, cell.path) {
            // It takes the field's value for one of the whole type.
            if is_of_type(kind, cell.value) {
                kind.put_plain(cell.value, self.plain, out)
            } else {
                out.push_str("0x");
                Type::Blob.put_plain(cell.value, self.plain, out);
            }
        } else {
            let value = if cell.path.is_some() { value } else { kind };
            value.put_plain(cell.value, self.plain, out);
        }
        out.push_str(" ts=");
        json::put_number(cell.timestamp, out);
        if cell.is_expiring() {
            out.push_str(" ttl=");
            json::put_number(cell.ttl, out);
        }
        if cell.is_expiring() || cell.is_deleted {
            out.push_str(" ldt=");
            json::put_number(cell.local_time, out);
        }
        out.push(']');
    }

    fn marker_line(&self, marker: &Marker<'_>, out: &mut String) {
        out.push_str("Marker ");
        out.push_str(match marker.prefix.kind {
            PrefixKind::ExclusiveEnd => "EXCL_END_BOUND",
            PrefixKind::InclusiveStart => "INCL_START_BOUND",
            PrefixKind::ExclusiveEndInclusiveStart => "EXCL_END_INCL_START_BOUNDARY",
            PrefixKind::InclusiveEndExclusiveStart => "INCL_END_EXCL_START_BOUNDARY",
            PrefixKind::InclusiveEnd => "INCL_END_BOUND",
            PrefixKind::ExclusiveStart => "EXCL_START_BOUND",
            PrefixKind::Static | PrefixKind::Row => unreachable!("a marker is a bound"),
        });
        out.push('(');
        self.put_values(&marker.prefix, out);
        out.push_str(")@");
        let deletions = [marker.ends, marker.begins];
        for (place, deletion) in deletions.iter().flatten().enumerate() {
            out.push_str(if place > 0 { "-" } else { "" });
            json::put_number(deletion.marked_at, out);
            out.push('/');
            json::put_number(deletion.local_time, out);
        }
    }

    /// The clustering values of a row or bound.
    fn put_values(&self, prefix: &Prefix<'_>, out: &mut String) {
        let kinds = &self.header.clustering;
        for (place, (value, kind)) in prefix.values(kinds).zip(kinds).enumerate() {
            out.push_str(if place > 0 { ", " } else { "" });
            // Bounds are plain in all versions.
            let is_row = prefix.kind == PrefixKind::Row;
            match value {
                None => out.push_str("null"),
                Some(value) if is_row && self.plain == PlainForm::New => {
                    put_cql(kind, value, &self.form, out);
                }
                Some(value) => kind.put_plain(value, self.plain, out),
            }
        }
    }
}

/// A value as the later tools print it in a clustering: as CQL, but times in the form of keys.
fn put_cql(kind: &Type, value: &[u8], form: &DumpForm, out: &mut String) {
    let is_time = matches!(
        kind.ascending(),
        Type::Timestamp | Type::LegacyTimestamp | Type::Date | Type::Time | Type::Inet
    );
    if !is_time {
        return kind.put_literal(Some(value), out);
    }
    let quote = if form.has_quoted_times { "'" } else { "" };
    out.push_str(quote);
    kind.put_plain(value, PlainForm::New, out);
    out.push_str(quote);
}

/// Whether a value can be read as one of a type, as far as lengths say.
fn is_of_type(kind: &Type, value: &[u8]) -> bool {
    let kinds: Vec<&Type> = match kind {
        Type::User(user) => user.fields.iter().map(|(_, kind)| kind).collect(),
        Type::Tuple { fields, .. } => fields.iter().collect(),
        kind => return value.is_empty() || kind.fixed_width().is_none_or(|len| len == value.len()),
    };
    let (mut elements, mut kinds) = (Elements::of_tuple(value), kinds.into_iter());
    let is_field = |part: Option<&[u8]>| {
        kinds.next().is_some_and(|kind| part.is_none_or(|part| is_of_type(kind, part)))
    };
    elements.by_ref().all(is_field) && elements.is_whole()
}

fn put_deletion(deletion: &Deletion, out: &mut String) {
    out.push_str("deletedAt=");
    json::put_number(deletion.marked_at, out);
    out.push_str(", localDeletion=");
    json::put_number(deletion.local_time, out);
}

//! Rows as lines for people: clustering first, then names and values as CQL writes them.

use std::fmt::Write;

use manicule::rows::{
    CellPath, Deletion, Liveness, MergedCell, MergedCells, MergedColumn, MergedColumns,
    MergedMarker, MergedRow, PrefixBuf, Slice, SliceItem, Type, put_instant, put_instant_micros,
    quoted_name,
};

use super::form::{Rows, Shown, clustering, column, key};
use crate::shown::shown;

/// Longest value that is printed whole, in characters.
const VALUE_LEN_MAX: usize = 100;

/// Prints rows as lines.
pub(super) struct TextRows {
    shown: Shown,
    columns: Option<MergedColumns>,
    count: u64,
}

impl TextRows {
    pub(super) fn new(shown: Shown) -> Self {
        TextRows { shown, columns: None, count: 0 }
    }

    fn row(&self, slice: &Slice, row: &MergedRow, is_static: bool, out: &mut String) {
        let has_place = is_static || !slice.clustering().is_empty();
        if is_static {
            out.push_str("static");
        } else if has_place {
            put_place(slice, &row.clustering, out);
        }
        let mut parts = Vec::new();
        if self.shown.is_own {
            parts.extend(row.liveness.as_ref().map(written_row));
            for (what, deletion) in [("deleted", row.deletion), ("shadowed", row.shadowable)] {
                if !deletion.is_live() {
                    parts.push(format!("{what} [{}]", deleted(&deletion)));
                }
            }
        }
        let columns = self.columns.as_ref().expect("a partition begins before its rows");
        for cells in &row.columns {
            self.put_column(slice, column(columns, is_static, cells), cells, &mut parts);
        }
        if parts.is_empty() && !has_place {
            out.push_str("a row without values");
        }
        let colon = if has_place && !parts.is_empty() { ": " } else { "" };
        let _ = write!(out, "{colon}{}", parts.join(", "));
    }

    /// A column as one value, or, with what is beside values, cell by cell.
    fn put_column(
        &self,
        slice: &Slice,
        column: &MergedColumn,
        cells: &MergedCells,
        parts: &mut Vec<String>,
    ) {
        let (name, kind) = (quoted_name(&column.name), &column.kind);
        if !self.shown.is_own && !self.shown.has_times && !self.shown.has_sources {
            parts.push(format!("{name} = {}", literal(kind, cells.value(kind).as_deref())));
            return;
        }
        if !cells.deletion.is_live() {
            parts.push(format!("{name} deleted [{}]", deleted(&cells.deletion)));
        }
        for cell in &cells.cells {
            let mut text = format!("{name}{}", path(kind, cell));
            if let Some((kind, value)) = cell.value_of(kind) {
                let _ = write!(text, " = {}", literal(kind, Some(&value)));
            }
            if cell.is_deleted {
                text.push_str(" deleted");
            }
            let beside = self.beside(slice, cell);
            if !beside.is_empty() {
                let _ = write!(text, " [{}]", beside.join(", "));
            }
            parts.push(text);
        }
    }

    fn beside(&self, slice: &Slice, cell: &MergedCell) -> Vec<String> {
        let mut beside = Vec::new();
        if self.shown.has_times || self.shown.is_own {
            beside.push(micros(cell.timestamp));
            if cell.ttl != 0 {
                beside.push(format!("TTL {} until {}", cell.ttl, seconds(cell.local_time)));
            } else if cell.is_deleted {
                beside.push(format!("since {}", seconds(cell.local_time)));
            }
        }
        if self.shown.has_sources {
            beside.push(slice.file_name(cell.source));
        }
        beside
    }
}

impl Rows for TextRows {
    fn part(&mut self, slice: &Slice, item: SliceItem<'_>, out: &mut String) {
        let mut line = String::new();
        match item {
            SliceItem::Partition { source, deletion, columns } => {
                self.columns = Some(columns.clone());
                put_head(slice, source, &deletion, &mut line);
                self.count += u64::from(self.shown.is_own);
            }
            SliceItem::Static(row) => {
                self.row(slice, row, true, &mut line);
                self.count += u64::from(self.shown.is_whole);
            }
            SliceItem::Row(row) => {
                self.row(slice, row, false, &mut line);
                self.count += 1;
            }
            SliceItem::Marker(marker) => put_marker(slice, marker, &mut line),
        }
        // Names and values are somebody else's: none of them breaks a line, or talks to a terminal.
        out.push_str(&shown(line.as_bytes()));
        out.push('\n');
    }

    fn end(&mut self, _: &Slice, _: &mut String) {}

    fn count(&self) -> u64 {
        self.count
    }
}

/// The line above the rows: table and key, and the partition's deletion.
fn put_head(slice: &Slice, source: Option<usize>, deletion: &Deletion, out: &mut String) {
    out.push_str("-- ");
    if let Some(source) = source {
        let _ = write!(out, "{}: ", slice.file_name(source));
    }
    let names = &slice.named.names;
    let name = |name: &String| quoted_name(name.as_bytes());
    let _ = write!(out, "{}.{}", name(&names.keyspace), name(&names.table));
    for (index, (name, kind, value)) in key(slice).enumerate() {
        let before = if index == 0 { " where " } else { " and " };
        let _ = write!(out, "{before}{} = {}", quoted_name(name.as_bytes()), literal(kind, value));
    }
    if !names.clustering.is_empty() {
        let clustering: Vec<String> = names.clustering.iter().map(name).collect();
        let _ = write!(out, ", rows by ({})", clustering.join(", "));
    }
    if !deletion.is_live() {
        let _ = write!(out, "; the partition was deleted [{}]", deleted(deletion));
    }
}

fn put_marker(slice: &Slice, marker: &MergedMarker, out: &mut String) {
    let is_after = marker.prefix.as_prefix().kind.is_after();
    out.push_str(if is_after { "after " } else { "before " });
    put_place(slice, &marker.prefix, out);
    let mut before = ": a range deletion";
    for (what, deletion) in [("ends", marker.closes), ("begins", marker.opens)] {
        if let Some(deletion) = deletion {
            let _ = write!(out, "{before} {what} [{}]", deleted(&deletion));
            before = ", another";
        }
    }
}

/// Clustering values as bounds are written.
fn put_place(slice: &Slice, prefix: &PrefixBuf, out: &mut String) {
    out.push('(');
    for (index, (_, kind, value)) in clustering(slice, prefix).enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        kind.put_literal(value, out);
    }
    out.push(')');
}

/// What follows a column's name in an element's.
fn path(kind: &Type, cell: &MergedCell) -> String {
    match (cell.path_of(kind), kind) {
        (CellPath::None, _) => String::new(),
        (CellPath::Field(name), _) => format!(".{}", quoted_name(name)),
        (CellPath::Value(of, path), Type::Set { .. }) => format!("{{{}}}", literal(of, Some(path))),
        (CellPath::Value(of, path), _) => format!("[{}]", literal(of, Some(path))),
    }
}

/// A value as CQL writes it, cut where it is long.
fn literal(kind: &Type, value: Option<&[u8]>) -> String {
    let mut text = String::new();
    kind.put_literal(value, &mut text);
    let text = shown(text.as_bytes());
    match text.char_indices().nth(VALUE_LEN_MAX) {
        None => text.into_owned(),
        Some((end, _)) => {
            format!("{}... ({} bytes)", &text[..end], value.map_or(0, <[u8]>::len))
        }
    }
}

fn written_row(liveness: &Liveness) -> String {
    let written = micros(liveness.timestamp);
    match liveness.ttl {
        0 => format!("written [{written}]"),
        ttl => format!("written [{written}, TTL {ttl} until {}]", seconds(liveness.expires)),
    }
}

/// What a deletion hides, and when it was made.
fn deleted(deletion: &Deletion) -> String {
    format!("up to {}, since {}", micros(deletion.marked_at), seconds(deletion.local_time))
}

fn micros(micros: i64) -> String {
    let mut text = String::new();
    put_instant_micros(micros, &mut text);
    text
}

fn seconds(seconds: i64) -> String {
    let mut text = String::new();
    put_instant(seconds, 0, &mut text);
    text
}

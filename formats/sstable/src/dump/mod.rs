//! The contents of a table as sstabledump prints them: one JSON array, an object a partition; its
//! keys alone; or a line an unfiltered.
//!
//! Spaces and line breaks are those of sstabledump, which sets short objects on one line and breaks
//! the line inside of some; so is what it prints as a position. A value that its type doesn't allow
//! ends sstabledump; here it is printed as `""` or in hexadecimal digits.
//!
//! Bytes:   docs/formats/sstable.md, "sstabledump"

mod cells;
mod json;
mod layout;
mod lines;

use manicule_core::bytes::DecodeError;

use crate::data::{Liveness, Marker, Row, RowShape, Unfiltered};
use crate::deletion::Deletion;
use crate::header::Header;
use crate::prefix::{Prefix, PrefixKind};
use crate::types::{PlainForm, put_instant, put_instant_micros};
use crate::version::Version;
use layout::{Items, Lines};

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpLayout {
    /// Everything, as JSON.
    Json,
    /// Everything in the tool's internal representation, a line each, as with `-d`. Times are raw.
    Lines,
    /// Keys alone, as JSON, as with `-e`.
    Keys,
}

/// What differs between dumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DumpForm {
    /// What is printed.
    pub layout: DumpLayout,
    /// Whether each partition has the line `"table kind"`, as from Cassandra 5.0 on.
    pub has_table_kind: bool,
    /// Whether a partition's position is that of its first row or marker, as in Cassandra 6.0.
    pub position_of_rows: bool,
    /// Whether times are numbers as they are stored, as with `-t`.
    pub has_raw_times: bool,
    /// Whether lines have times in clusterings in quotes, as from Cassandra 5.0 on.
    pub has_quoted_times: bool,
    /// The time in seconds since 1970 by which something has expired.
    pub now: i64,
}

impl DumpForm {
    /// The form of the release that writes a version; `now` in seconds since 1970.
    pub fn of(version: Version, now: i64) -> DumpForm {
        let has_table_kind = version.has_covered_slice();
        let is_latest = matches!(version, Version::Pa | Version::Ea);
        DumpForm {
            layout: DumpLayout::Json,
            has_table_kind,
            position_of_rows: is_latest,
            has_raw_times: false,
            has_quoted_times: has_table_kind,
            now,
        }
    }
}

/// Where a partition is, and its deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DumpPlace {
    /// Offset of the partition in the uncompressed data.
    pub at: u64,
    /// Offset of what follows its head and its static row.
    pub rows_at: u64,
    /// Its deletion; live if there is none.
    pub deletion: Deletion,
}

/// A dump that is being printed; each part is appended to a buffer, which the caller empties when
/// it likes.
///
/// Memory: the columns' names.
#[derive(Debug)]
pub struct Dump<'h> {
    header: &'h Header,
    shape: &'h RowShape,
    form: DumpForm,
    plain: PlainForm,
    /// Names of the columns as JSON strings: regular, static.
    names: [Vec<String>; 2],
    partitions: Items,
    rows: Items,
    lines: Lines,
}

impl<'h> Dump<'h> {
    /// A dump of a table.
    pub fn new(header: &'h Header, shape: &'h RowShape, form: DumpForm) -> Self {
        let names = [false, true].map(|is_static| {
            let columns = header.columns(is_static).iter();
            columns.map(|column| json::column_name(&column.name, header.version)).collect()
        });
        let plain = PlainForm::of(header.version);
        let (partitions, rows) = (Items::new(), Items::new());
        Dump { header, shape, form, plain, names, partitions, rows, lines: Lines::default() }
    }

    /// Appends the start of a partition.
    pub fn begin_partition(&mut self, key: &[u8], place: &DumpPlace, out: &mut String) {
        match self.form.layout {
            DumpLayout::Json => {}
            DumpLayout::Lines => return self.begin_lines(key, place, out),
            DumpLayout::Keys => {
                out.push_str(self.partitions.before("[ [ ", ", [ "));
                json::put_key(&self.header.key, key, self.plain, out);
                return out.push_str(" ]");
            }
        }
        out.push_str(self.partitions.before("[\n  {\n", ",\n  {\n"));
        if self.form.has_table_kind {
            out.push_str("    \"table kind\" : \"REGULAR\",\n");
        }
        out.push_str("    \"partition\" : {\n      \"key\" : [ ");
        json::put_key(&self.header.key, key, self.plain, out);
        out.push_str(" ],\n      \"position\" : ");
        let position = if self.form.position_of_rows { place.rows_at } else { place.at };
        json::put_number(position, out);
        if !place.deletion.is_live() {
            out.push_str(",\n      ");
            self.put_deletion(&place.deletion, out);
        }
        out.push_str("\n    },\n    \"rows\" : [");
        self.rows = Items::new();
    }

    /// Appends a row or a marker, unless keys alone are printed. An empty static row and the end of
    /// the partition print nothing.
    ///
    /// # Errors
    /// Cells that can't be read; what was appended of the row is taken back.
    pub fn unfiltered(
        &mut self,
        unfiltered: &Unfiltered<'_>,
        out: &mut String,
    ) -> Result<(), DecodeError> {
        let (start, rows) = (out.len(), self.rows);
        let put = match unfiltered {
            Unfiltered::Row(row) if row.is_static && row.is_empty() => Ok(()),
            unfiltered if self.form.layout == DumpLayout::Lines => self.line(unfiltered, out),
            Unfiltered::Row(row) => self.row(row, out),
            Unfiltered::Marker(marker) => {
                self.marker(marker, out);
                Ok(())
            }
            Unfiltered::End => Ok(()),
        };
        if put.is_err() {
            out.truncate(start);
            self.rows = rows;
        }
        put
    }

    /// Appends the end of a partition.
    pub fn end_partition(&mut self, out: &mut String) {
        if self.form.layout != DumpLayout::Json {
            return;
        }
        out.push_str(self.rows.end("\n    ]", " ]"));
        out.push_str("\n  }");
    }

    /// Appends the end of the dump; the last line isn't ended.
    pub fn end(self, out: &mut String) {
        if self.form.layout == DumpLayout::Lines {
            return;
        }
        out.push_str(self.partitions.end("\n]", "[ ]"));
    }

    fn row(&mut self, row: &Row<'_>, out: &mut String) -> Result<(), DecodeError> {
        self.begin_item(if row.is_static { "static_block" } else { "row" }, out);
        out.push_str(",\n        \"position\" : ");
        json::put_number(after_static(row), out);
        if !row.is_static && self.shape.clustering_count() > 0 {
            out.push_str(",\n        ");
            self.put_clustering(&row.prefix(), out);
        }
        if let Some(liveness) = &row.liveness {
            out.push_str(",\n        \"liveness_info\" : { \"tstamp\" : ");
            self.put_timestamp(liveness.timestamp, out);
            if liveness.ttl != 0 {
                self.put_expiry(liveness.ttl, liveness.expires, out);
            }
            out.push_str(" }");
        }
        let is_superseded = row.shadowable.supersedes(&row.deletion);
        let deletion = if is_superseded { row.shadowable } else { row.deletion };
        if !deletion.is_live() {
            out.push_str(",\n        ");
            self.put_deletion(&deletion, out);
        }
        out.push_str(",\n        \"cells\" : [");
        self.cells(row, out)?;
        out.push_str("\n      }");
        Ok(())
    }

    fn marker(&mut self, marker: &Marker<'_>, out: &mut String) {
        match (&marker.begins, &marker.ends) {
            (Some(begins), Some(ends)) => {
                self.begin_item("range_tombstone_boundary", out);
                self.bound("start", marker, begins, out);
                self.bound("end", marker, ends, out);
            }
            (begins, ends) => {
                self.begin_item("range_tombstone_bound", out);
                let name = if begins.is_some() { "start" } else { "end" };
                self.bound(name, marker, &begins.or(*ends).unwrap_or(Deletion::LIVE), out);
            }
        }
        out.push_str("\n      }");
    }

    fn bound(&self, name: &str, marker: &Marker<'_>, deletion: &Deletion, out: &mut String) {
        out.push_str(",\n        \"");
        out.push_str(name);
        out.push_str("\" : {\n          \"type\" : \"");
        let is_inclusive = is_inclusive(marker.prefix.kind, name == "start");
        out.push_str(if is_inclusive { "inclusive" } else { "exclusive" });
        out.push_str("\",\n          ");
        if marker.prefix.components.count() > 0 {
            self.put_clustering(&marker.prefix, out);
            out.push_str(",\n          ");
        }
        self.put_deletion(deletion, out);
        out.push_str("\n        }");
    }

    fn begin_item(&mut self, kind: &str, out: &mut String) {
        out.push_str(self.rows.before("\n      {\n", ",\n      {\n"));
        out.push_str("        \"type\" : \"");
        out.push_str(kind);
        out.push('"');
    }

    /// `"clustering" : [ 1, "a" ]`, with `"*"` for components that a bound doesn't have.
    fn put_clustering(&self, prefix: &Prefix<'_>, out: &mut String) {
        out.push_str("\"clustering\" : [ ");
        let kinds = &self.header.clustering;
        let mut values = prefix.values(kinds);
        for (at, kind) in kinds.iter().enumerate() {
            if at > 0 {
                out.push_str(", ");
            }
            match values.next() {
                Some(value) => kind.put_json_as(value, self.plain, out),
                None => out.push_str("\"*\""),
            }
        }
        out.push_str(" ]");
    }

    fn put_deletion(&self, deletion: &Deletion, out: &mut String) {
        out.push_str("\"deletion_info\" : { \"marked_deleted\" : ");
        self.put_timestamp(deletion.marked_at, out);
        out.push_str(", \"local_delete_time\" : ");
        self.put_local_time(deletion.local_time, out);
        out.push_str(" }");
    }

    /// Whether a row's cells are printed with a time of their own: those of another time than the
    /// row's.
    fn has_other_timestamp(liveness: Option<Liveness>, timestamp: i64) -> bool {
        liveness.is_none_or(|liveness| liveness.timestamp != timestamp)
    }

    fn put_expiry(&self, ttl: i32, expires: i64, out: &mut String) {
        out.push_str(", \"ttl\" : ");
        json::put_number(ttl, out);
        out.push_str(", \"expires_at\" : ");
        self.put_local_time(expires, out);
        out.push_str(", \"expired\" : ");
        let is_expired = self.form.now >= expires;
        out.push_str(if is_expired { "true" } else { "false" });
    }

    fn put_timestamp(&self, micros: i64, out: &mut String) {
        out.push('"');
        if self.form.has_raw_times {
            json::put_number(micros, out)
        } else {
            put_instant_micros(micros, out)
        }
        out.push('"');
    }

    fn put_local_time(&self, seconds: i64, out: &mut String) {
        out.push('"');
        if self.form.has_raw_times {
            json::put_number(seconds, out)
        } else {
            put_instant(seconds, 0, out)
        }
        out.push('"');
    }
}

/// A row's position as it is printed: of the static row that of what follows, as sstabledump has
/// read it by then.
fn after_static(row: &Row<'_>) -> u64 {
    row.at + if row.is_static { row.len as u64 } else { 0 }
}

/// Whether a start or an end takes in what has its prefix.
fn is_inclusive(kind: PrefixKind, is_start: bool) -> bool {
    use PrefixKind::{
        ExclusiveEndInclusiveStart, InclusiveEnd, InclusiveEndExclusiveStart, InclusiveStart,
    };
    if is_start {
        matches!(kind, InclusiveStart | ExclusiveEndInclusiveStart)
    } else {
        matches!(kind, InclusiveEnd | InclusiveEndExclusiveStart)
    }
}

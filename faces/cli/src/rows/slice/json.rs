//! Rows as JSON, an object a line.
//!
//! Numbers have as many digits as CQL gives them, which a general writer of JSON would round:
//! objects are put together as text.

use std::fmt::Write;

use manicule::rows::{
    CellPath, Deletion, Liveness, MergedCell, MergedCells, MergedColumn, MergedColumns,
    MergedMarker, MergedRow, NO_LOCAL_TIME, PrefixBuf, Slice, SliceItem, Type, put_json_string,
};

use super::form::{Rows, Shown, clustering, column, key, name, seconds_left};

/// Prints rows as JSON.
pub(super) struct JsonRows {
    shown: Shown,
    columns: Option<MergedColumns>,
    /// Of what is live the static row, which is part of each row.
    statics: Option<MergedRow>,
    /// The file that rows are of, if each SSTable's own are printed.
    file: String,
    count: u64,
}

impl JsonRows {
    pub(super) fn new(shown: Shown) -> Self {
        let (columns, statics, file) = (None, None, String::new());
        JsonRows { shown, columns, statics, file, count: 0 }
    }

    fn columns(&self) -> &MergedColumns {
        self.columns.as_ref().expect("a partition begins before its rows")
    }

    /// A row as `SELECT JSON` prints it; of a partition without rows its static columns alone.
    fn live_row(&self, slice: &Slice, row: Option<&MergedRow>, out: &mut String) {
        let mut object = Object::new(out);
        for (name, kind, value) in key(slice) {
            object.value(name, kind, value);
        }
        for (name, kind, value) in
            row.into_iter().flat_map(|row| clustering(slice, &row.clustering))
        {
            object.value(name, kind, value);
        }
        let rows = [(true, self.statics.as_ref()), (false, row)];
        let rows = rows.iter().filter_map(|(is_static, row)| Some((*is_static, (*row)?)));
        let columns = rows.flat_map(|(is_static, row)| {
            row.columns.iter().map(move |cells| (column(self.columns(), is_static, cells), cells))
        });
        for (column, cells) in columns.clone() {
            object.value(&name(column), &column.kind, cells.value(&column.kind).as_deref());
        }
        for (column, cells) in columns {
            self.beside(slice, column, cells, &mut object);
        }
        object.end();
    }

    /// Times and sources of a column's cells.
    fn beside(
        &self,
        slice: &Slice,
        column: &MergedColumn,
        cells: &MergedCells,
        object: &mut Object<'_>,
    ) {
        let (name, is_many) = (name(column), column.kind.is_complex());
        let mut each = |what: &str, show: &dyn Fn(&MergedCell) -> String| {
            let items: Vec<String> = cells.cells.iter().map(show).collect();
            let text = items.join(", ");
            object.name(&format!("{what}({name})"));
            object.out.push_str(&if is_many { format!("[{text}]") } else { text });
        };
        if self.shown.has_times {
            each("writetime", &|cell| cell.timestamp.to_string());
            let left = |cell: &MergedCell| seconds_left(cell, self.shown.now);
            if cells.cells.iter().any(|cell| left(cell).is_some()) {
                each("ttl", &|cell| left(cell).map_or("null".to_owned(), |left| left.to_string()));
            }
        }
        if self.shown.has_sources {
            each("source", &|cell| quoted(&slice.file_name(cell.source)));
        }
    }

    fn begin<'o>(&self, kind: &str, out: &'o mut String) -> Object<'o> {
        let mut object = Object::new(out);
        object.text("type", kind);
        object.text("sstable", &self.file);
        object
    }

    fn own_row(&self, slice: &Slice, row: &MergedRow, is_static: bool, out: &mut String) {
        let mut object = self.begin(if is_static { "static" } else { "row" }, out);
        if !is_static {
            object.clustering(slice, &row.clustering);
        }
        if let Some(Liveness { timestamp, ttl, expires }) = row.liveness {
            object.number("timestamp", timestamp);
            if ttl != 0 {
                object.number("ttl", ttl.into());
                object.number("expires", expires);
            }
        }
        object.deletion("deletion", &row.deletion);
        object.deletion("shadowable_deletion", &row.shadowable);
        object.name("cells");
        object.out.push('[');
        let mut before = "";
        for cells in &row.columns {
            let column = column(self.columns(), is_static, cells);
            if !cells.deletion.is_live() {
                object.out.push_str(before);
                let mut item = Object::new(object.out);
                item.text("column", &name(column));
                item.deletion("deletion", &cells.deletion);
                item.close();
                before = ", ";
            }
            for cell in &cells.cells {
                object.out.push_str(before);
                own_cell(column, cell, object.out);
                before = ", ";
            }
        }
        object.out.push(']');
        object.end();
    }

    fn own_marker(&self, slice: &Slice, marker: &MergedMarker, out: &mut String) {
        let mut object = self.begin("marker", out);
        object.clustering(slice, &marker.prefix);
        let is_after = marker.prefix.as_prefix().kind.is_after();
        object.text("place", if is_after { "after" } else { "before" });
        for (name, deletion) in [("closes", marker.closes), ("opens", marker.opens)] {
            if let Some(deletion) = deletion {
                object.deletion(name, &deletion);
            }
        }
        object.end();
    }
}

fn own_cell(column: &MergedColumn, cell: &MergedCell, out: &mut String) {
    let mut item = Object::new(out);
    item.text("column", &name(column));
    match cell.path_of(&column.kind) {
        CellPath::None => {}
        CellPath::Value(kind, path) => item.value("path", kind, Some(path)),
        CellPath::Field(name) => item.text("path", &String::from_utf8_lossy(name)),
    }
    if let Some((kind, value)) = cell.value_of(&column.kind) {
        item.value("value", kind, Some(&value));
    }
    item.number("timestamp", cell.timestamp);
    if cell.ttl != 0 {
        item.number("ttl", cell.ttl.into());
    }
    if cell.local_time != NO_LOCAL_TIME {
        item.number(if cell.is_deleted { "deleted" } else { "expires" }, cell.local_time);
    }
    item.close();
}

impl Rows for JsonRows {
    fn part(&mut self, slice: &Slice, item: SliceItem<'_>, out: &mut String) {
        let is_own = self.shown.is_own;
        match item {
            SliceItem::Partition { source, deletion, columns } => {
                self.columns = Some(columns.clone());
                if let Some(source) = source {
                    self.file = slice.file_name(source);
                    let mut object = self.begin("partition", out);
                    object.name("key");
                    let mut inner = Object::new(object.out);
                    key(slice).for_each(|(name, kind, value)| inner.value(name, kind, value));
                    inner.close();
                    object.deletion("deletion", &deletion);
                    object.end();
                    self.count += 1;
                }
            }
            SliceItem::Static(row) if is_own => self.own_row(slice, row, true, out),
            SliceItem::Static(row) => self.statics = Some(row.clone()),
            SliceItem::Row(row) => {
                if is_own {
                    self.own_row(slice, row, false, out)
                } else {
                    self.live_row(slice, Some(row), out)
                }
                self.count += 1;
            }
            SliceItem::Marker(marker) => self.own_marker(slice, marker, out),
        }
    }

    fn end(&mut self, slice: &Slice, out: &mut String) {
        if self.count == 0 && self.shown.is_whole && self.statics.is_some() {
            self.live_row(slice, None, out);
            self.count += 1;
        }
    }

    fn count(&self) -> u64 {
        self.count
    }
}

/// An object of JSON that is being appended to a text.
struct Object<'o> {
    out: &'o mut String,
    is_empty: bool,
}

impl<'o> Object<'o> {
    fn new(out: &'o mut String) -> Self {
        out.push('{');
        Object { out, is_empty: true }
    }

    fn name(&mut self, name: &str) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push_str(", ");
        }
        put_json_string(name, self.out);
        self.out.push_str(": ");
    }

    fn value(&mut self, name: &str, kind: &Type, value: Option<&[u8]>) {
        self.name(name);
        kind.put_json(value, self.out);
    }

    fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        put_json_string(text, self.out);
    }

    fn number(&mut self, name: &str, number: i64) {
        self.name(name);
        let _ = write!(self.out, "{number}");
    }

    /// A deletion; none where there is none.
    fn deletion(&mut self, name: &str, deletion: &Deletion) {
        if deletion.is_live() {
            return;
        }
        self.name(name);
        let mut inner = Object::new(self.out);
        inner.number("timestamp", deletion.marked_at);
        inner.number("deleted", deletion.local_time);
        inner.close();
    }

    fn clustering(&mut self, slice: &Slice, prefix: &PrefixBuf) {
        self.name("clustering");
        let mut inner = Object::new(self.out);
        clustering(slice, prefix).for_each(|(name, kind, value)| inner.value(name, kind, value));
        inner.close();
    }

    fn close(self) {
        self.out.push('}');
    }

    fn end(self) {
        self.out.push_str("}\n");
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    put_json_string(text, &mut out);
    out
}

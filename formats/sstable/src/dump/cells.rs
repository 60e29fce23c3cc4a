//! Cells of a row in a dump.

use manicule_core::bytes::DecodeError;

use super::layout::Items;
use super::{Dump, json};
use crate::data::{Cell, Liveness, Row, RowPart};
use crate::types::Type;

impl Dump<'_> {
    /// Appends the cells and the bracket after them.
    pub(super) fn cells(&self, row: &Row<'_>, out: &mut String) -> Result<(), DecodeError> {
        let mut items = Items::new();
        let names = &self.names[usize::from(row.is_static)];
        for part in row.cells(self.shape) {
            let part = part?;
            let column = match part {
                RowPart::Complex { deletion, .. } if deletion.is_live() => continue,
                RowPart::Complex { column, .. } | RowPart::Cell(Cell { column, .. }) => column,
            };
            out.push_str(items.before("\n", ",\n"));
            out.push_str("          { \"name\" : ");
            out.push_str(&names[column]);
            match part {
                RowPart::Complex { deletion, .. } => {
                    out.push_str(", ");
                    self.put_deletion(&deletion, out);
                    out.push_str(" }");
                }
                RowPart::Cell(cell) => {
                    let kind = &self.header.columns(row.is_static)[column].kind;
                    self.cell(&cell, kind, row.liveness, out);
                }
            }
        }
        out.push_str(items.end("\n        ]", " ]"));
        Ok(())
    }

    /// Appends what follows a cell's name.
    fn cell(&self, cell: &Cell<'_>, kind: &Type, liveness: Option<Liveness>, out: &mut String) {
        if let Some(path) = cell.path {
            out.push_str(", \"path\" : [ ");
            json::put_path(kind, path, self.plain, out);
            out.push_str(" ]");
        }
        // After a deletion the line breaks before what follows.
        let (break_, end) =
            if cell.is_deleted { ("\n            ", "\n          }") } else { (" ", " }") };
        if cell.is_deleted {
            out.push_str(", \"deletion_info\" : { \"local_delete_time\" : ");
            self.put_local_time(cell.local_time, out);
            out.push_str(" }");
        } else {
            out.push_str(", \"value\" : ");
            json::put_cell_value(kind, cell, self.plain, out);
        }
        if Dump::has_other_timestamp(liveness, cell.timestamp) {
            out.push(',');
            out.push_str(break_);
            out.push_str("\"tstamp\" : ");
            self.put_timestamp(cell.timestamp, out);
        }
        if cell.is_expiring() && liveness.is_none_or(|liveness| liveness.ttl != cell.ttl) {
            self.put_expiry(cell.ttl, cell.local_time, out);
        }
        out.push_str(end);
    }
}

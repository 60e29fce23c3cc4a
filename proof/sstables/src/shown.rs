//! Our answer to a question, as lines of text: those of java/common/Ask.java.

use std::fmt::Write;

use manicule_core::hex;
use manicule_format_sstable::{
    Deletion, Liveness, NO_LOCAL_TIME, Prefix, PrefixKind, Row, RowPart, Type,
};
use manicule_rows::RowsError;
use manicule_rows::merge::{MergedCell, MergedColumns, MergedItem, MergedRow, open_merged};
use manicule_rows::slice::{Bounds, Item, Seek, SliceOptions, open_slice};
use manicule_rows::table::Sstable;
use manicule_store::pages::Reading;

use crate::ours::read_with;
use crate::questions::Question;

/// What our reader answers: of one SSTable what lies in it, of several what is left when they are
/// merged; then what is live.
///
/// # Errors
/// Of reading.
pub fn answer(sstables: &[Sstable], question: &Question, seek: Seek) -> Result<String, RowsError> {
    let types = &sstables[0].header().clustering;
    let Some(bounds) = question.bounds(types) else { return Ok("refused\n".to_owned()) };
    let options = SliceOptions {
        direction: question.direction,
        row_count_max: Some(question.limit).filter(|limit| *limit > 0),
        seek,
        read_bytes_max: 10_000,
    };
    let mut lines = Lines { types, out: String::new() };
    read_with(|reading| {
        match sstables {
            [one] => lines.one(one, question, &bounds, &options, reading)?,
            all => lines.merged(all, question, &bounds, &options, reading)?,
        }
        lines.live(sstables, question, &bounds, &options, reading)
    })?;
    Ok(lines.out)
}

struct Lines<'t> {
    types: &'t [Type],
    out: String,
}

impl Lines<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn one(
        &mut self,
        sstable: &Sstable,
        question: &Question,
        bounds: &Bounds,
        options: &SliceOptions,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let opened = open_slice(sstable, &question.key, bounds.clone(), options, reading)?;
        let Some(mut slice) = opened else { return Ok(()) };
        self.partition(slice.head().deletion);
        if let Some(row) = slice.head().static_row(sstable)? {
            self.row("static".to_owned(), row.liveness, row.deletion);
            self.cells(&row, sstable)?;
        }
        while let Some(item) = slice.next(reading)? {
            match item {
                Item::Row(row) => {
                    let what = format!("row {}", self.prefix(&row.prefix()));
                    self.row(what, row.liveness, row.deletion);
                    self.cells(&row, sstable)?;
                }
                Item::Marker(marker) => self.marker(&marker.prefix, marker.closes, marker.opens),
            }
        }
        Ok(())
    }

    fn merged(
        &mut self,
        sstables: &[Sstable],
        question: &Question,
        bounds: &Bounds,
        options: &SliceOptions,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let all: Vec<&Sstable> = sstables.iter().collect();
        let opened = open_merged(&all, &question.key, bounds, options, reading)?;
        let Some(mut slice) = opened else { return Ok(()) };
        self.partition(slice.deletion());
        let columns = slice.columns().clone();
        if let Some(row) = slice.static_row() {
            self.row("static".to_owned(), row.liveness, row.deletion);
            self.merged_cells(row, &columns, true);
        }
        while let Some(item) = slice.next(reading)? {
            match item {
                MergedItem::Row(row) => {
                    let what = format!("row {}", self.prefix(&row.clustering.as_prefix()));
                    self.row(what, row.liveness, row.deletion);
                    self.merged_cells(&row, &columns, false);
                }
                MergedItem::Marker(marker) => {
                    self.marker(&marker.prefix.as_prefix(), marker.closes, marker.opens);
                }
            }
        }
        Ok(())
    }

    fn live(
        &mut self,
        sstables: &[Sstable],
        question: &Question,
        bounds: &Bounds,
        options: &SliceOptions,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let all: Vec<&Sstable> = sstables.iter().collect();
        // A limit counts live rows here.
        let mut left = options.row_count_max.unwrap_or(u64::MAX);
        let options = SliceOptions { row_count_max: None, ..*options };
        let opened = open_merged(&all, &question.key, bounds, &options, reading)?;
        let Some(mut slice) = opened else { return Ok(()) };
        let columns = slice.columns().clone();
        if let Some(row) = slice.static_row().cloned().and_then(|row| row.live(question.now)) {
            self.line("live static");
            self.live_cells(&row, &columns, true);
        }
        while left > 0 {
            let Some(item) = slice.next(reading)? else { break };
            let MergedItem::Row(row) = item else { continue };
            if let Some(row) = row.live(question.now) {
                self.line(&format!("live {}", self.prefix(&row.clustering.as_prefix())));
                self.live_cells(&row, &columns, false);
                left -= 1;
            }
        }
        Ok(())
    }

    fn prefix(&self, prefix: &Prefix<'_>) -> String {
        let mut text = "(".to_owned();
        for value in prefix.values(self.types) {
            text += &value.map_or("null".to_owned(), hex::encode);
            text.push(',');
        }
        text + ")"
    }

    fn partition(&mut self, own: Deletion) {
        if !own.is_live() {
            self.line(&format!("partition deleted {}", deletion(own)));
        }
    }

    fn row(&mut self, mut what: String, liveness: Option<Liveness>, own: Deletion) {
        if let Some(Liveness { timestamp, ttl, expires }) = liveness {
            let _ = write!(what, " written {timestamp}");
            if ttl != 0 {
                let _ = write!(what, " ttl {ttl} until {}", time(expires));
            }
        }
        if !own.is_live() {
            let _ = write!(what, " deleted {}", deletion(own));
        }
        self.line(&what);
    }

    fn cells(&mut self, row: &Row<'_>, sstable: &Sstable) -> Result<(), RowsError> {
        let columns = sstable.header().columns(row.is_static);
        for part in row.cells(sstable.shape()) {
            let part = part.map_err(|error| RowsError::Damaged {
                file: sstable.path().to_owned(),
                source: error.into(),
            })?;
            match part {
                RowPart::Complex { column, deletion, .. } => {
                    self.complex(&columns[column].name, deletion);
                }
                RowPart::Cell(cell) => {
                    let name = cell_name(&columns[cell.column].name, cell.path);
                    let (timestamp, ttl) = (cell.timestamp, cell.ttl);
                    self.cell(&name, timestamp, ttl, cell.local_time, cell.value);
                }
            }
        }
        Ok(())
    }

    fn merged_cells(&mut self, row: &MergedRow, columns: &MergedColumns, is_static: bool) {
        for column in &row.columns {
            let name = &columns.list(is_static)[column.column].name;
            self.complex(name, column.deletion);
            for MergedCell { path, timestamp, ttl, local_time, value, .. } in &column.cells {
                let name = cell_name(name, path.as_deref());
                self.cell(&name, *timestamp, *ttl, *local_time, value);
            }
        }
    }

    fn live_cells(&mut self, row: &MergedRow, columns: &MergedColumns, is_static: bool) {
        for column in &row.columns {
            let name = &columns.list(is_static)[column.column].name;
            for cell in &column.cells {
                let name = cell_name(name, cell.path.as_deref());
                self.line(&format!(" {name} {}", hex::encode(&cell.value)));
            }
        }
    }

    fn complex(&mut self, name: &[u8], own: Deletion) {
        if !own.is_live() {
            let name = String::from_utf8_lossy(name);
            self.line(&format!(" {name} deleted {}", deletion(own)));
        }
    }

    fn cell(&mut self, name: &str, timestamp: i64, ttl: i32, local_time: i64, value: &[u8]) {
        self.line(&format!(
            " {name} {timestamp} {ttl} {} {}",
            time(local_time),
            hex::encode(value)
        ));
    }

    fn marker(&mut self, prefix: &Prefix<'_>, closes: Option<Deletion>, opens: Option<Deletion>) {
        let kind = match prefix.kind {
            PrefixKind::ExclusiveEnd => "EXCL_END_BOUND",
            PrefixKind::InclusiveStart => "INCL_START_BOUND",
            PrefixKind::ExclusiveEndInclusiveStart => "EXCL_END_INCL_START_BOUNDARY",
            PrefixKind::InclusiveEndExclusiveStart => "INCL_END_EXCL_START_BOUNDARY",
            PrefixKind::InclusiveEnd => "INCL_END_BOUND",
            PrefixKind::ExclusiveStart => "EXCL_START_BOUND",
            PrefixKind::Static | PrefixKind::Row => unreachable!("no marker is a row"),
        };
        let mut text = format!("{kind} {}", self.prefix(prefix));
        if let Some(closes) = closes {
            let _ = write!(text, " closes {}", deletion(closes));
        }
        if let Some(opens) = opens {
            let _ = write!(text, " opens {}", deletion(opens));
        }
        self.line(&text);
    }
}

fn cell_name(column: &[u8], path: Option<&[u8]>) -> String {
    let name = String::from_utf8_lossy(column).into_owned();
    path.map_or(name.clone(), |path| format!("{name}[{}]", hex::encode(path)))
}

fn deletion(own: Deletion) -> String {
    format!("{} {}", own.marked_at, time(own.local_time))
}

fn time(seconds: i64) -> String {
    if seconds == NO_LOCAL_TIME { "never".to_owned() } else { seconds.to_string() }
}

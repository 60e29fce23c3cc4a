//! Keys, clusterings and values whose text matches, in one pass over Data.db.
//!
//! A text is matched as it is, any other value as CQL writes it, without quotes. Blobs, counters
//! and values of unknown types have no text; nor has what is deleted.

use std::ops::ControlFlow;

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{Cell, Elements, Row, RowPart, Type, Unfiltered, Value, quoted_name};
use manicule_store::pages::Reading;

use super::walk::Walk;
use crate::RowsError;
use crate::table::Sstable;

manicule_core::counts! {
    /// Cost of a search.
    pub struct FindCounts {
        /// SSTables that were searched.
        sstables,
        /// Partitions of theirs.
        partitions,
        /// Rows.
        rows,
        /// Keys, clusterings and values that were compared.
        values_compared,
        /// Bytes of uncompressed data that were read.
        data_len,
    }
}

/// What is searched for.
pub struct FindCall<'c> {
    /// Whether a text matches.
    pub is_match: &'c dyn Fn(&[u8]) -> bool,
    /// Whether what doesn't match is wanted.
    pub is_inverted: bool,
}

/// Something that matches, in the words of CQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'f> {
    /// Key of its partition.
    pub key: &'f str,
    /// Where in the partition it is.
    pub row: FoundRow<'f>,
    /// Column and value; `None` where the key or the clustering matches.
    pub cell: Option<(&'f str, &'f str)>,
}

/// Place in a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundRow<'f> {
    /// The key itself.
    None,
    /// The static row.
    Static,
    /// The row of a clustering.
    Row(&'f str),
}

/// Calls `found` for everything that matches, in the order of the file, until it breaks.
///
/// Cost: Data.db is read once. Memory: a window, and the texts of one value.
pub fn find(
    sstable: &Sstable,
    call: &FindCall<'_>,
    counts: &mut FindCounts,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    found: &mut dyn FnMut(&Found<'_>) -> ControlFlow<()>,
) -> Result<(), RowsError> {
    let damaged = |error| sstable.data().damaged(error);
    let mut walk = Walk::new(sstable, 1);
    let meter = watch.phase(Phase::Reading, Unit::Bytes, sstable.data_len());
    counts.sstables += 1;
    let texts = Texts::default();
    let mut finder = Finder { sstable, call, counts, found, key: String::new(), texts };
    while let Some(head) = walk.begin(reading)? {
        let mut last_at = head.position;
        let mut flow = finder.begin(walk.key());
        if let (Flow::On, Some(row)) = (flow, head.static_row(sstable)?) {
            flow = finder.row(&row).map_err(damaged)?;
        }
        while let (Flow::On, Some(unfiltered)) = (flow, walk.next(reading)?) {
            if let Unfiltered::Row(row) = &unfiltered {
                flow = finder.row(row).map_err(damaged)?;
            }
            let at = unfiltered_end(&unfiltered, last_at);
            finder.counts.data_len += at - last_at;
            meter.step(at - last_at)?;
            last_at = at;
        }
        if flow == Flow::Over {
            break;
        }
        finder.counts.data_len += walk.at() - last_at;
        meter.step(walk.at() - last_at)?;
    }
    meter.end();
    Ok(())
}

/// Whether the search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    On,
    Over,
}

/// Offset after a row or marker.
fn unfiltered_end(unfiltered: &Unfiltered<'_>, otherwise: u64) -> u64 {
    match unfiltered {
        Unfiltered::Row(row) => row.at + row.len as u64,
        Unfiltered::Marker(marker) => marker.at + marker.len as u64,
        Unfiltered::End => otherwise,
    }
}

/// Buffers for texts.
#[derive(Default)]
struct Texts {
    compared: String,
    row: String,
    column: String,
    value: String,
}

struct Finder<'s> {
    sstable: &'s Sstable,
    call: &'s FindCall<'s>,
    counts: &'s mut FindCounts,
    found: &'s mut dyn FnMut(&Found<'_>) -> ControlFlow<()>,
    /// The present partition's key as CQL writes it.
    key: String,
    texts: Texts,
}

impl Finder<'_> {
    /// Whether any of several values matches, which belong together.
    fn matches<'v>(&mut self, values: impl Iterator<Item = (&'v Type, Value<'v>)>) -> bool {
        let (mut has_text, mut is_any) = (false, false);
        for (kind, value) in values {
            let Some(text) = text_of(kind, value, &mut self.texts.compared) else { continue };
            self.counts.values_compared += 1;
            has_text = true;
            is_any = (self.call.is_match)(text);
            if is_any {
                break;
            }
        }
        has_text && is_any != self.call.is_inverted
    }

    fn emit(&mut self, row: Option<&Row<'_>>, has_cell: bool) -> Flow {
        let texts = &mut self.texts;
        let place = match row {
            None => FoundRow::None,
            Some(row) if row.is_static => FoundRow::Static,
            Some(row) => {
                let types = &self.sstable.header().clustering;
                texts.row.clear();
                put_values(types.iter().zip(row.prefix().values(types)), &mut texts.row);
                FoundRow::Row(&texts.row)
            }
        };
        let cell = has_cell.then_some((&texts.column[..], &texts.value[..]));
        match (self.found)(&Found { key: &self.key, row: place, cell }) {
            ControlFlow::Continue(()) => Flow::On,
            ControlFlow::Break(()) => Flow::Over,
        }
    }

    /// A partition begins.
    fn begin(&mut self, key: &[u8]) -> Flow {
        self.counts.partitions += 1;
        let sstable = self.sstable;
        let kind = &sstable.header().key;
        self.key.clear();
        kind.put_literal(Some(key), &mut self.key);
        let is_match = match kind {
            Type::Composite(parts) => self.matches(parts.iter().zip(Elements::of_composite(key))),
            single => self.matches([(single, Some(key))].into_iter()),
        };
        if is_match { self.emit(None, false) } else { Flow::On }
    }

    fn row(&mut self, row: &Row<'_>) -> Result<Flow, DecodeError> {
        self.counts.rows += 1;
        let sstable = self.sstable;
        let types = &sstable.header().clustering;
        let is_match = !row.is_static && self.matches(types.iter().zip(row.prefix().values(types)));
        let mut flow = if is_match { self.emit(Some(row), false) } else { Flow::On };
        for part in row.cells(sstable.shape()) {
            if flow == Flow::Over {
                break;
            }
            if let RowPart::Cell(cell) = part?
                && !cell.is_deleted
            {
                flow = self.cell(row, &cell);
            }
        }
        Ok(flow)
    }

    fn cell(&mut self, row: &Row<'_>, cell: &Cell<'_>) -> Flow {
        let sstable = self.sstable;
        let column = &sstable.header().columns(row.is_static)[cell.column];
        let [path, value] = parts_of(&column.kind, cell);
        if !self.matches([path, value].into_iter().flatten()) {
            return Flow::On;
        }
        let texts = &mut self.texts;
        texts.column.clear();
        texts.column.push_str(&quoted_name(&column.name));
        put_path(&column.kind, cell.path, &mut texts.column);
        texts.value.clear();
        // A set's element is its path.
        if let Some((kind, value)) = value.or(path) {
            kind.put_literal(value, &mut texts.value);
        }
        self.emit(Some(row), true)
    }
}

/// The bytes that are matched of a value: a text's own, or those of what CQL writes, without
/// quotes.
fn text_of<'v>(kind: &Type, value: Value<'v>, out: &'v mut String) -> Option<&'v [u8]> {
    let value = value?;
    match kind.ascending() {
        Type::Text | Type::Ascii => Some(value),
        Type::Blob | Type::Counter | Type::Custom(_) | Type::Empty => None,
        _ if value.is_empty() => None,
        kind => {
            out.clear();
            kind.put_literal(Some(value), out);
            let text = out.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
            Some(text.unwrap_or(out).as_bytes())
        }
    }
}

/// Path and value of a cell with their types; of those that have a text of their own.
fn parts_of<'c>(kind: &'c Type, cell: &Cell<'c>) -> [Option<(&'c Type, Value<'c>)>; 2] {
    let (path, value) = (cell.path, Some(cell.value));
    match (kind, path) {
        (Type::Set { element, .. }, Some(path)) => [Some((element, Some(path))), None],
        (Type::List { element, .. }, Some(_)) => [None, Some((element, value))],
        (Type::Map { key, value: of_value, .. }, Some(path)) => {
            [Some((key, Some(path))), Some((of_value, value))]
        }
        (Type::User(user), Some(path)) => {
            let field = field_of(path).and_then(|field| user.fields.get(field));
            [None, field.map(|(_, kind)| (kind, value))]
        }
        (kind, _) => [None, Some((kind, value))],
    }
}

/// Number of a user type's field.
fn field_of(path: &[u8]) -> Option<usize> {
    path.try_into().ok().map(|bytes| u16::from_be_bytes(bytes).into())
}

/// What follows a column's name: the key of a map, the field of a user type.
fn put_path(kind: &Type, path: Option<&[u8]>, out: &mut String) {
    match (kind, path) {
        (Type::Map { key, .. }, Some(path)) => {
            out.push('[');
            key.put_literal(Some(path), out);
            out.push(']');
        }
        (Type::User(user), Some(path)) => {
            let field = field_of(path).and_then(|field| user.fields.get(field));
            out.push('.');
            out.push_str(&field.map_or_else(|| "?".to_owned(), |(name, _)| quoted_name(name)));
        }
        _ => {}
    }
}

/// `(1, 'b')`.
fn put_values<'v>(values: impl Iterator<Item = (&'v Type, Value<'v>)>, out: &mut String) {
    out.push('(');
    for (index, (kind, value)) in values.enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        kind.put_literal(value, out);
    }
    out.push(')');
}

//! Live rows as records: a field for each column of the table.

use std::borrow::Cow;
use std::sync::LazyLock;

use manicule_rows::export::LiveRow;
use manicule_rows::merge::{MergedCell, MergedCells, MergedColumns, MergedRow};
use manicule_rows::{Elements, KeyNames, Type};

use super::record::{Field, Record};

/// Types and names of a table.
pub(crate) struct Columns<'t> {
    pub(super) key: &'t Type,
    pub(super) clustering: &'t [Type],
    pub(super) names: &'t KeyNames,
    /// Names of static and of regular columns.
    cells: [Vec<String>; 2],
    merged: &'t MergedColumns,
    times: Option<TimeFields>,
}

/// Fields for the times of columns: when each was written, and how long it still lives.
struct TimeFields {
    /// The present, in seconds since 1970.
    now: i64,
    /// Names of both, of static and of regular columns.
    names: [Vec<[String; 2]>; 2],
}

/// Types of the times: of a column with one cell, and of one with many, which has an item for each.
const TIME_TYPES: [Type; 2] = [Type::Bigint, Type::Int];
static MANY_TIME_TYPES: LazyLock<[Type; 2]> = LazyLock::new(|| {
    TIME_TYPES.map(|kind| Type::List { element: Box::new(kind), is_frozen: true })
});

impl TimeFields {
    fn new(now: i64, cells: &[Vec<String>; 2]) -> Self {
        let of = |name: &String| [format!("writetime({name})"), format!("ttl({name})")];
        TimeFields { now, names: [0, 1].map(|list| cells[list].iter().map(of).collect()) }
    }

    /// The types of a column's two fields.
    fn types(is_many: bool) -> [&'static Type; 2] {
        let types = if is_many { &*MANY_TIME_TYPES } else { &TIME_TYPES };
        let [written, left] = types;
        [written, left]
    }

    /// The two values of a column's cells; null where it has none.
    fn values(&self, is_many: bool, cells: Option<&MergedCells>) -> [Option<Vec<u8>>; 2] {
        let cells = cells.map_or(&[][..], |cells| &cells.cells);
        let written = |cell: &MergedCell| Some(cell.timestamp.to_be_bytes().to_vec());
        let left = |cell: &MergedCell| {
            let left = cell.local_time.saturating_sub(self.now).clamp(0, i32::MAX.into()) as i32;
            (cell.ttl != 0).then(|| left.to_be_bytes().to_vec())
        };
        let both = [cells.iter().map(written).collect(), cells.iter().map(left).collect()];
        both.map(|mut items: Vec<Option<Vec<u8>>>| {
            items.iter().any(Option::is_some).then_some(())?;
            if is_many { Some(list_of(&items)) } else { items.swap_remove(0) }
        })
    }
}

/// The bytes of a list, whose items may be null.
fn list_of(items: &[Option<Vec<u8>>]) -> Vec<u8> {
    let mut out = (items.len() as u32).to_be_bytes().to_vec();
    for item in items {
        let len = item.as_ref().map_or(-1, |item| item.len() as i32);
        out.extend_from_slice(&len.to_be_bytes());
        out.extend_from_slice(item.as_deref().unwrap_or_default());
    }
    out
}

impl<'t> Columns<'t> {
    pub(crate) fn new(
        key: &'t Type,
        clustering: &'t [Type],
        names: &'t KeyNames,
        merged: &'t MergedColumns,
        times_at: Option<i64>,
    ) -> Self {
        let cells = [true, false].map(|is_static| {
            let columns = merged.list(is_static).iter();
            columns.map(|it| String::from_utf8_lossy(&it.name).into_owned()).collect()
        });
        let times = times_at.map(|now| TimeFields::new(now, &cells));
        Columns { key, clustering, names, cells, merged, times }
    }

    /// Names and types of the partition key's and clustering columns.
    pub(crate) fn of_key(&self) -> Vec<(String, &'t Type)> {
        let key = self.names.partition_key.iter().cloned().zip(self.key.key_parts());
        key.chain(self.names.clustering.iter().cloned().zip(self.clustering)).collect()
    }

    /// Names and types of all columns.
    pub(crate) fn all(&self) -> Vec<(String, &'t Type)> {
        let mut all = self.of_key();
        for (names, is_static) in self.cells.iter().zip([true, false]) {
            let kinds = self.merged.list(is_static).iter().map(|column| &column.kind);
            all.extend(names.iter().cloned().zip(kinds));
        }
        for (list, is_static) in [true, false].into_iter().enumerate() {
            let names = self.times.iter().flat_map(|times| &times.names[list]);
            for (names, column) in names.zip(self.merged.list(is_static)) {
                let types = TimeFields::types(column.kind.is_complex());
                all.extend(names.iter().cloned().zip(types));
            }
        }
        all
    }

    /// The fields of a partition key.
    pub(crate) fn each_of_key(&self, key: &[u8], each: &mut dyn FnMut(&Field<'_>)) {
        let names = &self.names.partition_key;
        match self.key {
            Type::Composite(parts) => {
                let values = Elements::of_composite(key).map(Option::unwrap_or_default);
                for ((name, kind), value) in names.iter().zip(parts).zip(values) {
                    each(&(name, kind, Some(value.into())));
                }
            }
            single => {
                let name = names.first().map_or("key", String::as_str);
                each(&(name, single, Some(key.into())));
            }
        }
    }

    /// The fields of a clustering, of which those at the end may be missing.
    pub(crate) fn each_of_clustering<'v>(
        &self,
        values: impl IntoIterator<Item = Option<&'v [u8]>>,
        each: &mut dyn FnMut(&Field<'_>),
    ) {
        let mut values = values.into_iter();
        for (name, kind) in self.names.clustering.iter().zip(self.clustering) {
            each(&(name, kind, values.next().flatten().map(Cow::from)));
        }
    }

    /// The fields of a live row with their places, without those of times. The values of cells that
    /// `wants` doesn't want are null, as are those that the row doesn't have.
    pub(crate) fn each_of_row(
        &self,
        row: &LiveRow<'_>,
        wants: &dyn Fn(usize) -> bool,
        each: &mut dyn FnMut(usize, &Field<'_>),
    ) {
        let mut place = 0;
        let mut put = |field: &Field<'_>| {
            each(place, field);
            place += 1;
        };
        self.each_of_key(row.key, &mut put);
        let clustering = row.row.map(|row| row.clustering.as_prefix());
        match clustering {
            Some(prefix) => self.each_of_clustering(prefix.values(self.clustering), &mut put),
            None => self.each_of_clustering([], &mut put),
        }
        let both = [(row.statics, true), (row.row, false)];
        for (names, (row, is_static)) in self.cells.iter().zip(both) {
            let mut cells = row.map_or(&[][..], |row| &row.columns).iter().peekable();
            let columns = self.merged.list(is_static);
            for (number, (name, column)) in names.iter().zip(columns).enumerate() {
                let own = cells.next_if(|cells| cells.column == number);
                let own = own.filter(|_| wants(place));
                let value = own.and_then(|cells| cells.value(&column.kind));
                each(place, &(name, &column.kind, value));
                place += 1;
            }
        }
    }
}

/// A live row.
pub(crate) struct Live<'r> {
    pub(super) columns: &'r Columns<'r>,
    pub(super) row: &'r LiveRow<'r>,
}

impl Record for Live<'_> {
    fn each_field(&self, each: &mut dyn FnMut(&Field<'_>)) {
        let Live { columns, row } = self;
        columns.each_of_row(row, &|_| true, &mut |_, field| each(field));
        let Some(times) = &columns.times else { return };
        for (row, is_static) in [(row.statics, true), (row.row, false)] {
            each_time(row, times, columns.merged, is_static, each);
        }
    }
}

/// Each column of a list with its times in a row.
fn each_time(
    row: Option<&MergedRow>,
    times: &TimeFields,
    merged: &MergedColumns,
    is_static: bool,
    each: &mut dyn FnMut(&Field<'_>),
) {
    let mut cells = row.map_or(&[][..], |row| &row.columns).iter().peekable();
    let names = &times.names[usize::from(!is_static)];
    for (number, (names, column)) in names.iter().zip(merged.list(is_static)).enumerate() {
        let own = cells.next_if(|cells| cells.column == number);
        let is_many = column.kind.is_complex();
        let values = times.values(is_many, own);
        for ((name, kind), value) in names.iter().zip(TimeFields::types(is_many)).zip(values) {
            each(&(name, kind, value.map(Cow::Owned)));
        }
    }
}

//! Live rows as records: a field for each column of the table.
//!
//! Callers: export

use std::borrow::Cow;

use manicule_rows::export::LiveRow;
use manicule_rows::merge::{MergedColumns, MergedRow};
use manicule_rows::{Elements, KeyNames, Type};

use super::sheet::{Field, Record};

/// Types and names of a table.
pub(super) struct Columns<'t> {
    pub(super) key: &'t Type,
    pub(super) clustering: &'t [Type],
    pub(super) names: &'t KeyNames,
    /// Names of static and of regular columns.
    cells: [Vec<String>; 2],
    merged: &'t MergedColumns,
}

impl<'t> Columns<'t> {
    pub(super) fn new(
        key: &'t Type,
        clustering: &'t [Type],
        names: &'t KeyNames,
        merged: &'t MergedColumns,
    ) -> Self {
        let cells = [true, false].map(|is_static| {
            let columns = merged.list(is_static).iter();
            columns.map(|it| String::from_utf8_lossy(&it.name).into_owned()).collect()
        });
        Columns { key, clustering, names, cells, merged }
    }

    /// Names and types of the partition key's and clustering columns.
    pub(super) fn of_key(&self) -> Vec<(String, &'t Type)> {
        let key = self.names.partition_key.iter().cloned().zip(self.key.key_parts());
        key.chain(self.names.clustering.iter().cloned().zip(self.clustering)).collect()
    }

    /// Names and types of all columns.
    pub(super) fn all(&self) -> Vec<(String, &'t Type)> {
        let mut all = self.of_key();
        for (names, is_static) in self.cells.iter().zip([true, false]) {
            let kinds = self.merged.list(is_static).iter().map(|column| &column.kind);
            all.extend(names.iter().cloned().zip(kinds));
        }
        all
    }

    /// The fields of a partition key.
    pub(super) fn each_of_key(&self, key: &[u8], each: &mut dyn FnMut(&Field<'_>)) {
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
    pub(super) fn each_of_clustering<'v>(
        &self,
        values: impl IntoIterator<Item = Option<&'v [u8]>>,
        each: &mut dyn FnMut(&Field<'_>),
    ) {
        let mut values = values.into_iter();
        for (name, kind) in self.names.clustering.iter().zip(self.clustering) {
            each(&(name, kind, values.next().flatten().map(Cow::from)));
        }
    }
}

/// A live row.
pub(super) struct Live<'r> {
    pub(super) columns: &'r Columns<'r>,
    pub(super) row: &'r LiveRow<'r>,
}

impl Record for Live<'_> {
    fn each_field(&self, each: &mut dyn FnMut(&Field<'_>)) {
        let Live { columns, row } = self;
        columns.each_of_key(row.key, each);
        let clustering = row.row.map(|row| row.clustering.as_prefix());
        match clustering {
            Some(prefix) => columns.each_of_clustering(prefix.values(columns.clustering), each),
            None => columns.each_of_clustering([], each),
        }
        for (names, (row, is_static)) in
            columns.cells.iter().zip([(row.statics, true), (row.row, false)])
        {
            each_cell(row, names, columns.merged, is_static, each);
        }
    }
}

/// Each column of a list with its value in a row, null where the row has none.
fn each_cell(
    row: Option<&MergedRow>,
    names: &[String],
    merged: &MergedColumns,
    is_static: bool,
    each: &mut dyn FnMut(&Field<'_>),
) {
    let mut cells = row.map_or(&[][..], |row| &row.columns).iter().peekable();
    for (number, (name, column)) in names.iter().zip(merged.list(is_static)).enumerate() {
        let own = cells.next_if(|cells| cells.column == number);
        each(&(name, &column.kind, own.and_then(|cells| cells.value(&column.kind))));
    }
}

//! The columns of several SSTables, each with one number: an SSTable lists those that it has.

use std::collections::BTreeMap;

use manicule_format_sstable::{Column, Header, Type, column_key};

use crate::RowsError;
use crate::table::Sstable;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedColumn {
    /// Its name in bytes of UTF-8.
    pub name: Vec<u8>,
    /// Its type.
    pub kind: Type,
}

/// Static and regular columns, in the order of their cells.
#[derive(Clone, Debug)]
pub struct MergedColumns {
    statics: Vec<MergedColumn>,
    regulars: Vec<MergedColumn>,
}

impl MergedColumns {
    /// Those of all SSTables.
    ///
    /// # Errors
    /// SSTables whose clustering columns differ, or a column that is simple in one and complex in
    /// another: they aren't of one table.
    pub(crate) fn of(sstables: &[&Sstable]) -> Result<Self, RowsError> {
        let Some((first, rest)) = sstables.split_first() else {
            return Ok(MergedColumns { statics: Vec::new(), regulars: Vec::new() });
        };
        for other in rest {
            if other.header().clustering != first.header().clustering {
                let what = "its clustering columns are not those of the other SSTables";
                return Err(unsupported(other, what.to_owned()));
            }
        }
        let statics = union(sstables, |header| &header.statics)?;
        Ok(MergedColumns { statics, regulars: union(sstables, |header| &header.regulars)? })
    }

    /// Those of a header, by their places in its lists.
    pub(crate) fn of_header(header: &Header) -> Self {
        MergedColumns { statics: listed(&header.statics), regulars: listed(&header.regulars) }
    }

    /// Static or regular columns, by their numbers.
    pub fn list(&self, is_static: bool) -> &[MergedColumn] {
        if is_static { &self.statics } else { &self.regulars }
    }

    /// The numbers of an SSTable's columns.
    pub(crate) fn numbers(&self, header: &Header, is_static: bool) -> Vec<usize> {
        let list = self.list(is_static);
        let number = |column: &Column| {
            let found = list.iter().position(|merged| merged.name == column.name);
            found.expect("every column of every SSTable has a number")
        };
        header.columns(is_static).iter().map(number).collect()
    }
}

fn listed(columns: &[Column]) -> Vec<MergedColumn> {
    let column = |column: &Column| {
        let Column { name, kind } = column.clone();
        MergedColumn { name, kind }
    };
    columns.iter().map(column).collect()
}

fn union(
    sstables: &[&Sstable],
    columns: impl Fn(&Header) -> &Vec<Column>,
) -> Result<Vec<MergedColumn>, RowsError> {
    // Where all agree, their order is kept.
    if let Some((first, rest)) = sstables.split_first()
        && rest.iter().all(|other| columns(other.header()) == columns(first.header()))
    {
        return Ok(listed(columns(first.header())));
    }
    let mut found: BTreeMap<Vec<u8>, Type> = BTreeMap::new();
    for sstable in sstables {
        for Column { name, kind } in columns(sstable.header()) {
            let there = found.entry(name.clone()).or_insert_with(|| kind.clone());
            if there.is_complex() != kind.is_complex() {
                let name = String::from_utf8_lossy(name).into_owned();
                let what = format!("column {name} is one cell in one SSTable and many in another");
                return Err(unsupported(sstable, what));
            }
        }
    }
    let mut list: Vec<_> =
        found.into_iter().map(|(name, kind)| MergedColumn { name, kind }).collect();
    list.sort_by(|left, right| {
        let key = column_key(&left.name, left.kind.is_complex());
        key.cmp(&column_key(&right.name, right.kind.is_complex()))
    });
    Ok(list)
}

fn unsupported(sstable: &Sstable, what: String) -> RowsError {
    RowsError::Unsupported { file: sstable.path().to_owned(), what }
}

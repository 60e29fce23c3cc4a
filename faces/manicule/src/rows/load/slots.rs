//! Which field of a record is which column: what readers of all formats fill.

use std::borrow::Cow;

use manicule_rows::{Header, RowsError, SchemaTable, Type};

/// A field of a record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Field<'v> {
    /// The record has none.
    #[default]
    Absent,
    /// Null.
    Null,
    /// Bytes of a value.
    Value(Cow<'v, [u8]>),
}

impl Field<'_> {
    /// The value; `None` of null and of none.
    pub(super) fn value(&self) -> Option<&[u8]> {
        match self {
            Field::Value(value) => Some(value),
            Field::Absent | Field::Null => None,
        }
    }

    /// The value as a text.
    pub(super) fn text(&self) -> Option<&str> {
        self.value().and_then(|value| str::from_utf8(value).ok())
    }

    /// The value as a number of at most 64 bits.
    pub(super) fn number(&self) -> Option<i64> {
        let value = self.value()?;
        let first = if *value.first()? > 127 { -1 } else { 0 };
        Some(value.iter().fold(first, |number, byte| number << 8 | i64::from(*byte)))
    }
}

/// The fields of a record, by their slots.
pub(super) type Fields<'v> = Vec<Field<'v>>;

/// Takes the fields of each record.
pub(super) type TakeFields<'t> = &'t mut dyn FnMut(&Fields<'_>) -> Result<(), RowsError>;

/// Names and types of the fields.
#[derive(Debug)]
pub(super) struct Slots {
    list: Vec<(String, Type)>,
    ignores_others: bool,
}

impl Slots {
    pub(super) fn new(list: Vec<(String, Type)>, ignores_others: bool) -> Self {
        Slots { list, ignores_others }
    }

    /// Fields of which none is there.
    pub(super) fn fields<'v>(&self) -> Fields<'v> {
        vec![Field::Absent; self.list.len()]
    }

    /// The number of the field with a name, as it is or in the quotes of CQL; `None` for one that
    /// is passed over.
    pub(super) fn slot(&self, name: &str) -> Result<Option<usize>, RowsError> {
        let is = |name: &str| self.list.iter().position(|(other, _)| other == name);
        let unquoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        let found = is(name).or_else(|| is(&unquoted?.replace("\"\"", "\"")));
        if found.is_none() && !self.ignores_others {
            let why = format!("the table has no column {name}");
            return Err(RowsError::Unwritable { why });
        }
        Ok(found)
    }

    /// The numbers of fields by their names, of which each may be there once.
    pub(super) fn list<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Vec<Option<usize>>, RowsError> {
        let mut list = Vec::new();
        for name in names {
            let slot = self.slot(name)?;
            if slot.is_some() && list.contains(&slot) {
                return Err(twice(name));
            }
            list.push(slot);
        }
        Ok(list)
    }

    /// The type of a field.
    pub(super) fn kind(&self, slot: usize) -> &Type {
        &self.list[slot].1
    }

    /// An error of a field.
    pub(super) fn wrong(&self, slot: usize, why: impl std::fmt::Display) -> RowsError {
        RowsError::Unwritable { why: format!("column {}: {why}", self.list[slot].0) }
    }

    /// The partition key of the first fields, which are its parts.
    pub(super) fn key<'f>(
        &self,
        kind: &Type,
        fields: &'f [Field<'_>],
    ) -> Result<Cow<'f, [u8]>, RowsError> {
        let mut key = Vec::new();
        for (slot, field) in fields.iter().enumerate() {
            let value = field.value();
            key.push(value.ok_or_else(|| self.wrong(slot, "the partition key wants a value"))?);
        }
        match &key[..] {
            [single] => Ok(Cow::Borrowed(*single)),
            parts => {
                let key = kind.key_of_parts(parts);
                key.map(Cow::Owned).map_err(|why| RowsError::Unwritable { why })
            }
        }
    }
}

/// The error of a column that a list of names or a row has more than once: which of its values is
/// meant, nobody said.
pub(super) fn twice(name: &str) -> RowsError {
    RowsError::Unwritable { why: format!("column {name} is there twice") }
}

/// Names and types of the columns of a key: of the partition key, and of the clustering.
pub(super) fn of_key(table: &SchemaTable, header: &Header) -> [Vec<(String, Type)>; 2] {
    let names = table.partition_key.iter().cloned();
    let key = names.zip(header.key.key_parts().iter().cloned()).collect();
    let clustering = table.clustering.iter().cloned().zip(header.clustering.iter().cloned());
    [key, clustering.collect()]
}

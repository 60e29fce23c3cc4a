//! A table of a CQL file, and the header of SSTables that are written for it.

use super::error::SchemaError;
use crate::header::{Column, DELETION_TIME_EPOCH, Header, TIMESTAMP_EPOCH, column_key};
use crate::types::Type;
use crate::version::Version;

/// A table of a CQL file.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaTable {
    /// Its keyspace, if it is written.
    pub keyspace: Option<String>,
    /// Its name.
    pub name: String,
    /// All columns in the order of the file.
    pub columns: Vec<SchemaColumn>,
    /// Names of the partition key's columns.
    pub partition_key: Vec<String>,
    /// Names of the clustering columns.
    pub clustering: Vec<String>,
    /// Those of them that are in descending order.
    pub descending: Vec<String>,
    /// Whether it is of compact storage.
    pub is_compact: bool,
    /// What it is created with: `compression`, `bloom_filter_fp_chance`, .., with their values as
    /// they are written.
    pub properties: Vec<(String, Property)>,
}

/// A column of a CQL file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaColumn {
    /// Its name.
    pub name: String,
    /// Its type. One that can't be read is no error while nobody asks for it: an SSTable has the
    /// types of its columns itself.
    pub kind: Result<Type, SchemaError>,
    /// Whether partitions have it rather than rows.
    pub is_static: bool,
}

/// Value of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// A number or a text, without quotes.
    Value(String),
    /// A map of texts.
    Map(Vec<(String, String)>),
}

impl SchemaTable {
    /// Whether the key has as many columns as the header of an SSTable says.
    pub fn check(&self, header: &Header) -> Result<(), SchemaError> {
        let parts = [
            ("partition key", header.key.key_parts().len(), self.partition_key.len()),
            ("clustering key", header.clustering.len(), self.clustering.len()),
        ];
        match parts.into_iter().find(|(_, want, got)| want != got) {
            None => Ok(()),
            Some((part, want, got)) => {
                Err(SchemaError::KeyLen { table: self.name.clone(), part, want, got })
            }
        }
    }

    /// The header of an SSTable of it, with the bases of times that writers have who know of no
    /// row.
    ///
    /// # Errors
    /// A type that can't be read, a column of the key that is missing or of many cells, compact
    /// storage without a clustering column or with several others.
    pub fn header(&self, version: Version) -> Result<Header, SchemaError> {
        if self.partition_key.is_empty() {
            return Err(self.unwritable("it has no primary key".to_owned()));
        }
        let mut key = Vec::new();
        for name in &self.partition_key {
            key.push(self.key_part(name)?);
        }
        let key = if key.len() == 1 { key.swap_remove(0) } else { Type::Composite(key) };
        let mut clustering = Vec::new();
        for name in &self.clustering {
            let kind = self.key_part(name)?;
            let is_descending = self.descending.contains(name);
            clustering.push(if is_descending { Type::Reversed(Box::new(kind)) } else { kind });
        }
        let [regulars, statics] = [self.cells(false)?, self.cells(true)?];
        // Others have columns that CQL doesn't name.
        if self.is_compact && (clustering.is_empty() || regulars.len() != 1) {
            let why = "of compact storage tables with clustering columns and one other are written";
            return Err(self.unwritable(why.to_owned()));
        }
        Ok(Header {
            version,
            base_timestamp: TIMESTAMP_EPOCH,
            base_deletion_time: DELETION_TIME_EPOCH,
            base_ttl: 0,
            key,
            clustering,
            statics,
            regulars,
        })
    }

    fn key_part(&self, name: &str) -> Result<Type, SchemaError> {
        let column = self.columns.iter().find(|column| column.name == name);
        let column =
            column.ok_or_else(|| self.unwritable(format!("it has no column {name} of its key")))?;
        let kind = column.kind.clone()?;
        if kind.is_complex() || column.is_static {
            return Err(self.unwritable(format!("column {name} of its key is not one cell")));
        }
        Ok(kind)
    }

    /// Static or regular columns in the order of their cells.
    fn cells(&self, is_static: bool) -> Result<Vec<Column>, SchemaError> {
        let mut columns = Vec::new();
        for column in &self.columns {
            let is_key =
                self.partition_key.contains(&column.name) || self.clustering.contains(&column.name);
            if column.is_static == is_static && !is_key {
                let (name, kind) = (column.name.clone().into_bytes(), column.kind.clone()?);
                columns.push(Column { name, kind });
            }
        }
        columns.sort_by(|left, right| {
            let key = column_key(&left.name, left.kind.is_complex());
            key.cmp(&column_key(&right.name, right.kind.is_complex()))
        });
        Ok(columns)
    }

    fn unwritable(&self, why: String) -> SchemaError {
        SchemaError::Unwritable { table: self.name.clone(), why }
    }

    /// The value of a property.
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value)
    }
}

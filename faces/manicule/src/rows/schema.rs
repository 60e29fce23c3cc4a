//! The schema of a table as CQL.

use std::path::Path;

use manicule_rows::put_schema;
use manicule_rows::schema::{Difference, Named, United, key_names};
use manicule_rows::table::LeftOut;

use super::error::Error;
use super::open::reading_within;
use super::table::Table;

/// Bytes that are held at a time: one Statistics.db.
const MEMORY_BYTES: u64 = 1 << 30;

/// A schema.
#[derive(Debug)]
pub struct Schema {
    /// CREATE TYPE of each user type, and CREATE TABLE.
    pub cql: String,
    /// Names of the table and its key, and what they are from.
    pub named: Named,
    /// Number of SSTables that it is of.
    pub sstable_count: usize,
    /// What is not the same in all of them.
    pub differences: Vec<Difference>,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
}

impl Table {
    /// Its schema: the columns of all its SSTables, by their newest types. Compression, compaction
    /// and other options are no part of it. The names of the key's columns are those of a CQL file;
    /// without one, of a `schema.cql` beside the SSTables, if it is there.
    ///
    /// Statistics.db of each SSTable that isn't open is read.
    pub fn schema(&self, names: Option<&Path>) -> Result<Schema, Error> {
        reading_within(MEMORY_BYTES, |reading| {
            let (united, listing) = self.with_listing(|listing| {
                let mut headers = listing.headers(&self.reads, reading)?.into_iter();
                let first = headers.next().expect("a table has an SSTable");
                let mut united = United::new(first);
                for (listed, header) in listing.listed[1..].iter().zip(headers) {
                    united.add(listed, header)?;
                }
                Ok(united)
            })?;
            let (header, listed) = (united.header(), &listing.listed);
            let named = key_names(listed, header, names, &self.reads, reading)?;
            let mut cql = String::new();
            put_schema(header, &named.names, &mut cql);
            Ok(Schema {
                cql,
                named,
                sstable_count: listed.len(),
                differences: united.differences(),
                left_out: listing.left_out.clone(),
            })
        })
    }
}

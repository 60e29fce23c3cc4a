//! The schema of a table as CQL.

use std::path::PathBuf;

use manicule_rows::put_schema;
use manicule_rows::schema::{Difference, Named, United, key_names};
use manicule_rows::table::{Access, LeftOut, read_header};
use manicule_store::pages::{Budget, ReadCounts, Reading, SystemCache};

use super::error::Error;
use super::open::{table_options, with_listed};

/// Bytes of the cache: Statistics.db is read whole, and nothing else.
const CACHE_BYTES: u64 = 1 << 20;
/// Bytes that are held at a time: one Statistics.db.
const MEMORY_BYTES: u64 = 1 << 30;

/// Arguments of a schema.
#[derive(Clone, Debug)]
pub struct SchemaCall {
    /// A folder of a table, or a file of one of its SSTables.
    pub path: PathBuf,
    /// A CQL file with the names of the key's columns; `None`: a `schema.cql` beside the SSTables,
    /// if it is there.
    pub schema: Option<PathBuf>,
}

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

/// The schema of a table: the columns of all its SSTables, by their newest types. Compression,
/// compaction and other options are no part of it.
///
/// Statistics.db of each SSTable is read.
pub fn schema(call: &SchemaCall) -> Result<Schema, Error> {
    let options = table_options(Access::Positioned(SystemCache::Used), CACHE_BYTES)?;
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let (united, listed, left_out) = with_listed(&call.path, |listed| {
        let mut united = United::new(read_header(&listed[0], &options, &mut reading)?);
        for listed in &listed[1..] {
            united.add(listed, read_header(listed, &options, &mut reading)?)?;
        }
        Ok(united)
    })?;
    let header = united.header();
    let named = key_names(&listed, header, call.schema.as_deref(), &options, &mut reading)?;
    let mut cql = String::new();
    put_schema(header, &named.names, &mut cql);
    let (sstable_count, differences) = (listed.len(), united.differences());
    Ok(Schema { cql, named, sstable_count, differences, left_out })
}

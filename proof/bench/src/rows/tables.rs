//! The tables of the bench, made by Cassandra's own streaming writer and kept between runs.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use manicule_format_sstable::{Layout, Version};

use super::Bench;
use crate::files::remove;

/// A table of equal rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Its name, which is that of its folder.
    pub(super) name: &'static str,
    pub(super) partition_count: u64,
    /// Number of rows of each partition.
    pub(super) row_count: u64,
    pub(super) value_len: u64,
}

/// The seed's partition at a tenth of its rows: 2 GB.
pub(super) const PARTITION: Shape =
    Shape { name: "partition", partition_count: 1, row_count: 1_000_000, value_len: 2000 };
/// The seed's partition: 20 GB.
pub(super) const LARGE: Shape =
    Shape { name: "large", partition_count: 1, row_count: 10_000_000, value_len: 2000 };
/// The seed's small partition.
pub(super) const SMALL: Shape =
    Shape { name: "small", partition_count: 1, row_count: 400, value_len: 200 };
/// What is dumped.
pub(super) const DUMPED: Shape =
    Shape { name: "dumped", partition_count: 1, row_count: 1_000_000, value_len: 200 };
/// Partitions to be listed.
pub(super) const MANY: Shape =
    Shape { name: "many", partition_count: 100_000, row_count: 10, value_len: 200 };

impl Bench<'_> {
    /// Data.db of a table in a version, made if it isn't kept yet; `None` where no Cassandra that
    /// is here writes it.
    pub(super) fn table(&self, shape: &Shape, version: Version) -> Result<Option<PathBuf>> {
        let layout = if version.has_trie_index() { Layout::Bti } else { Layout::Big };
        let folder = self.corpora.join(format!("rows-{version}-{}", shape.name));
        let data = folder
            .join("ks")
            .join(shape.name)
            .join(format!("{version}-1-{}-Data.db", layout.word()));
        if data.exists() {
            return Ok(Some(data));
        }
        let writer = self.cassandras.iter().find(|one| one.writes().contains(&version));
        let Some(cassandra) = writer else { return Ok(None) };
        eprintln!("  making {} ...", folder.display());
        let aside = folder.with_extension("new");
        remove(&aside)?;
        remove(&folder)?;
        let numbers = [shape.partition_count, shape.row_count, shape.value_len];
        let [partitions, rows, len] = numbers.map(|number| number.to_string());
        let path = aside.to_str().context("the cache folder's name is not UTF-8")?;
        cassandra.answer("Big", [path, layout.word(), &partitions, &rows, &len, shape.name])?;
        fs::rename(&aside, &folder)?;
        Ok(Some(data))
    }

    /// The same where it has to be there.
    pub(super) fn needed(&self, shape: &Shape, version: Version) -> Result<PathBuf> {
        let table = self.table(shape, version)?;
        table.with_context(|| format!("no Cassandra is here that writes {version}"))
    }
}

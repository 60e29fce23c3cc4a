//! Which SSTables of a table have a partition.

use std::path::PathBuf;

use manicule_rows::Component;
use manicule_rows::scan::positions;
use manicule_rows::table::{LeftOut, Sstable};

use super::error::Error;
use super::listing::Listing;
use super::table::Table;

/// The SSTables that have a partition.
#[derive(Clone, Debug)]
pub struct Holders {
    /// Path of the Data.db of each, and the partition's offset in its uncompressed data; by version
    /// and generation.
    pub list: Vec<(PathBuf, u64)>,
    /// Number of all SSTables.
    pub sstable_count: usize,
    /// Number of those whose filter admits the key, rightly or not.
    pub admitted_count: u64,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
}

impl Table {
    /// Looks a partition up in each SSTable, by filter and index. The key is as CQL writes it, as
    /// sstabledump takes it, or its bytes as `0x00ff`.
    pub fn holders(&self, key: &str) -> Result<Holders, Error> {
        let ((list, admitted_count), listing) =
            self.with_listing(|listing| self.holders_in(listing, key))?;
        let data = |(place, at): (usize, u64)| (listing.listed[place].path(&Component::Data), at);
        Ok(Holders {
            list: list.into_iter().map(data).collect(),
            sstable_count: listing.listed.len(),
            admitted_count,
            left_out: listing.left_out.clone(),
        })
    }

    /// Places of those that have it, each with the partition's offset, and the number of those
    /// whose filter admits the key.
    fn holders_in(&self, listing: &Listing, key: &str) -> Result<(Vec<(usize, u64)>, u64), Error> {
        self.reading(|reading| {
            let kind = listing.header_for_lookup(&self.reads, reading)?.key;
            let read = kind.read_key(key).or_else(|_| kind.read_plain_key(key));
            let what = || format!("partition key {key:?}");
            let key = read.map_err(|source| Error::Literal { what: what(), source })?;
            let opened = listing.sstables_that_may_have(&key, &self.reads, reading)?;
            let admitted = opened.into_iter().enumerate();
            let (places, sstables): (Vec<usize>, Vec<Sstable>) =
                admitted.filter_map(|(place, sstable)| Some((place, sstable?))).unzip();
            let mut list = Vec::new();
            for (place, at) in places.into_iter().zip(positions(&sstables, &key, reading)) {
                list.extend(at?.map(|at| (place, at)));
            }
            Ok((list, sstables.len() as u64))
        })
    }
}

//! One SSTable, open.
//!
//! Callers: lookup, slice, merge, faces/manicule

use std::ops::Range;
use std::path::Path;

use manicule_format_sstable::{
    Component, Descriptor, Filter, Header, KeyHash, Partitioner, RowShape, StatisticsFile, Summary,
    Version,
};
use manicule_store::pages::Reading;

use super::chunks::Chunks;
use super::data::DataFile;
use super::file::{OpenFile, TableOptions};
use super::folder::Listed;
use super::resident::Resident;
use crate::RowsError;

/// An SSTable whose files are open. It is shared by any number of readers.
#[derive(Debug)]
pub struct Sstable {
    descriptor: Descriptor,
    header: Header,
    shape: RowShape,
    partitioner: Partitioner,
    data: DataFile,
    index: IndexFiles,
    filter: Option<Resident>,
    sums: Option<Resident>,
}

/// The files of the index.
#[derive(Debug)]
pub(crate) enum IndexFiles {
    /// Index.db, and its samples where they are there and whole.
    Big { index: OpenFile, summary: Option<Resident> },
    /// Partitions.db and Rows.db.
    Tries { partitions: OpenFile, rows: OpenFile },
}

impl Sstable {
    /// Opens the files of a listed SSTable. Filter.db and Summary.db may be missing, and a broken one is as a missing one.
    ///
    /// Cost: Statistics.db, Filter.db, Summary.db and CompressionInfo.db are read, unless they are mapped.
    pub fn open(
        listed: &Listed,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let version = listed.descriptor.version;
        let resident = |component: &Component, reading: &mut Reading<'_>| {
            Resident::open(listed.path(component), options, reading)
        };
        let statistics = resident(&Component::Statistics, reading)?;
        let (header, partitioner) = describe(&statistics, version)?;
        let open = |component: &Component| OpenFile::open(listed.path(component), options);
        let chunks = match listed.components.contains(&Component::CompressionInfo) {
            true => {
                let info = resident(&Component::CompressionInfo, reading)?;
                Some(Chunks::open(info, version, options.chunk_bytes_max)?)
            }
            false => None,
        };
        let mut optional = |component: &Component| {
            let is_there = listed.components.contains(component);
            is_there.then(|| resident(component, reading)).transpose()
        };
        let summary = optional(&Component::Summary)?;
        let filter = optional(&Component::Filter)?;
        let sums = optional(&Component::Crc)?;
        let index = if version.has_trie_index() {
            let (partitions, rows) = (open(&Component::Partitions)?, open(&Component::Rows)?);
            IndexFiles::Tries { partitions, rows }
        } else {
            let is_whole = |summary: &Resident| Summary::open(summary.bytes()).is_ok();
            IndexFiles::Big { index: open(&Component::Index)?, summary: summary.filter(is_whole) }
        };
        Ok(Sstable {
            descriptor: listed.descriptor.clone(),
            shape: RowShape::new(&header),
            header,
            partitioner,
            data: DataFile::new(open(&Component::Data)?, chunks),
            index,
            filter: filter.filter(|filter| Filter::open(filter.bytes(), version).is_ok()),
            sums,
        })
    }

    /// What the names of its files share.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Version of the format.
    pub fn version(&self) -> Version {
        self.descriptor.version
    }

    /// Types and columns.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How its rows are laid out.
    pub fn shape(&self) -> &RowShape {
        &self.shape
    }

    /// Order of its partitions.
    pub fn partitioner(&self) -> Partitioner {
        self.partitioner
    }

    /// Path of Data.db.
    pub fn path(&self) -> &Path {
        self.data.path()
    }

    /// Length in bytes of the uncompressed data.
    pub fn data_len(&self) -> u64 {
        self.data.len()
    }

    pub(crate) fn data(&self) -> &DataFile {
        &self.data
    }

    pub(crate) fn index(&self) -> &IndexFiles {
        &self.index
    }

    /// Whether the filter admits a key; without a filter each is.
    pub fn may_contain(&self, hash: KeyHash) -> bool {
        let filter =
            self.filter.as_ref().map(|filter| Filter::open(filter.bytes(), self.version()));
        !matches!(filter, Some(Ok(filter)) if !filter.may_contain(hash))
    }

    /// Compares the checksums of CRC.db for the blocks of 64 KiB that a range of the data touches. Chunks of compressed
    /// data are compared whenever they are read, so of these there is nothing to do here.
    pub fn check_sums(
        &self,
        range: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        match &self.sums {
            Some(sums) => self.data.check_sums(sums, range, reading),
            None => Ok(()),
        }
    }
}

fn describe(statistics: &Resident, version: Version) -> Result<(Header, Partitioner), RowsError> {
    let file = StatisticsFile::open(statistics.bytes(), version);
    let file = file.map_err(|error| statistics.damaged(error))?;
    let header = file.header().map_err(|error| statistics.damaged(error))?;
    let validation = file.validation().map_err(|error| statistics.damaged(error))?;
    Ok((header, Partitioner::of_class(&validation.partitioner)))
}

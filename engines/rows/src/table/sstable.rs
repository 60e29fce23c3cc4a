//! One SSTable, open.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use manicule_format_sstable::{
    Component, Descriptor, Header, KeyHash, Partitioner, RowShape, StatisticsFile, Version,
};
use manicule_store::pages::Reading;
use manicule_store::store::Store;

use super::ahead::{Foreseen, together};
use super::bring::bring;
use super::chunks::Chunks;
use super::data::DataFile;
use super::ends::Ends;
use super::file::{OpenFile, TableOptions};
use super::filter::FilterFile;
use super::found::open_found;
use super::listed::Listed;
use super::places::Places;
use super::resident::Resident;
use super::summary::SummaryFile;
use super::sums::{Asked, Proof};
use crate::RowsError;

/// An SSTable whose files are open. It is shared by any number of readers: clones are the same one.
#[derive(Clone, Debug)]
pub struct Sstable(Arc<Files>);

/// What an SSTable has.
#[derive(Debug)]
struct Files {
    /// Where they are.
    store: Arc<dyn Store>,
    descriptor: Descriptor,
    header: Header,
    shape: RowShape,
    partitioner: Partitioner,
    /// Mean length of a row, by the number of rows that Statistics.db has.
    row_len_mean: Option<u64>,
    ends: Ends,
    data: DataFile,
    index: IndexFiles,
    filter: Option<FilterFile>,
    /// What CompressionInfo.db has lost and Data.db itself says, as a sentence: only where damage
    /// is expected.
    mended: Option<String>,
}

/// The files of the index.
#[derive(Debug)]
pub(crate) enum IndexFiles {
    /// Index.db, and its samples where they are there and whole.
    Big { index: OpenFile, summary: Option<SummaryFile> },
    /// Partitions.db and Rows.db.
    Tries { partitions: OpenFile, rows: OpenFile },
    /// None, as it can't be opened: only where damage is expected.
    Missing,
}

/// What is expected of the files of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Care {
    /// They are whole, and have to prove it: lengths now, checksums and ends as they are passed.
    Whole,
    /// They are whole as far as they can be read: who reads compares the rest by itself.
    Compared,
    /// They may be damaged or missing: what the data can be read without is done without.
    Damaged,
}

impl Sstable {
    /// Opens the files of a listed SSTable. Filter.db and Summary.db may be missing, and a broken
    /// one is as a missing one.
    ///
    /// Cost: Statistics.db is read, and of Filter.db, Summary.db and CompressionInfo.db what is
    ///       short, or a page or two.
    pub fn open(
        listed: &Listed,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let filter = FilterFile::open(listed, options, reading)?;
        Self::open_with(listed, filter, Care::Whole, options, reading)
    }

    /// Opens SSTables of one folder, side by side where they are at an address.
    pub fn open_all(
        listed: &[&Listed],
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Vec<Result<Self, RowsError>> {
        let Some(first) = listed.first() else { return Vec::new() };
        bring(listed.iter().copied(), Foreseen::Opening);
        together(&*first.store, listed.len(), reading, |number, reading| {
            Self::open(listed[number], options, reading)
        })
    }

    /// Opens the files of an SSTable for who compares them with each other.
    pub(crate) fn open_compared(
        listed: &Listed,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let filter = FilterFile::open(listed, options, reading)?;
        Self::open_with(listed, filter, Care::Compared, options, reading)
    }

    /// Opens it unless its filter says that it doesn't have a partition: then Filter.db is all that
    /// is read.
    pub fn open_if_it_may_have(
        listed: &Listed,
        key: &[u8],
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Self>, RowsError> {
        let filter = FilterFile::open(listed, options, reading)?;
        if admits(filter.as_ref(), KeyHash::of(key), reading)? {
            Self::open_with(listed, filter, Care::Whole, options, reading).map(Some)
        } else {
            Ok(None)
        }
    }

    /// The same of SSTables of one folder, side by side where they are at an address.
    pub fn open_all_that_may_have(
        listed: &[&Listed],
        key: &[u8],
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Vec<Result<Option<Self>, RowsError>> {
        let Some(first) = listed.first() else { return Vec::new() };
        if first.store.is_far() {
            bring(listed.iter().copied(), Foreseen::Filter);
            let may_have = together(&*first.store, listed.len(), reading, |number, reading| {
                let filter = FilterFile::open(listed[number], options, reading)?;
                admits(filter.as_ref(), KeyHash::of(key), reading)
            });
            // What can't be read is an error of who opens it.
            let admitted = listed
                .iter()
                .zip(may_have)
                .filter(|(_, may_have)| may_have.as_ref().is_ok_and(|may_have| *may_have));
            bring(admitted.map(|(listed, _)| *listed).collect::<Vec<_>>(), Foreseen::Opening);
        }
        together(&*first.store, listed.len(), reading, |number, reading| {
            Self::open_if_it_may_have(listed[number], key, options, reading)
        })
    }

    /// Opens the files of an SSTable that may be damaged: only Data.db, the header in
    /// Statistics.db, and CompressionInfo.db of compressed data are needed.
    pub fn open_damaged(
        listed: &Listed,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let filter = FilterFile::open(listed, options, reading).unwrap_or_default();
        Self::open_with(listed, filter, Care::Damaged, options, reading)
    }

    fn open_with(
        listed: &Listed,
        filter: Option<FilterFile>,
        care: Care,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let version = listed.descriptor.version;
        let statistics = Resident::open(listed, &Component::Statistics, options, reading)?;
        let (header, partitioner) = match care {
            Care::Whole | Care::Compared => describe(&statistics, version)?,
            Care::Damaged => describe_damaged(&statistics, version)?,
        };
        let open = |component: &Component| OpenFile::open(listed, component, options);
        let stored = open(&Component::Data)?;
        let (chunks, mended) = if listed.components.contains(&Component::CompressionInfo) {
            let (chunks, mended) = open_chunks(listed, &stored, care, options, reading)?;
            (Some(chunks), mended)
        } else {
            (None, None)
        };
        let summary = open_summary(listed, care, options, reading)?;
        let open_index = || -> Result<IndexFiles, RowsError> {
            if version.has_trie_index() {
                let (partitions, rows) = (open(&Component::Partitions)?, open(&Component::Rows)?);
                Ok(IndexFiles::Tries { partitions, rows })
            } else {
                Ok(IndexFiles::Big { index: open(&Component::Index)?, summary })
            }
        };
        let proof = match (&chunks, care) {
            (Some(_), _) => Proof::None,
            (None, Care::Whole) => Proof::of(listed, options, Asked::Always)?,
            (None, Care::Compared) => Proof::of(listed, options, Asked::OnCall)?,
            (None, Care::Damaged) => {
                Proof::of(listed, options, Asked::OnCall).unwrap_or(Proof::None)
            }
        };
        let data = DataFile::new(stored, chunks, proof);
        if care == Care::Whole {
            data.check_len(reading)?;
        }
        let index = match (open_index(), care) {
            (Err(_), Care::Damaged) => IndexFiles::Missing,
            (index, _) => index?,
        };
        let counted = StatisticsFile::open(statistics.bytes(), version).ok();
        let counted = counted.and_then(|file| file.statistics().ok());
        let row_count = counted.as_ref().map(|counted| counted.row_count);
        Ok(Sstable(Arc::new(Files {
            store: Arc::clone(&listed.store),
            descriptor: listed.descriptor.clone(),
            shape: RowShape::new(&header),
            header,
            partitioner,
            row_len_mean: row_count.and_then(|count| data.len().checked_div(count)),
            ends: Ends::of(counted.as_ref()),
            data,
            index,
            filter,
            mended,
        })))
    }

    /// Where its files are.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.0.store
    }

    /// What the names of its files share.
    pub fn descriptor(&self) -> &Descriptor {
        &self.0.descriptor
    }

    /// Version of the format.
    pub fn version(&self) -> Version {
        self.0.descriptor.version
    }

    /// Mean length of a row in bytes, for guesses: none where Statistics.db doesn't say how many
    /// there are.
    pub(crate) fn row_len_mean(&self) -> Option<u64> {
        self.0.row_len_mean
    }

    /// Types and columns.
    pub fn header(&self) -> &Header {
        &self.0.header
    }

    /// How its rows are laid out.
    pub fn shape(&self) -> &RowShape {
        &self.0.shape
    }

    /// Order of its partitions.
    pub fn partitioner(&self) -> Partitioner {
        self.0.partitioner
    }

    /// Path of Data.db.
    pub fn path(&self) -> &Path {
        self.0.data.path()
    }

    /// Length in bytes of the uncompressed data.
    pub fn data_len(&self) -> u64 {
        self.0.data.len()
    }

    pub(crate) fn data(&self) -> &DataFile {
        &self.0.data
    }

    /// Data.db as it is stored.
    pub(crate) fn stored(&self) -> &OpenFile {
        self.0.data.stored()
    }

    /// What CompressionInfo.db has lost of an SSTable that was opened as damaged, as a sentence:
    /// the places of its chunks were found.
    pub(crate) fn mended(&self) -> Option<&str> {
        self.0.mended.as_deref()
    }

    /// Whether there are checksums of data that aren't compressed.
    pub(crate) fn has_sums(&self) -> bool {
        self.0.data.has_sums()
    }

    /// What Statistics.db says of its partitions.
    pub(super) fn ends(&self) -> &Ends {
        &self.0.ends
    }

    /// The file that has all partitions in their order, beside Data.db.
    pub(crate) fn index_path(&self) -> &Path {
        match &self.0.index {
            IndexFiles::Big { index, .. } => index.path(),
            IndexFiles::Tries { partitions, .. } => partitions.path(),
            IndexFiles::Missing => self.path(),
        }
    }

    pub(crate) fn index(&self) -> &IndexFiles {
        &self.0.index
    }

    /// Whether the filter admits a partition key; without a filter each is.
    pub fn may_have(&self, key: &[u8], reading: &mut Reading<'_>) -> Result<bool, RowsError> {
        self.may_contain(KeyHash::of(key), reading)
    }

    /// Which SSTables may have a partition key, by their filters; side by side where they are at an
    /// address.
    pub fn all_may_have(
        sstables: &[Self],
        key: &[u8],
        reading: &mut Reading<'_>,
    ) -> Vec<Result<bool, RowsError>> {
        let Some(first) = sstables.first() else { return Vec::new() };
        together(first.store(), sstables.len(), reading, |number, reading| {
            sstables[number].may_have(key, reading)
        })
    }

    /// The same, of a key's hash.
    pub(crate) fn may_contain(
        &self,
        hash: KeyHash,
        reading: &mut Reading<'_>,
    ) -> Result<bool, RowsError> {
        admits(self.0.filter.as_ref(), hash, reading)
    }

    /// Compares the checksums of CRC.db for the blocks of 64 KiB that a range of the data touches.
    /// Chunks of compressed data are compared whenever they are read, so of these there is nothing
    /// to do here.
    pub fn check_sums(
        &self,
        range: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        self.0.data.check_sums(range, reading)
    }
}

/// The header of a listed SSTable, of which nothing else is opened.
pub fn read_header(
    listed: &Listed,
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<Header, RowsError> {
    let statistics = Resident::open(listed, &Component::Statistics, options, reading)?;
    Ok(describe(&statistics, listed.descriptor.version)?.0)
}

/// The headers of listed SSTables of one folder, side by side where they are at an address.
pub fn read_headers(
    listed: &[&Listed],
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Vec<Result<Header, RowsError>> {
    let Some(first) = listed.first() else { return Vec::new() };
    bring(listed.iter().copied(), Foreseen::Header);
    together(&*first.store, listed.len(), reading, |number, reading| {
        read_header(listed[number], options, reading)
    })
}

/// The bytes of a component.
pub(crate) fn read_component(
    listed: &Listed,
    component: &Component,
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<Vec<u8>, RowsError> {
    Ok(Resident::open(listed, component, options, reading)?.into_bytes())
}

/// The chunks of compressed data; of what may be damaged, and what CompressionInfo.db has lost.
fn open_chunks(
    listed: &Listed,
    stored: &OpenFile,
    care: Care,
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<(Chunks, Option<String>), RowsError> {
    match care {
        Care::Damaged => {
            let info = Resident::open(listed, &Component::CompressionInfo, options, reading)?;
            open_found(info, listed.descriptor.version, options.chunk_bytes_max, stored, reading)
        }
        Care::Whole | Care::Compared => {
            let places = Places::open(listed, options, reading)?;
            Ok((Chunks::open(places, options.chunk_bytes_max)?, None))
        }
    }
}

/// Summary.db where it is there and whole.
fn open_summary(
    listed: &Listed,
    care: Care,
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<Option<SummaryFile>, RowsError> {
    if !listed.components.contains(&Component::Summary) {
        return Ok(None);
    }
    match (SummaryFile::open(listed, options, reading), care) {
        (Err(_), Care::Damaged) => Ok(None),
        (opened, _) => opened,
    }
}

fn admits(
    filter: Option<&FilterFile>,
    hash: KeyHash,
    reading: &mut Reading<'_>,
) -> Result<bool, RowsError> {
    filter.map_or(Ok(true), |filter| filter.may_contain(hash, reading))
}

/// As [`describe`], of a file that may be damaged: without the partitioner the order of the
/// partitions isn't known.
fn describe_damaged(
    statistics: &Resident,
    version: Version,
) -> Result<(Header, Partitioner), RowsError> {
    let file = StatisticsFile::open_damaged(statistics.bytes(), version);
    let (file, damage) = file.map_err(|error| statistics.damaged(error))?;
    // Where its section is left out for its checksum, that is the error.
    let header = match (file.header(), damage) {
        (Ok(header), _) => header,
        (Err(_), Some(damage)) => return Err(statistics.damaged(damage)),
        (Err(error), None) => return Err(statistics.damaged(error)),
    };
    let partitioner = file
        .validation()
        .map_or(Partitioner::Other, |validation| Partitioner::of_class(&validation.partitioner));
    Ok((header, partitioner))
}

fn describe(statistics: &Resident, version: Version) -> Result<(Header, Partitioner), RowsError> {
    let file = StatisticsFile::open(statistics.bytes(), version);
    let file = file.map_err(|error| statistics.damaged(error))?;
    let header = file.header().map_err(|error| statistics.damaged(error))?;
    let validation = file.validation().map_err(|error| statistics.damaged(error))?;
    Ok((header, Partitioner::of_class(&validation.partitioner)))
}

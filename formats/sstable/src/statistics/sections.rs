//! The sections of Statistics.db and their checksums.
//!
//! Bytes:   | i32 count | count x (i32 kind, i32 offset) | sections |; from `na` on a CRC-32 after the count, after the table
//!          (of count and table) and after each section, docs/formats/sstable.md, Statistics.db

use manicule_core::bytes::{DecodeError, Reader};

use super::cardinality::Cardinality;
use super::fields::Statistics;
use crate::Version;
use crate::error::SstableError;
use crate::header::Header;
use crate::shortened::shortened;
use crate::vint::ReadVint;

/// First bytes of the estimate of keys that ScyllaDB writes, and doesn't read: sixteen registers of
/// a byte follow, whose estimate is off by a quarter. Cassandra takes them for words of five bits.
const SCYLLADB_CARDINALITY: [u8; 12] = [0, 0, 0, 24, 0xff, 0xff, 0xff, 0xfe, 4, 0, 0, 16];
/// Length of that section.
const SCYLLADB_CARDINALITY_LEN: usize = 28;
/// Number of ancestors, none, which tables before `mc` have ahead of the estimate: the first builds
/// of ScyllaDB that wrote `mc` have it too.
const NO_ANCESTORS: [u8; 4] = [0; 4];

/// Kinds of sections, by their numbers.
const NAMES: [&str; 4] =
    ["validation section", "compaction section", "statistics section", "serialization header"];

/// What the table was written with.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// Class of the partitioner.
    pub partitioner: String,
    /// Chance of a false answer that the Bloom filter was made for.
    pub filter_chance: f64,
}

/// A Statistics.db that lies in memory: the table of its sections has been read.
#[derive(Clone, Debug)]
pub struct StatisticsFile<'a> {
    version: Version,
    /// Of each kind the bytes and their offset.
    sections: [Option<(u64, &'a [u8])>; 4],
}

impl<'a> StatisticsFile<'a> {
    /// Reads the table of sections, in whatever order they are. Checksums of sections are compared
    /// here, where there are any.
    pub fn open(bytes: &'a [u8], version: Version) -> Result<StatisticsFile<'a>, DecodeError> {
        let (file, damage) = StatisticsFile::open_damaged(bytes, version)?;
        damage.map_or(Ok(file), Err)
    }

    /// As [`StatisticsFile::open`], but sections that don't have their checksum are left out. Also
    /// returns the first error of a checksum.
    pub fn open_damaged(
        bytes: &'a [u8],
        version: Version,
    ) -> Result<(StatisticsFile<'a>, Option<DecodeError>), DecodeError> {
        let mut damage = None;
        let starts = read_table(bytes, version, &mut damage)?;
        let sum_len = if version.has_section_checksums() { 4 } else { 0 };
        let mut sections = [None; 4];
        for (kind, start) in starts.iter().enumerate() {
            let Some(start) = *start else { continue };
            let later = starts.iter().flatten().copied().filter(|other| *other > start);
            let end = later.min().unwrap_or(bytes.len());
            let what = NAMES[kind];
            let mut reader = Reader::new(&bytes[start..end], start as u64);
            let Some(len) = (end - start).checked_sub(sum_len) else {
                let have = (end - start) as u64;
                return Err(DecodeError::Short { what, at: start as u64, need: 4, have });
            };
            let section = reader.take(what, len)?;
            if sum_len > 0
                && let Err(error) = check_sum(what, &mut reader, crc32fast::hash(section))
            {
                damage.get_or_insert(error);
                continue;
            }
            sections[kind] = Some((start as u64, section));
        }
        Ok((StatisticsFile { version, sections }, damage))
    }

    /// Version of the table.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The sections that there are: name, offset, bytes.
    pub fn sections(&self) -> impl Iterator<Item = (&'static str, u64, &'a [u8])> {
        let named = NAMES.into_iter().zip(self.sections);
        named.filter_map(|(name, section)| section.map(|(at, bytes)| (name, at, bytes)))
    }

    /// The header by which Data.db is read.
    pub fn header(&self) -> Result<Header, SstableError> {
        let mut reader = self.section(3)?;
        let header = Header::read(&mut reader, self.version)?;
        at_end(&reader, NAMES[3])?;
        Ok(header)
    }

    /// What the table was written with.
    pub fn validation(&self) -> Result<Validation, SstableError> {
        let mut reader = self.section(0)?;
        let (what, at) = ("partitioner", reader.at());
        let class = reader.short_bytes(what)?;
        let Ok(partitioner) = std::str::from_utf8(class) else {
            return Err(SstableError::Text { what, at, want: "UTF-8", got: shortened(class) });
        };
        let filter_chance = f64::from_bits(reader.u64_be("chance of the filter")?);
        at_end(&reader, NAMES[0])?;
        Ok(Validation { partitioner: partitioner.to_owned(), filter_chance })
    }

    /// The estimate of distinct keys; `None` without that section, and where there is none that can
    /// be merged with others: ScyllaDB leaves it empty, or writes sixteen registers.
    pub fn cardinality(&self) -> Result<Option<Cardinality>, DecodeError> {
        if self.sections[1].is_none_or(|(_, bytes)| bytes.is_empty() || is_of_scylladb(bytes)) {
            return Ok(None);
        }
        let mut reader = self.section(1)?;
        let (what, at) = ("length of the cardinality", reader.at());
        let len = reader.u32_be(what)?;
        let have = reader.rest().len() as u64;
        if u64::from(len) != have {
            return Err(DecodeError::Corrupt { what, at, want: have, got: len.into() });
        }
        let cardinality = Cardinality::read(&mut reader)?;
        at_end(&reader, NAMES[1])?;
        Ok(Some(cardinality))
    }

    /// The statistics.
    pub fn statistics(&self) -> Result<Statistics, SstableError> {
        let mut reader = self.section(2)?;
        let statistics = Statistics::read(&mut reader, self.version)?;
        at_end(&reader, NAMES[2])?;
        Ok(statistics)
    }

    /// Kinds and bytes of the sections in the order of the file.
    pub(super) fn in_order(&self) -> Vec<(u32, &'a [u8])> {
        let kinds = (0..).zip(&self.sections);
        let mut sections: Vec<_> = kinds
            .filter_map(|(kind, section)| section.map(|(at, bytes)| (at, kind, bytes)))
            .collect();
        sections.sort_by_key(|(at, ..)| *at);
        sections.into_iter().map(|(_, kind, bytes)| (kind, bytes)).collect()
    }

    /// A section, which must be there.
    pub(super) fn section(&self, kind: usize) -> Result<Reader<'a>, DecodeError> {
        let what = NAMES[kind];
        let section = self.sections[kind].map(|(at, bytes)| Reader::new(bytes, at));
        section.ok_or(DecodeError::Short { what, at: 0, need: 1, have: 0 })
    }
}

/// Whether a compaction section has the sixteen registers of ScyllaDB.
fn is_of_scylladb(section: &[u8]) -> bool {
    let is_image = |bytes: &[u8]| {
        bytes.len() == SCYLLADB_CARDINALITY_LEN && bytes.starts_with(&SCYLLADB_CARDINALITY)
    };
    is_image(section) || section.strip_prefix(&NO_ANCESTORS).is_some_and(is_image)
}

/// A section ends where its last field does.
fn at_end(reader: &Reader<'_>, what: &'static str) -> Result<(), DecodeError> {
    match reader.rest().len() {
        0 => Ok(()),
        len => {
            let (want, got) = (reader.at(), reader.at() + len as u64);
            Err(DecodeError::Corrupt { what, at: reader.at(), want, got })
        }
    }
}

/// Offsets of the sections by their kinds. A wrong checksum is noted: sections have their own.
fn read_table(
    bytes: &[u8],
    version: Version,
    damage: &mut Option<DecodeError>,
) -> Result<[Option<usize>; 4], DecodeError> {
    let mut note = |checked: Result<(), DecodeError>| {
        if let Err(error) = checked {
            damage.get_or_insert(error);
        }
    };
    let mut reader = Reader::new(bytes, 0);
    let what = "number of sections";
    let count = reader.u32_be(what)?;
    if count > 64 {
        return Err(DecodeError::Corrupt { what, at: 0, want: 4, got: count.into() });
    }
    let mut sum = crc32fast::Hasher::new();
    sum.update(&count.to_be_bytes());
    if version.has_section_checksums() {
        note(check_sum(what, &mut reader, sum.clone().finalize()));
    }
    let table_at = reader.at();
    let table = reader.take("table of sections", count as usize * 8)?;
    sum.update(table);
    if version.has_section_checksums() {
        note(check_sum("table of sections", &mut reader, sum.finalize()));
    }
    let first = reader.at();
    let mut starts = [None; 4];
    let mut rows = Reader::new(table, table_at);
    for _ in 0..count {
        let kind = rows.u32_be("kind of a section")?;
        let (what, at) = ("offset of a section", rows.at());
        let start = rows.u32_be(what)?;
        if u64::from(start) < first || start as usize > bytes.len() {
            let (want, got) = (bytes.len() as u64, start.into());
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        // Kinds that later versions may add have no reader here.
        if let Some(slot) = starts.get_mut(kind as usize) {
            *slot = Some(start as usize);
        }
    }
    Ok(starts)
}

fn check_sum(
    what: &'static str,
    reader: &mut Reader<'_>,
    computed: u32,
) -> Result<(), DecodeError> {
    let at = reader.at();
    let stored = reader.u32_be(what)?;
    if stored == computed {
        return Ok(());
    }
    Err(DecodeError::Checksum { what, at, stored, computed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_registers_of_scylladb_are_no_estimate() {
        let file = |section: &[u8]| {
            let table = [1_u32, 1, 12].map(u32::to_be_bytes).concat();
            [&table[..], section].concat()
        };
        let read = |bytes: &[u8]| StatisticsFile::open(bytes, Version::Me).unwrap().cardinality();
        // As its tables of one key and of 10 keys have it.
        for registers in [
            [0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            [0, 1, 0, 0, 1, 1, 9, 2, 0, 0, 3, 0, 2, 0, 3, 0],
        ] {
            let mut image = [&SCYLLADB_CARDINALITY[..], &registers].concat();
            assert_eq!(read(&file(&image)), Ok(None));
            assert_eq!(read(&file(&[&NO_ANCESTORS[..], &image].concat())), Ok(None));
            image.pop();
            assert!(read(&file(&image)).is_err(), "cut");
            image.extend([0, 0]);
            assert!(read(&file(&image)).is_err(), "too long");
        }
        assert_eq!(read(&file(&[])), Ok(None));
    }
}

//! Scylla.db: what ScyllaDB writes beside the components that Cassandra knows.
//!
//! Bytes:   | u32 count | count x (u32 tag, u32 length, body) |; with digests (tag 12) a CRC-32 of all that at the end,
//!          docs/formats/sstable.md, Scylla.db

use manicule_core::bytes::{DecodeError, Reader};

use crate::error::SstableError;
use crate::shortened::shortened;

/// The parts of a Scylla.db, by their tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScyllaTag(pub u32);

impl ScyllaTag {
    /// Ranges of tokens.
    pub const SHARDING: ScyllaTag = ScyllaTag(1);
    /// Bits of [`ScyllaFeatures`].
    pub const FEATURES: ScyllaTag = ScyllaTag(2);
    /// Attributes: texts by texts.
    pub const ATTRIBUTES: ScyllaTag = ScyllaTag(3);
    /// UUID of the run that the SSTable is of.
    pub const RUN_ID: ScyllaTag = ScyllaTag(4);
    /// Sizes of large things.
    pub const LARGE_DATA: ScyllaTag = ScyllaTag(5);
    /// What the SSTable was written for: `memtable`, `compaction`.
    pub const ORIGIN: ScyllaTag = ScyllaTag(6);
    /// Build of the program.
    pub const BUILD_ID: ScyllaTag = ScyllaTag(7);
    /// Version of the program.
    pub const VERSION: ScyllaTag = ScyllaTag(8);
    /// Smallest live timestamps.
    pub const TIMESTAMPS: ScyllaTag = ScyllaTag(9);
    /// UUID of the SSTable.
    pub const SSTABLE_ID: ScyllaTag = ScyllaTag(10);
    /// Names of table and columns.
    pub const SCHEMA: ScyllaTag = ScyllaTag(11);
    /// Checksums of the components.
    pub const DIGESTS: ScyllaTag = ScyllaTag(12);

    /// What the part is; `None` of a tag that isn't known.
    pub fn name(self) -> Option<&'static str> {
        let names = [
            "sharding",
            "features",
            "attributes",
            "run id",
            "large data",
            "origin",
            "build id",
            "version",
            "timestamps",
            "sstable id",
            "schema",
            "digests",
            "large records",
        ];
        names.get((self.0 as usize).checked_sub(1)?).copied()
    }
}

/// What the writer did rightly that older ones did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScyllaFeatures(pub u64);

impl ScyllaFeatures {
    /// Whether the width of a promoted index's last block never counts the partition's end.
    pub fn has_correct_last_block_width(self) -> bool {
        self.0 >> 6 & 1 == 1
    }
}

/// Kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Of the partition key.
    PartitionKey,
    /// Of the clustering key.
    Clustering,
    /// Static.
    Static,
    /// Regular.
    Regular,
}

/// Names of a table and its columns, which Statistics.db has in part only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScyllaSchema<'a> {
    /// UUID of the table.
    pub id: [u8; 16],
    /// UUID of the schema's version.
    pub version: [u8; 16],
    /// Keyspace.
    pub keyspace: &'a str,
    /// Table.
    pub table: &'a str,
    /// Kind, name and class of each column.
    pub columns: Vec<(ColumnKind, &'a [u8], &'a str)>,
}

/// An entry of the large data: what is counted, its greatest value, the threshold, the number above
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeData {
    /// 1: bytes of a partition, 2: of a row, 3: of a cell, 4: rows of a partition, 5: elements of a
    /// collection.
    pub kind: u32,
    /// Greatest value.
    pub max: u64,
    /// Threshold.
    pub threshold: u64,
    /// Number of values above it.
    pub above_count: u32,
}

/// A Scylla.db that lies in memory.
#[derive(Clone, Debug)]
pub struct ScyllaFile<'a> {
    parts: Vec<(ScyllaTag, u64, &'a [u8])>,
}

impl<'a> ScyllaFile<'a> {
    /// Reads the tags. Parts are read where they are asked for; those of unknown tags are kept as
    /// bytes.
    pub fn open(bytes: &'a [u8]) -> Result<ScyllaFile<'a>, DecodeError> {
        let mut reader = Reader::new(bytes, 0);
        let count = reader.u32_be("number of parts")?;
        let mut parts = Vec::new();
        for _ in 0..count {
            let tag = ScyllaTag(reader.u32_be("tag of a part")?);
            let len = reader.u32_be("length of a part")?;
            let at = reader.at();
            parts.push((tag, at, reader.take("part", len as usize)?));
        }
        let at = reader.at();
        if !reader.rest().is_empty() {
            check_end(&mut reader, &bytes[..at as usize])?;
        }
        Ok(ScyllaFile { parts })
    }

    /// The parts in the order of the file: tag, offset, bytes.
    pub fn parts(&self) -> impl Iterator<Item = (ScyllaTag, u64, &'a [u8])> {
        self.parts.iter().copied()
    }

    fn part(&self, tag: ScyllaTag) -> Option<Reader<'a>> {
        let part = self.parts.iter().find(|(other, ..)| *other == tag);
        part.map(|(_, at, bytes)| Reader::new(bytes, *at))
    }

    /// The features; none without that part.
    pub fn features(&self) -> Result<ScyllaFeatures, DecodeError> {
        let Some(mut part) = self.part(ScyllaTag::FEATURES) else { return Ok(ScyllaFeatures(0)) };
        part.u64_be("features").map(ScyllaFeatures)
    }

    /// A UUID: [`ScyllaTag::RUN_ID`], [`ScyllaTag::SSTABLE_ID`].
    pub fn uuid(&self, tag: ScyllaTag) -> Result<Option<[u8; 16]>, DecodeError> {
        self.part(tag).map(|mut part| uuid(&mut part)).transpose()
    }

    /// A text: [`ScyllaTag::ORIGIN`], [`ScyllaTag::BUILD_ID`], [`ScyllaTag::VERSION`].
    pub fn text(&self, tag: ScyllaTag) -> Result<Option<&'a str>, SstableError> {
        self.part(tag).map(|mut part| text(&mut part)).transpose()
    }

    /// The attributes.
    pub fn attributes(&self) -> Result<Vec<(&'a str, &'a str)>, SstableError> {
        self.each(ScyllaTag::ATTRIBUTES, |part| Ok((text(part)?, text(part)?)))
    }

    /// Sizes of large things.
    pub fn large_data(&self) -> Result<Vec<LargeData>, SstableError> {
        self.each(ScyllaTag::LARGE_DATA, |part| {
            Ok(LargeData {
                kind: part.u32_be("kind of large data")?,
                max: part.u64_be("greatest value")?,
                threshold: part.u64_be("threshold")?,
                above_count: part.u32_be("number above the threshold")?,
            })
        })
    }

    /// The smallest live timestamps: kind (1: of anything, 2: of a row), microseconds since 1970.
    pub fn timestamps(&self) -> Result<Vec<(u32, i64)>, SstableError> {
        self.each(ScyllaTag::TIMESTAMPS, |part| {
            Ok((part.u32_be("kind of a timestamp")?, part.u64_be("timestamp")? as i64))
        })
    }

    /// Names of table and columns.
    pub fn schema(&self) -> Result<Option<ScyllaSchema<'a>>, SstableError> {
        let Some(mut part) = self.part(ScyllaTag::SCHEMA) else { return Ok(None) };
        let (id, version) = (uuid(&mut part)?, uuid(&mut part)?);
        let (keyspace, table) = (text(&mut part)?, text(&mut part)?);
        let columns = items(&mut part, |part| {
            Ok((column_kind(part)?, long_bytes(part, "name of a column")?, text(part)?))
        })?;
        Ok(Some(ScyllaSchema { id, version, keyspace, table, columns }))
    }

    /// CRC-32 of components by ScyllaDB's numbers: 0 Index, 1 CompressionInfo, 2 Data, 3 TOC, 4
    /// Summary, 5 Digest, 6 CRC, 7 Filter, 8 Statistics, 12 Rows, 13 Partitions.
    pub fn digests(&self) -> Result<Vec<(u32, u32)>, SstableError> {
        // The description leaves open how wide a number is; the part's length says it.
        let Some(mut part) = self.part(ScyllaTag::DIGESTS) else { return Ok(Vec::new()) };
        let (what, at) = ("number of digests", part.at());
        let count = part.u32_be(what)?;
        let is_narrow = part.rest().len() as u64 == u64::from(count) * 5;
        if !is_narrow && part.rest().len() as u64 != u64::from(count) * 8 {
            let (want, got) = (part.rest().len() as u64 / 5, count.into());
            return Err(DecodeError::Corrupt { what, at, want, got }.into());
        }
        let mut digests = Vec::new();
        while !part.rest().is_empty() {
            let what = "number of a component";
            let component = if is_narrow { part.u8(what)?.into() } else { part.u32_be(what)? };
            digests.push((component, part.u32_be("digest of a component")?));
        }
        Ok(digests)
    }

    fn each<T>(
        &self,
        tag: ScyllaTag,
        item: impl FnMut(&mut Reader<'a>) -> Result<T, SstableError>,
    ) -> Result<Vec<T>, SstableError> {
        self.part(tag).map_or(Ok(Vec::new()), |mut part| items(&mut part, item))
    }
}

/// What follows the parts is their checksum.
fn check_end(reader: &mut Reader<'_>, parts: &[u8]) -> Result<(), DecodeError> {
    let (what, at) = ("parts of the file", reader.at());
    let (stored, computed) = (reader.u32_be(what)?, crc32fast::hash(parts));
    if stored != computed {
        return Err(DecodeError::Checksum { what, at, stored, computed });
    }
    match reader.rest().len() as u64 {
        0 => Ok(()),
        extra => {
            let (what, at) = ("end of the file", reader.at());
            Err(DecodeError::Corrupt { what, at, want: at, got: at + extra })
        }
    }
}

/// A number and as many items; nothing is set aside by the number alone.
fn items<'a, T>(
    part: &mut Reader<'a>,
    mut item: impl FnMut(&mut Reader<'a>) -> Result<T, SstableError>,
) -> Result<Vec<T>, SstableError> {
    let count = part.u32_be("number of items")?;
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(item(part)?);
    }
    Ok(items)
}

fn column_kind(part: &mut Reader<'_>) -> Result<ColumnKind, DecodeError> {
    let (what, at) = ("kind of a column", part.at());
    Ok(match part.u8(what)? {
        1 => ColumnKind::PartitionKey,
        2 => ColumnKind::Clustering,
        3 => ColumnKind::Static,
        4 => ColumnKind::Regular,
        got => return Err(DecodeError::Corrupt { what, at, want: 4, got: got.into() }),
    })
}

fn uuid(part: &mut Reader<'_>) -> Result<[u8; 16], DecodeError> {
    let bytes = part.take("UUID", 16)?;
    Ok(bytes.try_into().expect("sixteen bytes"))
}

fn long_bytes<'a>(part: &mut Reader<'a>, what: &'static str) -> Result<&'a [u8], DecodeError> {
    let len = part.u32_be(what)?;
    part.take(what, len as usize)
}

fn text<'a>(part: &mut Reader<'a>) -> Result<&'a str, SstableError> {
    let (what, at) = ("text", part.at());
    let bytes = long_bytes(part, what)?;
    let text = std::str::from_utf8(bytes).ok();
    text.ok_or_else(|| SstableError::Text { what, at, want: "UTF-8", got: shortened(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of these parts, by the description: no real one was at hand.
    fn file(parts: &[(ScyllaTag, &[u8])]) -> Vec<u8> {
        let mut bytes = (parts.len() as u32).to_be_bytes().to_vec();
        for (tag, body) in parts {
            bytes.extend_from_slice(&tag.0.to_be_bytes());
            bytes.extend_from_slice(&(body.len() as u32).to_be_bytes());
            bytes.extend_from_slice(body);
        }
        bytes
    }

    #[test]
    fn parts_are_read_by_their_tags() {
        let schema = [
            &[1; 16][..],
            &[2; 16],
            b"\0\0\0\x02ks",
            b"\0\0\0\x01t",
            b"\0\0\0\x02",
            b"\x01\0\0\0\x02pk\0\0\0\x09Int32Type",
            b"\x04\0\0\0\x01v\0\0\0\x08UTF8Type",
        ]
        .concat();
        let large = [
            &[0, 0, 0, 1, 0, 0, 0, 2][..],
            &9_u64.to_be_bytes(),
            &7_u64.to_be_bytes(),
            &[0, 0, 0, 3],
        ];
        let bytes = file(&[
            (ScyllaTag::FEATURES, &0x7f_u64.to_be_bytes()),
            (ScyllaTag(99), b"later"),
            (ScyllaTag::SCHEMA, &schema),
            (ScyllaTag::ORIGIN, b"\0\0\0\x08memtable"),
            (ScyllaTag::LARGE_DATA, &large.concat()),
            (ScyllaTag::RUN_ID, &[5; 16]),
            (ScyllaTag::ATTRIBUTES, b"\0\0\0\x01\0\0\0\x01k\0\0\0\x01v"),
            (ScyllaTag::TIMESTAMPS, b"\0\0\0\x01\0\0\0\x02\xff\xff\xff\xff\xff\xff\xff\xfe"),
        ]);
        let file = ScyllaFile::open(&bytes).expect("a file");
        assert_eq!(file.features(), Ok(ScyllaFeatures(0x7f)));
        assert!(ScyllaFeatures(0x40).has_correct_last_block_width());
        assert!(!ScyllaFeatures(0x3f).has_correct_last_block_width());
        assert_eq!(file.text(ScyllaTag::ORIGIN), Ok(Some("memtable")));
        assert_eq!(file.text(ScyllaTag::VERSION), Ok(None));
        assert_eq!(file.uuid(ScyllaTag::RUN_ID), Ok(Some([5; 16])));
        assert_eq!(file.attributes(), Ok(vec![("k", "v")]));
        assert_eq!(file.timestamps(), Ok(vec![(2, -2)]));
        let large = LargeData { kind: 2, max: 9, threshold: 7, above_count: 3 };
        assert_eq!(file.large_data(), Ok(vec![large]));
        let schema = file.schema().expect("a part").expect("a schema");
        assert_eq!((schema.keyspace, schema.table, schema.id), ("ks", "t", [1; 16]));
        assert_eq!(
            schema.columns,
            [
                (ColumnKind::PartitionKey, &b"pk"[..], "Int32Type"),
                (ColumnKind::Regular, &b"v"[..], "UTF8Type"),
            ]
        );
        let names: Vec<_> = file.parts().map(|(tag, ..)| tag.name()).collect();
        assert_eq!(names[..3], [Some("features"), None, Some("schema")]);
        for cut in 0..bytes.len() {
            assert!(ScyllaFile::open(&bytes[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn digests_have_numbers_of_one_byte_or_four() {
        for body in [&b"\0\0\0\x01\x02\0\0\0\x09"[..], b"\0\0\0\x01\0\0\0\x02\0\0\0\x09"] {
            let mut bytes = file(&[(ScyllaTag::DIGESTS, body)]);
            let sum = crc32fast::hash(&bytes);
            bytes.extend_from_slice(&sum.to_be_bytes());
            let read = ScyllaFile::open(&bytes).expect("a file");
            assert_eq!(read.digests(), Ok(vec![(2, 9)]));
            *bytes.last_mut().expect("a byte") ^= 1;
            let error = ScyllaFile::open(&bytes).map(|_| ());
            assert!(matches!(error, Err(DecodeError::Checksum { .. })), "{error:?}");
        }
        let bytes = file(&[(ScyllaTag::DIGESTS, b"\0\0\0\x02\x02\0\0\0\x09")]);
        assert!(ScyllaFile::open(&bytes).expect("a file").digests().is_err());
    }
}
